// What the user typed, as plain values. parse() fills it in, as the table of options says.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/files/group_commit.hpp"
#include "src/files/temporary.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

/// What the user typed. Each value is checked, but not yet against the file system.
struct CommandLine {
  enum class Command : std::uint8_t { turn, augment, merge, check, restore, devices };
  Command command = Command::turn;
  Orientation orientation = Orientation::identity;  ///< turn: identity is `upright`

  RunOptions run;  ///< as far as options say it; turn_options() adds the rest

  std::vector<std::string> inputs;
  std::string files_from;  ///< a file; "-" for standard input; empty if not given
  std::string output;
  std::string base;
  std::vector<std::string> include, exclude;
  std::string backup;           ///< a folder of backups, or of one run for restore; or empty
  std::string to;               ///< restore: where the turned folder is now; or empty
  std::string against;          ///< check: a folder of originals, or empty
  std::string variants;         ///< all, rotations or a list
  std::string shard_variables;  ///< the environment's variables that tell it; or empty
  std::string device = "auto";
  std::string json_file;  ///< empty: standard output
  std::string html_file;  ///< empty: no page

  const Codec* format = nullptr;  ///< null: the input's own
  std::uint64_t seed = 0;
  DrawGroup group = {};
  LabelOptions labels = {.take = TakeLabels::found};
  std::optional<Shard> shard;        ///< augment: one of several runs
  std::optional<MaskOptions> masks;  ///< not set: as --labels none says
  std::uint64_t tar_bytes = 0;       ///< of --tar-size, or 0
  std::uint64_t memory_bytes = 0;
  std::optional<int> local_rank;  ///< among several processes on this machine
  int random = 0;
  int threads = 0;           ///< 0: one per core
  int progress_seconds = 0;  ///< between lines of progress in a log; 0: none

  std::optional<bool> verify;           ///< not set: in place
  std::optional<Fsync> fsync;           ///< not set: `each` in place, `end` to a folder
  std::optional<PngMode> png;           ///< not set: see png_mode()
  std::optional<JpegEdges> jpeg_edges;  ///< not set: the default, which depends on the operation
  JpegMode jpeg = JpegMode::lossless;
  Existing existing = Existing::refuse;
  Others others = Others::stop;
  Believe believe = Believe::neither;
  bool hidden = false, follow = false, raw = false, break_links = false;
  bool nul_separated = false, in_place = false, sidecars = false, unpack = false;
  bool resume = false, restart = false, no_record = false;
  bool begins_resumable = false;  ///< --resume, but there was nothing to resume
  bool shard_is_auto = false;     ///< the environment tells the shard
  bool quick = false;             ///< check: without the pixels
  bool check_labels = false;
  bool dry_run = false, json = false, quiet = false, verbose = false;

  /// Whether files about all pictures take the place of older ones. Shards write no such files: a
  /// merge does, when all are complete.
  IfExists if_shared_files_exist() const {
    return !shard && (existing != Existing::refuse || resume) ? IfExists::replace : IfExists::fail;
  }

  bool replaces_existing() const {
    return existing == Existing::overwrite || existing == Existing::update;
  }
  /// Some outputs that exist stay: all of them, or those that are up to date.
  bool leaves_existing() const {
    return existing == Existing::skip || existing == Existing::update;
  }

  /// As --masks says, or else --labels.
  MaskOptions mask_options() const {
    return masks.value_or(MaskOptions{.take = labels.take != TakeLabels::none});
  }

  bool verifies() const { return verify.value_or(in_place); }

  /// As --png says, or the operation's default: a data set can be made again, so it need not be
  /// small.
  PngMode png_mode() const {
    return png.value_or(command == Command::augment ? PngMode::fast : PngMode::small);
  }
};

/// What is wrong with a command line, as a sentence.
class CommandLineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fills `line` from the words after the program's name. Returns the help or the version if that is
/// what they ask for, to be printed instead of a run. Throws CommandLineError.
std::string parse(std::vector<std::string> words, CommandLine& line);

}  // namespace qturn
