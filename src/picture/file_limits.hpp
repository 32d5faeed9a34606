// Limits by name: how a file is refused that asks for more than it may.
//
// A format counts what its file asks for and hands the number to check_limit(). The message names
// the number and the limit, and a hint says how to raise the limit.
#pragma once

#include <fmt/format.h>
#include <qturn/pictures.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "src/picture/errors.hpp"

namespace qturn {

struct LimitName {
  std::string_view name;  ///< as users say it
  std::uint64_t Limits::*value;
  std::string_view what;  ///< that is counted, in the plural
};

inline constexpr std::array<LimitName, 6> limit_names = {{
    {"pixels", &Limits::pixels, "pixels"},
    {"ratio", &Limits::ratio, "bytes of pixels for each byte of the file"},
    {"metadata-bytes", &Limits::metadata_bytes, "bytes of metadata"},
    {"metadata-count", &Limits::metadata_count, "pieces of metadata"},
    {"scans", &Limits::scans, "scans"},
    {"directories", &Limits::directories, "directories"},
}};

/// The limits for files that have passed theirs already: none.
inline constexpr Limits unlimited = {.pixels = Limits::none,
                                     .ratio = Limits::none,
                                     .metadata_bytes = Limits::none,
                                     .metadata_count = Limits::none,
                                     .scans = Limits::none,
                                     .directories = Limits::none};

/// "50000 directories, more than the limit of 4096".
class LimitError : public ImageFileError, public Hinted {
 public:
  LimitError(const LimitName& limit, std::uint64_t needed, std::uint64_t permitted)
      : ImageFileError(
            fmt::format("{} {}, more than the limit of {}", needed, limit.what, permitted)),
        Hinted({{Hint::raise_limit, fmt::format("{}={}", limit.name, needed)}}) {}
};

/// Throws LimitError if `needed` is more than this one of `limits`.
inline void check_limit(const Limits& limits, std::uint64_t Limits::*which, std::uint64_t needed) {
  if (needed <= limits.*which) return;
  throw LimitError(*std::ranges::find(limit_names, which, &LimitName::value), needed,
                   limits.*which);
}

/// Pieces of metadata, counted.
struct MetadataCount {
  std::uint64_t count = 0, bytes = 0;

  void add(std::uint64_t more_bytes) {
    ++count;
    bytes += more_bytes;
  }
  /// Throws LimitError.
  void check(const Limits& limits) const {
    check_limit(limits, &Limits::metadata_count, count);
    check_limit(limits, &Limits::metadata_bytes, bytes);
  }
};

/// Does what check_limit() does for what the header of a file asks for: Limits::pixels and
/// Limits::ratio.
inline void check_size(const Limits& limits, std::uint64_t pixels, std::uint64_t pixel_bytes,
                       std::uint64_t file_bytes) {
  check_limit(limits, &Limits::pixels, pixels);
  if (pixel_bytes >= Limits::ratio_counts_from)
    check_limit(limits, &Limits::ratio, pixel_bytes / file_bytes);
}

}  // namespace qturn
