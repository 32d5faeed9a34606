// What is measured: a shape, a pixel size and an orientation; and the result.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qturn::bench {

/// Written WIDTHxHEIGHT, then optionally +N (views begin N pixels into their memory) and /N (both
/// pitches are rounded up to a multiple of N bytes; else rows are tight).
struct Shape {
  std::string text;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t offset_pixels = 0;
  std::int64_t pitch_multiple = 1;

  /// The pitch of rows of `columns` pixels in this shape.
  std::int64_t pitch(std::int64_t columns, int pixel_bytes) const {
    const std::int64_t bytes = columns * pixel_bytes;
    return (bytes + pitch_multiple - 1) / pitch_multiple * pitch_multiple;
  }
};

/// Throws std::invalid_argument if `text` is not a shape.
Shape parse_shape(std::string_view text);

struct Case {
  Shape shape;
  int pixel_bytes = 1;
  Orientation orientation = Orientation::identity;

  std::int64_t image_bytes() const { return shape.width * shape.height * pixel_bytes; }
};

/// Gigabytes (10^9) read plus written a second: the median of the batches, and the slowest and
/// fastest tenth.
struct Rate {
  double median = 0;
  double slow = 0;
  double fast = 0;
};

/// What another library made of a case.
struct PeerResult {
  std::string name;
  Rate rate;                         ///< 0 where it failed
  std::int64_t differing_bytes = 0;  ///< of its result, from ours
  std::string failure;
};

struct Result {
  Case what;
  Rate rate;
  Rate bound;
  std::string bound_by;  ///< what moved the same bytes fastest
  Rate plain = {};       ///< portable code that does the same; 0 if there is none

  std::vector<PeerResult> peers = {};
  Rate after_foreign = {};  ///< after a kernel that is not ours and overlaps nothing; 0: not asked
  Rate bound_after_foreign = {};

  double percent() const { return percent_of_bound(rate); }
  double percent_after_foreign() const {
    return 100 * after_foreign.median / bound_after_foreign.median;
  }
  double percent_of_bound(const Rate& other) const { return 100 * other.median / bound.median; }
};

/// The rate of batches that moved `bytes` (read plus written) each, from the seconds that they
/// took.
Rate rate_of(std::vector<double> seconds, double bytes);

struct Plan {
  std::vector<Case> cases;
  int batches = 31;
  bool against = false;        ///< measure other libraries too
  bool after_foreign = false;  ///< measure everything after a kernel that is not ours, too
};

struct Choice {
  std::vector<std::string> shapes;
  std::vector<int> pixel_sizes;
  std::vector<std::string> orientations;
  int batches;
  bool against = false;
  bool after_foreign = false;
};

/// Every combination, shape by shape. Throws std::invalid_argument for an unknown word.
Plan plan(const Choice& choice);

}  // namespace qturn::bench
