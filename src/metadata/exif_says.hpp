// What an Exif block says about the orientation and the sizes of its picture, to compare with the
// real ones.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace qturn {

struct ExifSays {
  std::optional<Orientation> orientation;
  std::optional<Size> pixels;     ///< PixelXDimension, PixelYDimension
  std::optional<Size> image;      ///< ImageWidth, ImageLength of the first directory
  std::optional<Size> thumbnail;  ///< of the JPEG, as its own header says
  std::optional<Orientation> thumbnail_orientation;
  bool damaged = false;  ///< the header or one of these directories is incomplete
};

/// Reads a TIFF structure; what it does not say, or says in a wrong type, is missing.
ExifSays read_exif(std::span<const std::byte> tiff);

}  // namespace qturn
