// What a format can hold of a picture that comes from another one.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/picture/image.hpp"

namespace qturn {

/// Sets of types, a bit each.
constexpr unsigned bit_of(SampleFormat type) { return 1U << static_cast<unsigned>(type); }
inline constexpr unsigned any_samples = ~0U;

struct Capacity {
  bool pages = false;  ///< several
  unsigned samples = any_samples;
  bool (*channels)(int count, Meaning::Alpha alpha);
};

/// What `image` means where it says so, else what its channels mean.
Meaning meaning_of(const Image& image);

/// Throws ImageFileError if the format `name` cannot hold the pages and samples of `image`, which
/// comes from another one, as they are.
void check_fits(const Image& image, std::string_view name, const Capacity& capacity);

}  // namespace qturn
