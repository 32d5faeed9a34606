#include "src/turn/decoded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
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

namespace {

constexpr int jpeg_quality = 85;
const std::atomic<bool> never{false};

class Shrinker {
 public:
  Shrinker(const Page& page, std::int64_t longest) : page_(page) {
    if (page.type != SampleFormat::u8 && page.type != SampleFormat::u16)
      throw ImageFileError("pictures of 8 and 16 bits can be shown");
    const double scale = std::min(
        1.0, static_cast<double>(longest) / static_cast<double>(std::max(page.width, page.height)));
    const auto length = [&](std::int64_t n) {
      return std::max<std::int64_t>(1, std::llround(static_cast<double>(n) * scale));
    };
    small_.width = length(page.width);
    small_.height = length(page.height);
  }

  SmallPicture means() {
    small_.channels = 3;
    for_each([&](std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) {
      for (int c = 0; c < 3; ++c) {
        std::uint64_t sum = 0;
        for (std::int64_t y = top; y < bottom; ++y)
          for (std::int64_t x = left; x < right; ++x) sum += eight_bits(x, y, c);
        const auto count = static_cast<std::uint64_t>((bottom - top) * (right - left));
        small_.pixels.push_back(static_cast<std::uint8_t>(sum / count));
      }
    });
    return std::move(small_);
  }

  SmallPicture colours() {
    small_.channels = 4;
    const int channels =
        page_.channels == 2 || page_.channels == 4 ? page_.channels - 1 : page_.channels;
    for_each([&](std::int64_t left, std::int64_t top, std::int64_t, std::int64_t) {
      std::uint64_t value = 0;
      for (int c = 0; c < channels; ++c) value = value << 16 | sample(left, top, c);
      const Colour colour = colour_of(value);
      const std::uint8_t alpha = value == 0 ? 0 : 255;
      small_.pixels.insert(small_.pixels.end(), {colour.red, colour.green, colour.blue, alpha});
    });
    return std::move(small_);
  }

 private:
  template <typename Visit>
  void for_each(Visit visit) const {
    const auto begin = [](std::int64_t i, std::int64_t big, std::int64_t small) {
      return i * big / small;
    };
    for (std::int64_t y = 0; y < small_.height; ++y) {
      for (std::int64_t x = 0; x < small_.width; ++x) {
        visit(begin(x, page_.width, small_.width), begin(y, page_.height, small_.height),
              begin(x + 1, page_.width, small_.width), begin(y + 1, page_.height, small_.height));
      }
    }
  }

  std::uint64_t sample(std::int64_t x, std::int64_t y, int channel) const {
    const std::int64_t at =
        (y * page_.width + x) * page_.channels + (page_.channels < 3 ? 0 : channel);
    if (page_.type == SampleFormat::u8) return static_cast<const std::uint8_t*>(page_.pixels)[at];
    return static_cast<const std::uint16_t*>(page_.pixels)[at];
  }
  std::uint64_t eight_bits(std::int64_t x, std::int64_t y, int channel) const {
    return sample(x, y, channel) >> (page_.type == SampleFormat::u16 ? 8 : 0);
  }

  const Page& page_;
  SmallPicture small_;
};

}  // namespace

SmallPicture small_picture(std::span<const std::byte> file, std::string_view lower_suffix,
                           std::int64_t longest, Shrink shrink, const Limits& limits) {
  const Codec& codec = decodable_format(file, lower_suffix);
  header_to_decode(file, codec, limits);
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image = codec.decode(file, Samples::for_another_format, arena, never, warnings);
  const Page& page = image.pages.front();
  Shrinker shrinker(page, longest);
  SmallPicture small = shrink == Shrink::mean ? shrinker.means() : shrinker.colours();
  small.stored = image.stored;
  small.original = {page.width, page.height};
  return small;
}

Colour colour_of(std::uint64_t number) {
  // Neighbours get hues that lie far from each other.
  constexpr double golden = 0.6180339887498949;
  const double hue = 6 * std::fmod(static_cast<double>(number % 1'000'003) * golden, 1.0);
  const auto channel = [&](double at) {
    const double distance = std::abs(std::fmod(hue - at + 9, 6.0) - 3);
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(2 - distance, 0.0, 1.0)));
  };
  return {channel(0), channel(2), channel(4)};
}

Bytes encoded(SmallPicture picture, std::string_view format) {
  Image image;
  image.pages = {Page{picture.pixels.data(), picture.width, picture.height, picture.channels,
                      SampleFormat::u8}};
  if (format == "jpeg") image.quality = jpeg_quality;
  std::vector<std::string> warnings;
  return codec_of_name(format)->encode(image, Orientation::identity, never, warnings);
}

}  // namespace qturn
