// The option table: the one place that says what `qturn` accepts. The man page and the completions
// are made from it.
#ifndef QTURN_TOOLS_QTURN_COMMAND_LINE_HPP
#define QTURN_TOOLS_QTURN_COMMAND_LINE_HPP

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/jpeg/route.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// What the user typed, checked one by one but not yet together with the file system.
struct CommandLine {
  enum class Command { turn, augment, check, devices };
  Command command = Command::turn;
  Orientation orientation = Orientation::identity;  ///< turn: identity is `upright`

  std::vector<std::string> inputs;
  std::string files_from;  ///< a file, "-" for standard input, empty for none
  bool nul_separated = false;
  std::string output;
  bool in_place = false;
  bool tag_only = false, strict = false, sidecars = false, allow_storage_change = false;
  std::string base;
  std::vector<std::string> include, exclude;
  bool hidden = false, follow = false, break_links = false;
  Others others = Others::count;
  Existing existing = Existing::refuse;
  std::optional<Format> format;
  JpegMode jpeg = JpegMode::lossless;
  std::optional<JpegEdges> jpeg_edges;  ///< nothing: the default, which depends on the operation

  std::string variants;  ///< all, rotations or a list
  int random = 0;
  std::uint64_t seed = 0;
  bool ignore_labels = false;

  std::string device = "auto";
  int threads = 0;  ///< 0: one a core
  std::uint64_t memory_bytes = 0;
  bool dry_run = false;
  bool json = false;
  std::string json_file;  ///< empty: standard output
  bool quiet = false, verbose = false;
};

/// The parser, filling `line` when it parses. `line` must outlive it.
std::unique_ptr<CLI::App> make_parser(CommandLine& line);

/// "all", "rotations" or a comma-separated list of orientations, in ascending order. Throws
/// std::invalid_argument.
std::vector<Orientation> parse_variants(const std::string& text);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_COMMAND_LINE_HPP
