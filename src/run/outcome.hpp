// What became of a job. A failing file is a value, so that one bad picture does not end the run.
#ifndef QTURN_SRC_RUN_OUTCOME_HPP
#define QTURN_SRC_RUN_OUTCOME_HPP

#include <qturn/orientation.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace qturn {

enum class Status : std::uint8_t { done, skipped, failed };

/// How an output came to be: its pixels were turned and encoded anew (`reencoded`; `planar`: a
/// JPEG, from its own planes); a JPEG's coefficients were moved, all of them (`lossless`) or
/// without the edges that do not fill a block (`trimmed`); only its tag was changed (`tagged`), or
/// its bytes were copied. `skipped`: left alone, because the turn would lose something; `none`:
/// nothing was written for another reason (it was upright, or it failed).
enum class Route : std::uint8_t {
  none,
  reencoded,
  planar,
  lossless,
  trimmed,
  tagged,
  copied,
  skipped
};
inline constexpr int route_count = 8;

struct Outcome {
  std::filesystem::path input, output;
  std::string key;
  bool is_picture = true;        ///< not: a file that --others copy took along
  std::uint64_t file_bytes = 0;  ///< of the input
  Orientation variant =
      Orientation::identity;  ///< what the user asked for (augment: this output's)
  Orientation applied = Orientation::identity;  ///< what was applied to the stored pixels
  std::int64_t width = 0, height = 0;           ///< of the output's first page
  std::uint64_t pixels =
      0;  ///< decoded for this outcome, all pages; 0 for all but a job's first output
  Status status = Status::failed;
  Route route = Route::none;
  std::string codec;    ///< what encoded it, if `planar`: "libjpeg-turbo", "nvjpeg"
  double seconds = 0;   ///< from the start of reading to the file on disk
  std::string message;  ///< why it failed or was skipped; empty when done
  std::vector<std::string> warnings;
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_OUTCOME_HPP
