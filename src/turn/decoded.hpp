// A picture in memory, decoded to pixels for who wants nothing else of it.
#pragma once

#include <qturn/pictures.hpp>
#include <qturn/view.hpp>

#include <cstddef>
#include <span>
#include <string_view>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn {

/// The format of a file whose pixels can be decoded. Throws ImageFileError.
const Codec& decodable_format(std::span<const std::byte> file, std::string_view lower_suffix);

/// Reads the header of such a file. Throws ImageFileError; LimitError.
Header header_to_decode(std::span<const std::byte> file, const Codec& format, const Limits& limits);

/// The first page as it is stored, in `arena`. Throws ImageFileError for damage; LimitError.
Image decoded_page(std::span<const std::byte> file, const Codec& format, const Limits& limits,
                   PixelArena& arena);

/// What of a page becomes R, G and B, if they can be taken as they are: each of its channels is a
/// byte. Else to_rgb() makes them.
bool has_rgb(const Image& image);

/// The first page as R, G and B of a byte each, as Pillow's convert("RGB") has them: grey three
/// times, without alpha, CMYK without a colour profile. Of 16 bits the upper eight are taken. `rgb`
/// has the page's size and 3 bytes per pixel. Throws ImageFileError for what has no such pixels.
void to_rgb(const Image& image, View rgb);

}  // namespace qturn
