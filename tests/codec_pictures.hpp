// Pictures for the tests of the codecs, and what the pipeline does with them between decode() and
// encode().
#ifndef QTURN_TESTS_CODEC_PICTURES_HPP
#define QTURN_TESTS_CODEC_PICTURES_HPP

#include <qturn/cpu.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/jpeg/file/segments.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/turn/encode.hpp"
#include "tests/every_codec.hpp"

namespace qturn::tests {

using qturn::bytes_of;
using qturn::text_of;

inline Bytes owned(std::string_view text) {
  const auto bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

inline bool contains(std::span<const std::byte> file, std::string_view text) {
  return text_of(file).find(text) != std::string_view::npos;
}

/// An Exif structure with an orientation and a camera's name, big-endian.
inline Bytes exif_with(Orientation orientation) {
  using std::string_view_literals::operator""sv;
  std::string block(
      "MM\0*\0\0\0\x08\0\x02"
      "\x01\x0F\0\x02\0\0\0\x04"
      "Cam\0"
      "\x01\x12\0\x03\0\0\0\x01\0\0\0\0"
      "\0\0\0\0"sv);
  block[31] = static_cast<char>(orientation);
  return owned(block);
}

/// The TIFF, in which nothing had to move.
inline Bytes write_tiff(const tiff::TiffFile& tiff,
                        std::span<const std::span<const std::byte>> pixels) {
  std::vector<std::string> warnings;
  Bytes file = qturn::tiff::write_tiff(tiff, pixels, warnings);
  if (!warnings.empty()) throw std::logic_error(warnings.front());
  return file;
}

/// A decoded file and the memory it lies in.
struct Decoded {
  Image image;
  PixelArena arena;
  std::vector<std::string> warnings;

  Decoded(std::span<const std::byte> file, const Codec& format, const Codec& target) {
    const std::atomic<bool> stop = false;
    const Samples samples = &format == &target ? Samples::as_stored : Samples::for_another_format;
    image = format.decode(file, samples, arena, stop, warnings);
  }
  Decoded(std::span<const std::byte> file, const Codec& format) : Decoded(file, format, format) {}
};

inline std::vector<std::byte> pixels_of(const Page& page) {
  const auto* data = static_cast<const std::byte*>(page.pixels);
  return {data, data + page.bytes()};
}

/// The image with its pages turned.
inline Image turned(const Image& image, Orientation orientation, PixelArena& arena) {
  Image result = image;
  for (Page& page : result.pages) {
    const Page src = page;
    if (swaps_axes(orientation)) std::swap(page.width, page.height);
    page.pixels = arena.take(page.bytes());
    transform(src.view(), page.view(), orientation);
  }
  return result;
}

inline Bytes encode(const Image& image, Orientation applied, const Codec& target) {
  const std::atomic<bool> stop = false;
  std::vector<std::string> warnings;
  return qturn::encode(image, applied, target, stop, warnings);
}

/// What the pipeline makes of a file.
inline Bytes turn_file(std::span<const std::byte> file, const Codec& format,
                       Orientation orientation) {
  std::vector<std::string> warnings;
  const Header header = format.read_header(file);
  const Size size = turned_size(orientation, {header.width, header.height});
  if (&format == &jpeg::codec) {
    const jpeg::JpegFile whole(file);
    return jpeg::finish_jpeg(
        whole, jpeg::turn_embedded_jpeg(whole.without_trailing_data().bytes, orientation),
        orientation, size, jpeg::turn_embedded_jpeg, warnings);
  }
  Decoded decoded(file, format);
  const Image image = turned(decoded.image, orientation, decoded.arena);
  return encode(image, orientation, format);
}

/// The message of the ImageFileError that decoding throws; empty if it does not.
inline std::string refusal(std::span<const std::byte> file, const Codec& format,
                           const Codec& target) {
  try {
    Decoded decoded(file, format, target);
  } catch (const ImageFileError& error) {
    return error.what();
  }
  return {};
}
inline std::string refusal(std::span<const std::byte> file, const Codec& format) {
  return refusal(file, format, format);
}

/// Pseudo-random samples.
inline std::vector<std::uint8_t> noise(std::size_t count, std::uint32_t seed = 1) {
  std::vector<std::uint8_t> values(count);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::uint8_t& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<std::uint8_t>(state >> 24);
  }
  return values;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_CODEC_PICTURES_HPP
