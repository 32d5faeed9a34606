// Pictures for the command-line tests: small files made from known pixels, PNGs by hand and the
// rest by our own codecs, the tags that say how they are stored, and what they decode to.
#pragma once

#include <qturn/orientation.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/turn/encode.hpp"
#include "tests/fixtures/every_codec.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/pictures.hpp"

namespace cli {

using qturn::tests::png_chunk;

/// One page of pixels, rows without padding.
struct Picture {
  std::int64_t width = 0, height = 0;
  int channels = 1;
  qturn::SampleFormat type = qturn::SampleFormat::u8;
  std::vector<unsigned char> bytes;

  int pixel_bytes() const { return channels * qturn::sample_bytes(type); }
  bool operator==(const Picture&) const = default;
};

inline const std::atomic<bool> never{false};

/// Random pixels: no two orientations of them are alike.
inline Picture random_picture(std::int64_t width, std::int64_t height, int channels = 3,
                              qturn::SampleFormat type = qturn::SampleFormat::u8,
                              std::uint64_t seed = 1) {
  Picture picture{width, height, channels, type, {}};
  picture.bytes = qturn::tests::random_bytes(width * height * picture.pixel_bytes(), seed);
  return picture;
}

/// One of many, each with pixels of its own.
inline Picture numbered_picture(int number, std::int64_t width = 6, std::int64_t height = 4) {
  return random_picture(width, height, 3, qturn::SampleFormat::u8,
                        static_cast<std::uint64_t>(number) + 1);
}

/// Left to right and top to bottom brighter, so that JPEG hardly changes it.
inline Picture smooth_picture(std::int64_t width, std::int64_t height, int channels = 3) {
  Picture picture{width, height, channels, qturn::SampleFormat::u8, {}};
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        picture.bytes.push_back(
            static_cast<unsigned char>(60 * x / width + 120 * y / height + 20 * c));
  return picture;
}

inline Picture turned(const Picture& picture, qturn::Orientation orientation) {
  const qturn::Size size = qturn::turned_size(orientation, {picture.width, picture.height});
  Picture result{size.width, size.height, picture.channels, picture.type, {}};
  result.bytes.resize(picture.bytes.size());
  const int bytes = picture.pixel_bytes();
  qturn::tests::transform_by_definition(
      {picture.bytes.data(), picture.width, picture.height, picture.width * bytes, bytes},
      {result.bytes.data(), size.width, size.height, size.width * bytes, bytes}, orientation);
  return result;
}

inline std::string encoded(std::vector<Picture> pages, const qturn::Codec& format) {
  qturn::Image image;
  image.format = &format;
  for (Picture& page : pages)
    image.pages.push_back({page.bytes.data(), page.width, page.height, page.channels, page.type});
  std::vector<std::string> warnings;
  const qturn::Bytes file =
      qturn::encode(image, qturn::Orientation::identity, format, never, warnings);
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

inline std::string encoded(const Picture& picture, const qturn::Codec& format) {
  return encoded(std::vector{picture}, format);
}

inline std::string jpeg(const Picture& picture) { return encoded(picture, qturn::jpeg::codec); }

/// A little-endian TIFF structure with one entry: Orientation.
inline std::string exif_body(int orientation) {
  using namespace std::string_literals;
  return "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"s + static_cast<char>(orientation) +
         "\0\0\0\0\0\0\0"s;
}

/// The JPEG with an Exif block right after its first marker.
inline std::string tagged_jpeg(const Picture& picture, int orientation) {
  using namespace std::string_literals;
  return qturn::tests::with_segments(
      jpeg(picture), qturn::tests::jpeg_segment(0xE1, "Exif\0\0"s + exif_body(orientation)));
}

/// A PNG of 8 or 16 bits per sample, not compressed, with `more` chunks after its header.
inline std::string png(const Picture& picture, const std::string& more = {}) {
  const int sample_bytes = qturn::sample_bytes(picture.type);
  std::string rows;
  for (std::size_t i = 0; i < picture.bytes.size(); i += static_cast<std::size_t>(sample_bytes)) {
    if (i % static_cast<std::size_t>(picture.width * picture.pixel_bytes()) == 0) rows += '\0';
    for (int byte = sample_bytes; byte-- > 0;)  // PNG is big-endian
      rows += static_cast<char>(picture.bytes[i + static_cast<std::size_t>(byte)]);
  }
  constexpr char colour_types[] = {0, 0, 4, 2, 6};
  return qturn::tests::make_png({.width = static_cast<std::uint32_t>(picture.width),
                                 .height = static_cast<std::uint32_t>(picture.height),
                                 .depth = 8 * sample_bytes,
                                 .colour_type = colour_types[picture.channels],
                                 .rows = rows,
                                 .before = more});
}

/// The PNG with an eXIf chunk.
inline std::string tagged_png(const Picture& picture, int orientation) {
  return png(picture, png_chunk("eXIf", exif_body(orientation)));
}

/// Of a JPEG.
inline qturn::Header header_of(const std::filesystem::path& path) {
  return qturn::jpeg::codec.read_header(qturn::read_file(path));
}

struct Decoded {
  const qturn::Codec* format = nullptr;
  qturn::Orientation stored{};
  std::vector<Picture> pages;
};

/// Throws qturn::ImageFileError if it is not a complete picture.
inline Decoded decoded(const std::filesystem::path& path) {
  const qturn::Bytes file = qturn::read_file(path);
  const qturn::Codec* format = qturn::codec_of_content(file, qturn::lower_suffix(path));
  if (!format) throw qturn::ImageFileError("no picture");
  qturn::PixelArena arena;
  std::vector<std::string> warnings;
  const qturn::Image image =
      format->decode(file, qturn::Samples::as_stored, arena, never, warnings);
  Decoded result{format, image.stored, {}};
  for (const qturn::Page& page : image.pages) {
    const auto* bytes = static_cast<const unsigned char*>(page.pixels);
    result.pages.push_back(
        {page.width, page.height, page.channels, page.type, {bytes, bytes + page.bytes()}});
  }
  return result;
}

/// The only page.
inline Picture pixels_of(const std::filesystem::path& path) {
  Decoded file = decoded(path);
  if (file.pages.size() != 1) throw qturn::ImageFileError("several pages");
  return file.pages.front();
}

}  // namespace cli
