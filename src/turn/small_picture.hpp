// Small copies of pictures, for people to look at.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

/// Samples of 8 bits, rows without padding.
struct SmallPicture {
  std::int64_t width = 0, height = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels = {};
  Orientation stored = Orientation::identity;  ///< what it was made of says how it looks upright
  Size original = {};                          ///< of that, as it is stored
};

enum class Shrink : bool {
  mean,    ///< RGB, the mean of the pixels that fall on each
  colours  ///< RGBA, of a mask: a colour for each value, and 0 is transparent
};

/// The first page as it is stored, no side longer than `longest`; never enlarged. Throws
/// ImageFileError for damage, and for what has neither 8 nor 16 bits.
SmallPicture small_picture(std::span<const std::byte> file, std::string_view lower_suffix,
                           std::int64_t longest, Shrink shrink, const Limits& limits);

/// A colour for a value of a mask, for a category: the same for the same number.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};
Colour colour_of(std::uint64_t number);

/// Its file in the format of this name. Three channels for "jpeg".
Bytes encoded(SmallPicture picture, std::string_view format);

}  // namespace qturn
