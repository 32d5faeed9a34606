#include "src/turn/decoded.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/table.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn {
namespace {

const std::atomic<bool> never_stops{false};

// Which channels of a page are R, G and B.
std::array<int, 3> colours_of(const Image& image) {
  const Page& page = image.pages.front();
  const Meaning meaning = meaning_of(image);
  if (page.type != SampleFormat::u8 && page.type != SampleFormat::u16)
    throw ImageFileError("its samples have neither 8 nor 16 bits, so they are not RGB");
  if (page.channels > 4)
    throw ImageFileError(fmt::format("its {} channels are not RGB", page.channels));
  if (meaning.alpha == Meaning::Alpha::associated)
    throw ImageFileError("its colours are multiplied by its alpha, so they are not RGB");
  return page.channels < 3 ? std::array{0, 0, 0} : std::array{0, 1, 2};
}

// x * y / 255, rounded.
std::uint8_t share(unsigned x, unsigned y) {
  const unsigned product = x * y + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

template <typename Convert>
void convert_rows(const Page& page, View rgb, Convert convert) {
  for (std::int64_t y = 0; y < page.height; ++y) {
    const auto* from = static_cast<const std::uint8_t*>(page.pixels) + y * page.row_bytes();
    auto* to = static_cast<std::uint8_t*>(rgb.data) + y * rgb.pitch;
    for (std::int64_t x = 0; x < page.width; ++x, from += page.pixel_bytes(), to += 3)
      convert(from, to);
  }
}

}  // namespace

const Codec& decodable_format(std::span<const std::byte> file, std::string_view lower_suffix) {
  if (file.empty()) throw ImageFileError("the file is empty");
  const Codec* format = codec_of_content(file, lower_suffix);
  if (!format) throw ImageFileError("not a picture in a format that qturn reads");
  if (!format->decode) {
    throw ImageFileError(fmt::format("the pixels of {} files are never decoded", format->name));
  }
  return *format;
}

Header header_to_decode(std::span<const std::byte> file, const Codec& format,
                        const Limits& limits) {
  if (format.check_limits) format.check_limits(file, limits);
  Header header = format.read_header(file);
  check_size(limits, header.pixels_total, header.pixel_bytes_total, file.size());
  return header;
}

Image decoded_page(std::span<const std::byte> file, const Codec& format, const Limits& limits,
                   PixelArena& arena) {
  if (format.decode_pixels) return format.decode_pixels(file, limits, arena, never_stops);
  header_to_decode(file, format, limits);
  std::vector<std::string> warnings;
  return format.decode(file, Samples::for_another_format, arena, never_stops, warnings);
}

bool has_rgb(const Image& image) {
  colours_of(image);
  return image.pages.front().type == SampleFormat::u8 && !meaning_of(image).is_cmyk;
}

void to_rgb(const Image& image, View rgb) {
  const Page& page = image.pages.front();
  const std::array<int, 3> colours = colours_of(image);
  if (meaning_of(image).is_cmyk) {
    convert_rows(page, rgb, [](const std::uint8_t* ink, std::uint8_t* to) {
      const unsigned left = 255u - ink[3];
      for (int c = 0; c < 3; ++c) to[c] = static_cast<std::uint8_t>(left - share(ink[c], left));
    });
  } else if (page.type == SampleFormat::u16) {
    convert_rows(page, rgb, [&](const std::uint8_t* from, std::uint8_t* to) {
      for (int c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>(
            reinterpret_cast<const std::uint16_t*>(from)[colours[static_cast<std::size_t>(c)]] >>
            8);
    });
  } else {
    convert_rows(page, rgb, [&](const std::uint8_t* from, std::uint8_t* to) {
      for (int c = 0; c < 3; ++c) to[c] = from[colours[static_cast<std::size_t>(c)]];
    });
  }
}

}  // namespace qturn
