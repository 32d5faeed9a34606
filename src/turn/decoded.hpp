// A picture in memory, decoded for callers that want nothing but its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>
#include <qturn/view.hpp>

#include "src/formats/codec/codec.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn {

/// The format of a file whose pixels can be decoded. Throws ImageFileError.
const Codec& decodable_format(std::span<const std::byte> file, std::string_view lower_suffix);

/// Reads the header of a file of this format. Throws ImageFileError; LimitError.
Header header_to_decode(std::span<const std::byte> file, const Codec& format, const Limits& limits);

/// The first page as it is stored, in `arena`. Throws ImageFileError for damage; LimitError.
Image decoded_page(std::span<const std::byte> file, const Codec& format, const Limits& limits,
                   PixelArena& arena);

/// Whether R, G and B of a page can be taken as they are, each a byte. Else to_rgb() makes them.
bool has_rgb(const Image& image);

/// The first page as R, G and B of a byte each, as Pillow's convert("RGB") has them: grey three
/// times, without alpha, CMYK without a colour profile. Of 16 bits the upper eight are taken. `rgb`
/// has the page's size and 3 bytes per pixel. Throws ImageFileError if a page has no such pixels.
void to_rgb(const Image& image, View rgb);

// Small copies of pictures, for people to look at.

/// Samples of 8 bits, rows without padding.
struct SmallPicture {
  std::int64_t width = 0, height = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels = {};
  Orientation stored = Orientation::identity;  ///< how the large picture is stored
  Size original = {};                          ///< the size of the large picture as it is stored
};

enum class Shrink : bool {
  mean,    ///< RGB, the mean of the pixels that fall on each
  colours  ///< RGBA, of a mask: a colour for each value, and 0 is transparent
};

/// The first page as it is stored, no side longer than `longest`; never enlarged. Throws
/// ImageFileError for damage, and for samples of neither 8 nor 16 bits.
SmallPicture small_picture(std::span<const std::byte> file, std::string_view lower_suffix,
                           std::int64_t longest, Shrink shrink, const Limits& limits);

/// A colour for a value of a mask or for a category; a number always has the same colour.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};
Colour colour_of(std::uint64_t number);

/// Encodes the picture in the format of this name. Three channels for "jpeg".
Bytes encoded(SmallPicture picture, std::string_view format);

}  // namespace qturn
