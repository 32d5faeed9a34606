// Lengths of pieces, added up, where some pieces end a segment and each segment begins at a whole
// unit. Restart markers make such segments. The sum of two is associative, so many threads can work
// on it (a prefix sum); and what comes before a piece says where it belongs.
#pragma once

#include <cstdint>

namespace qturn::jpeg {

struct Runs {
  std::uint32_t first = 0;   ///< up to the first end of a segment
  std::uint32_t units = 0;   ///< of the segments between the first end and the last one
  std::uint32_t last = 0;    ///< since the last end
  std::uint32_t ends = 0;    ///< of segments
  std::uint32_t is_end = 0;  ///< of everything; nothing is added after it

  constexpr void add(std::uint32_t length) { (ends == 0 ? first : last) += length; }
  /// Where a segment ends: its length is in whole units then.
  constexpr void end_segment(std::uint32_t unit) {
    if (ends != 0) units += (last + unit - 1) / unit;
    last = 0;
    ++ends;
  }

  /// The length of the segment that is open.
  constexpr std::uint32_t open() const { return ends == 0 ? first : last; }
  /// Where the segment that is open begins.
  constexpr std::uint32_t begin(std::uint32_t unit) const {
    return ends == 0 ? 0 : (first + unit - 1) / unit + units;
  }
};

struct AddRuns {
  std::uint32_t unit;

  constexpr Runs operator()(const Runs& a, const Runs& b) const {
    if (a.is_end != 0) return a;
    Runs sum = a;
    sum.is_end = b.is_end;
    sum.add(b.first);
    if (b.ends == 0) return sum;
    sum.end_segment(unit);
    sum.units += b.units;
    sum.last = b.last;
    sum.ends = a.ends + b.ends;
    return sum;
  }
};

}  // namespace qturn::jpeg
