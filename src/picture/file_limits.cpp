#include "src/picture/file_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {

LimitError::LimitError(const LimitName& limit, std::uint64_t needed, std::uint64_t permitted)
    : ImageFileError(
          fmt::format("{} {}, more than the limit of {}", needed, limit.what, permitted)),
      Hinted({{Hint::raise_limit, fmt::format("{}={}", limit.name, needed)}}) {}

void MetadataCount::check(const Limits& limits) const {
  check_limit(limits, &Limits::metadata_count, count);
  check_limit(limits, &Limits::metadata_bytes, bytes);
}

void check_limit(const Limits& limits, std::uint64_t Limits::*which, std::uint64_t needed) {
  if (needed <= limits.*which) return;
  throw LimitError(*std::ranges::find(limit_names, which, &LimitName::value), needed,
                   limits.*which);
}

void check_size(const Limits& limits, std::uint64_t pixels, std::uint64_t pixel_bytes,
                std::uint64_t file_bytes) {
  check_limit(limits, &Limits::pixels, pixels);
  if (pixel_bytes >= Limits::ratio_counts_from)
    check_limit(limits, &Limits::ratio, pixel_bytes / file_bytes);
}

}  // namespace qturn
