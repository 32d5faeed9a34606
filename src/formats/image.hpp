// A decoded picture: pages of pixels, and whatever else the file said, carried along untouched for
// the encoder.
#ifndef QTURN_SRC_FORMATS_IMAGE_HPP
#define QTURN_SRC_FORMATS_IMAGE_HPP

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/formats/format.hpp"

namespace qturn {

/// A file that cannot be read as a picture or written as one. The message says why, without the
/// file's name.
class ImageFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The stop flag that the caller gave was raised while a picture was being read or written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

enum class SampleFormat : std::uint8_t { u8, u16, u32, f16, f32, f64 };

/// Bytes of one sample: 1, 2, 4, 2, 4, 8.
constexpr int sample_bytes(SampleFormat type) {
  constexpr int bytes[] = {1, 2, 4, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

/// One page: interleaved samples, rows top to bottom without padding, in memory that a PixelArena
/// owns.
struct Page {
  void* pixels = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 0;
  SampleFormat type = SampleFormat::u8;

  int pixel_bytes() const { return channels * sample_bytes(type); }
  std::int64_t row_bytes() const { return width * pixel_bytes(); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(row_bytes()) * static_cast<std::size_t>(height);
  }
  View view() const { return {pixels, width, height, row_bytes(), pixel_bytes()}; }
};

/// What a picture says besides its pixels that another format can carry too, in the bytes that
/// formats agree on.
struct Metadata {
  std::vector<std::byte> icc;   ///< an ICC profile
  std::vector<std::byte> exif;  ///< a TIFF structure, without "Exif\0\0", its orientation set to 1
  std::string xmp;              ///< an XMP packet
  std::string comment;
};

/// What a codec remembers of a file besides its pixels. A format's own part (tables, tags, chunks)
/// is in a derived type that only the codec that made it looks inside.
struct Extras {
  Metadata metadata;  ///< for an encoder of another format
  virtual ~Extras() = default;
  virtual std::shared_ptr<Extras> copy() const { return std::make_shared<Extras>(*this); }
};

/// A decoded file. Copying it copies neither pixels nor extras.
struct Image {
  Format format{};
  Orientation stored = Orientation::identity;  ///< how the pages must be turned to be seen upright
  std::vector<Page> pages;                     ///< at least one
  std::shared_ptr<const Extras> extras;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_IMAGE_HPP
