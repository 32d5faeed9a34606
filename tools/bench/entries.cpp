#include "tools/bench/entries.hpp"

#include <fmt/format.h>

namespace qturn::bench {

std::string line(const EntryResult& r) {
  return fmt::format(
      "{:<58} {:>3} bytes  {:7.1f} GB/s ({:.1f} to {:.1f})  {:5.1f} % of {:.1f} ({})\n", r.what,
      r.pixel_bytes, r.rate.median, r.rate.slow, r.rate.fast, 100 * r.rate.median / r.bound.median,
      r.bound.median, r.bound_by);
}

}  // namespace qturn::bench
