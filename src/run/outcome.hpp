// What became of an output. A failure is a value, so that one bad picture does not end the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include "src/metadata/metadata_turn.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

enum class Status : std::uint8_t {
  done,
  done_before,  ///< by the run that this one resumes
  salvaged,     ///< written, but only the readable part of a damaged picture
  skipped,
  failed,
  rejected  ///< it was made, and the proof found it wrong
};

/// Whether nothing is written, and that was not asked for.
inline bool has_failed(Status status) {
  return status == Status::failed || status == Status::rejected;
}

struct Outcome {
  std::size_t job = 0;  ///< its number
  std::filesystem::path input, output;
  std::string key;
  bool is_picture = true;        ///< false: a copy that --others copy makes
  std::uint64_t file_bytes = 0;  ///< of the input
  Orientation variant =
      Orientation::identity;  ///< what the user asked for (augment: this output's)
  Orientation applied = Orientation::identity;  ///< what was applied to the stored pixels
  std::int64_t width = 0, height = 0;           ///< of the output's first page
  std::optional<StoredPicture> stored = {};     ///< the input, if this run has read it
  std::uint64_t pixels =
      0;  ///< decoded for this outcome, all pages; 0 except for the first output of a job
  Status status = Status::failed;
  bool output_exists = false;  ///< skipped, because it is to stay
  bool is_whole = true;        ///< false: done, but a companion could not follow its picture
  Route route = Route::none;
  Loss loss = Loss::none;
  std::string codec;    ///< what encoded it, if `planar`: "libjpeg-turbo", or "qturn" on a GPU
  double seconds = 0;   ///< from the start of reading to the file on disk
  std::string message;  ///< why it failed or was skipped, or what was damaged; empty when done
  Hints hints = {};     ///< for why it failed
  std::vector<Sentence> warnings;
  /// Metadata that is no longer true in the output, in its masks and in its world files.
  std::vector<std::string> stale_metadata = {};
  std::vector<std::string> kept_unknown = {};  ///< as TurnOutcome has it
  bool kept_maker_note = false;                ///< as TurnOutcome has it
  ContentHash source = {}, result = {};  ///< of the input and of the output, once it is written
  std::uint64_t result_bytes = 0;        ///< the same
  /// First the sidecars of --sidecars, known once they are written, then the job's companions.
  std::vector<Companion> companions = {};
  /// If the picture is mirrored: the classes in its own label that are named left or right.
  std::set<std::string> sides = {};
  std::vector<std::filesystem::path> shared_labels = {};  ///< files that hold its labels
};

// What a Route is called, in machine-readable lines and in Python.

/// In the order of Route.
inline constexpr std::array<const char*, 8> route_words = {
    "none", "reencoded", "planar", "lossless", "trimmed", "tagged", "copied", "skipped"};
static_assert(static_cast<std::size_t>(Route::skipped) == route_words.size() - 1);

inline const char* word(Route route) { return route_words[static_cast<std::size_t>(route)]; }

inline std::optional<Route> route_of(std::string_view word) {
  const auto* found = std::ranges::find(route_words, word);
  if (found == route_words.end()) return std::nullopt;
  return static_cast<Route>(found - route_words.begin());
}

}  // namespace qturn
