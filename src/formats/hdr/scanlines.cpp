#include "src/formats/hdr/scanlines.hpp"

#include <algorithm>
#include <cstring>

#include "src/picture/errors.hpp"

namespace qturn::hdr {
namespace {

constexpr std::size_t longest_run = 127, longest_plain = 128;

[[noreturn]] void leads_out() {
  throw ImageFileError("damaged: run lengths lead out of a scanline");
}

bool has_run_lengths(std::span<const std::byte> data, std::int64_t pixels) {
  return can_have_run_lengths(pixels) && data.size() >= hdr_pixel_bytes &&
         data[0] == std::byte{2} && data[1] == std::byte{2} && std::to_integer<int>(data[2]) < 128;
}

// One byte of all pixels after the other.
HdrScanline read_run_lengths(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  const auto count = static_cast<std::size_t>(pixels);
  const std::size_t said =
      std::to_integer<std::size_t>(data[2]) << 8 | std::to_integer<std::size_t>(data[3]);
  if (said != count) leads_out();
  std::size_t at = hdr_pixel_bytes;
  for (std::size_t channel = 0; channel < hdr_pixel_bytes; ++channel) {
    for (std::size_t x = 0; x < count;) {
      if (at == data.size()) return {};
      const auto code = std::to_integer<std::size_t>(data[at++]);
      const bool is_run = code > longest_plain;
      const std::size_t length = is_run ? code - longest_plain : code;
      const std::size_t stored = is_run ? 1 : length;
      if (length == 0 || length > count - x) leads_out();
      if (data.size() - at < stored) return {};
      for (std::size_t i = 0; to && i < length; ++i) {
        to[(x + i) * hdr_pixel_bytes + channel] = data[at + (is_run ? 0 : i)];
      }
      at += stored;
      x += length;
    }
  }
  return {at, false};
}

// Three mantissas of 1 say how often the pixel before is repeated; several in a row make one
// number, the lowest byte first.
HdrScanline read_pixels(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  constexpr std::byte one{1};
  const auto count = static_cast<std::size_t>(pixels);
  HdrScanline line{.bytes = 0, .is_plain = true};
  std::size_t at = 0;
  int shift = 0;
  for (std::size_t x = 0; x < count; at += hdr_pixel_bytes) {
    if (data.size() - at < hdr_pixel_bytes) return {};
    const std::byte* const pixel = &data[at];
    if (pixel[0] != one || pixel[1] != one || pixel[2] != one) {
      if (to) std::memcpy(to + x * hdr_pixel_bytes, pixel, hdr_pixel_bytes);
      ++x;
      shift = 0;
      continue;
    }
    line.is_plain = false;
    constexpr int most_bits = 24;
    const std::size_t length =
        shift > most_bits ? 0 : std::to_integer<std::size_t>(pixel[3]) << shift;
    if (x == 0 || shift > most_bits || length > count - x) leads_out();
    for (std::size_t i = 0; to && i < length; ++i) {
      std::memcpy(to + (x + i) * hdr_pixel_bytes, to + (x - 1) * hdr_pixel_bytes, hdr_pixel_bytes);
    }
    x += length;
    shift += 8;
  }
  line.bytes = at;
  return line;
}

void append_run_lengths(Bytes& file, std::span<const std::byte> scanline) {
  const std::size_t count = scanline.size() / hdr_pixel_bytes;
  for (const std::size_t value : {std::size_t{2}, std::size_t{2}, count >> 8, count & 255}) {
    file.push_back(static_cast<std::byte>(value));
  }
  for (std::size_t channel = 0; channel < hdr_pixel_bytes; ++channel) {
    const auto value = [&](std::size_t x) { return scanline[x * hdr_pixel_bytes + channel]; };
    const auto run_at = [&](std::size_t x) {
      std::size_t length = 1;
      while (length < longest_run && x + length < count && value(x + length) == value(x)) ++length;
      return length;
    };
    // A shorter run would not make up for the packet that it ends.
    constexpr std::size_t shortest_run = 4;
    for (std::size_t x = 0; x < count;) {
      std::size_t length = run_at(x);
      if (length >= shortest_run) {
        file.push_back(static_cast<std::byte>(longest_plain + length));
        file.push_back(value(x));
      } else {
        length = 1;
        while (length < longest_plain && x + length < count && run_at(x + length) < shortest_run) {
          ++length;
        }
        file.push_back(static_cast<std::byte>(length));
        for (std::size_t i = 0; i < length; ++i) file.push_back(value(x + i));
      }
      x += length;
    }
  }
}

// Whether a reader takes no pixel of it for something else.
bool can_be_plain(std::span<const std::byte> scanline) {
  constexpr std::byte one{1};
  for (std::size_t at = 0; at < scanline.size(); at += hdr_pixel_bytes) {
    if (scanline[at] == one && scanline[at + 1] == one && scanline[at + 2] == one) return false;
  }
  return !has_run_lengths(scanline, static_cast<std::int64_t>(scanline.size() / hdr_pixel_bytes));
}

}  // namespace

HdrScanline read_scanline(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  return has_run_lengths(data, pixels) ? read_run_lengths(data, pixels, to)
                                       : read_pixels(data, pixels, to);
}

void append_scanline(Bytes& file, std::span<const std::byte> scanline, bool plain) {
  const bool can_run =
      can_have_run_lengths(static_cast<std::int64_t>(scanline.size() / hdr_pixel_bytes));
  if ((plain || !can_run) && can_be_plain(scanline)) {
    file.insert(file.end(), scanline.begin(), scanline.end());
  } else if (can_run) {
    append_run_lengths(file, scanline);
  } else {
    throw ImageFileError("a pixel of the HDR would mean a repetition in a row of so many pixels");
  }
}

}  // namespace qturn::hdr
