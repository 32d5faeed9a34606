#include "src/formats/png/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "src/picture/packed_pixels.hpp"

// In filtering, no byte depends on the one before, so the compiler vectorises these loops. In
// undoing "sub", "average" and "paeth", each pixel depends on the one before; the bytes of a pixel
// are kept in registers. The paeth predictor has no branches, because they could not be predicted,
// and takes all samples of a pixel at once: 1.0 GB/s, and 0.5 sample by sample (4 bytes per pixel,
// one core of a Xeon, g++ 12, 2026-11-21).

namespace qturn::png {
namespace {

using Byte = std::uint8_t;
using Bytes8 [[gnu::vector_size(8)]] = Byte;
using Lanes [[gnu::vector_size(16)]] = std::int16_t;

template <typename Number>
inline Number absolute(Number value) {
  return value < 0 ? -value : value;
}

// The one of left, above and above-left that is nearest to left + above - above-left: numbers of 16
// bits, or vectors of them.
template <typename Number>
inline Number paeth(Number left, Number above, Number corner) {
  const Number right_step = above - corner;
  const Number down_step = left - corner;
  const Number from_left = absolute(right_step);
  const Number from_above = absolute(down_step);
  const auto from_corner = absolute<Number>(right_step + down_step);
  const Number second = from_above <= from_corner ? above : corner;
  return ((from_left <= from_above) & (from_left <= from_corner)) ? left : second;
}

template <std::size_t step>
Lanes load_pixel(const Byte* from) {
  std::uint64_t pixel = 0;
  for (std::size_t k = 0; k < step; ++k) pixel |= std::uint64_t{from[k]} << 8 * k;
  return __builtin_convertvector(std::bit_cast<Bytes8>(pixel), Lanes);
}

template <std::size_t step>
void undo_sub(Byte* row, std::size_t count) {
  Byte left[step] = {};
  for (std::size_t i = 0; i < count; i += step) {
    for (std::size_t k = 0; k < step; ++k) row[i + k] = left[k] = Byte(row[i + k] + left[k]);
  }
}

template <std::size_t step>
void undo_average(Byte* row, const Byte* __restrict above, std::size_t count) {
  Byte left[step] = {};
  for (std::size_t i = 0; i < count; i += step) {
    for (std::size_t k = 0; k < step; ++k) {
      row[i + k] = left[k] = Byte(row[i + k] + (left[k] + above[i + k]) / 2);
    }
  }
}

template <std::size_t step>
void undo_paeth(Byte* row, const Byte* __restrict above, std::size_t count) {
  Lanes left = {};
  Lanes corner = {};
  for (std::size_t i = 0; i < count; i += step) {
    const Lanes up = load_pixel<step>(above + i);
    left = (paeth(left, up, corner) + load_pixel<step>(row + i)) & 0xFF;
    corner = up;
    const auto pixel = std::bit_cast<std::uint64_t>(__builtin_convertvector(left, Bytes8));
    for (std::size_t k = 0; k < step; ++k) row[i + k] = Byte(pixel >> 8 * k);
  }
}

template <std::size_t step>
void undo(PngFilter filter, std::span<Byte> row, const Byte* __restrict above) {
  switch (filter) {
    case PngFilter::none:
      return;
    case PngFilter::sub:
      return undo_sub<step>(row.data(), row.size());
    case PngFilter::up:
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = Byte(row[i] + above[i]);
      return;
    case PngFilter::average:
      return undo_average<step>(row.data(), above, row.size());
    case PngFilter::paeth:
      return undo_paeth<step>(row.data(), above, row.size());
  }
}

}  // namespace

void undo_filter(PngFilter filter, std::span<Byte> row, const Byte* above, std::size_t step) {
  switch (step) {
    case 1:
      return undo<1>(filter, row, above);
    case 2:
      return undo<2>(filter, row, above);
    case 3:
      return undo<3>(filter, row, above);
    case 4:
      return undo<4>(filter, row, above);
    case 6:
      return undo<6>(filter, row, above);
    default:
      return undo<8>(filter, row, above);
  }
}

void apply_filter(PngFilter filter, std::span<const Byte> row, const Byte* __restrict above,
                  std::size_t step, Byte* __restrict filtered) {
  const Byte* __restrict from = row.data();
  const std::size_t count = row.size();
  const std::size_t first = std::min(step, count);  // these bytes have nothing to their left
  switch (filter) {
    case PngFilter::none:
      std::memcpy(filtered, from, count);
      return;
    case PngFilter::sub:
      std::memcpy(filtered, from, first);
      for (std::size_t i = step; i < count; ++i) filtered[i] = Byte(from[i] - from[i - step]);
      return;
    case PngFilter::up:
      for (std::size_t i = 0; i < count; ++i) filtered[i] = Byte(from[i] - above[i]);
      return;
    case PngFilter::average:
      for (std::size_t i = 0; i < first; ++i) filtered[i] = Byte(from[i] - above[i] / 2);
      for (std::size_t i = step; i < count; ++i) {
        filtered[i] = Byte(from[i] - (from[i - step] + above[i]) / 2);
      }
      return;
    case PngFilter::paeth:
      for (std::size_t i = 0; i < first; ++i) filtered[i] = Byte(from[i] - above[i]);
      for (std::size_t i = step; i < count; ++i) {
        filtered[i] =
            Byte(from[i] - paeth<std::int16_t>(from[i - step], above[i], above[i - step]));
      }
      return;
  }
}

std::uint64_t sum_of_differences(std::span<const Byte> filtered) {
  std::uint64_t sum = 0;
  for (const Byte value : filtered) sum += std::min<Byte>(value, Byte(-value));
  return sum;
}

}  // namespace qturn::png

namespace qturn::png {
namespace {

std::uint8_t* place(const Page& page, const PngPass& pass, std::int64_t y) {
  return static_cast<std::uint8_t*>(page.pixels) + (pass.top + y * pass.y_step) * page.row_bytes() +
         pass.left * page.pixel_bytes();
}

// PNG is big-endian. In place, or to a place before it.
void swap_bytes(const std::uint8_t* from, std::uint8_t* to, std::int64_t samples) {
  for (std::int64_t i = 0; i < samples; ++i, from += 2, to += 2) {
    const std::uint8_t first = from[0];
    to[0] = from[1];
    to[1] = first;
  }
}

// Whether the byte order of the file's samples differs from memory's.
bool swaps(const PngHeader& header) {
  return header.bit_depth == 16 && std::endian::native == std::endian::little;
}

}  // namespace

std::vector<PngPass> png_passes(const PngHeader& header) {
  const std::int64_t width = header.width;
  const std::int64_t height = header.height;
  if (!header.interlaced) return {{.width = width, .height = height}};
  constexpr std::array<PngPass, 7> adam7 = {{{0, 0, 8, 8},
                                             {4, 0, 8, 8},
                                             {0, 4, 4, 8},
                                             {2, 0, 4, 4},
                                             {0, 2, 2, 4},
                                             {1, 0, 2, 2},
                                             {0, 1, 1, 2}}};
  std::vector<PngPass> passes;
  for (PngPass pass : adam7) {
    pass.width = (width - pass.left + pass.x_step - 1) / pass.x_step;
    pass.height = (height - pass.top + pass.y_step - 1) / pass.y_step;
    if (pass.width > 0 && pass.height > 0) passes.push_back(pass);
  }
  return passes;
}

std::size_t row_bytes(const PngHeader& header, const PngPass& pass) {
  return (static_cast<std::size_t>(pass.width) * bits_per_pixel(header) + 7) / 8;
}

std::size_t filter_step(const PngHeader& header) {
  return std::max<std::size_t>(1, bits_per_pixel(header) / 8);
}

std::uint64_t filtered_bytes(const PngHeader& header) {
  std::uint64_t bytes = 0;
  for (const PngPass& pass : png_passes(header)) {
    bytes += (row_bytes(header, pass) + 1) * static_cast<std::uint64_t>(pass.height);
  }
  return bytes;
}

bool is_stored_as_in_memory(const PngHeader& header) {
  return header.bit_depth >= 8 && !header.interlaced && !swaps(header);
}

Page stored_page(const PngHeader& header) {
  return {.width = header.width,
          .height = header.height,
          .channels = channels(header),
          .type = header.bit_depth == 16 ? SampleFormat::u16 : SampleFormat::u8};
}

void unpack_row(const PngHeader& header, const PngPass& pass, const std::uint8_t* row,
                std::int64_t y, const Page& page) {
  std::uint8_t* to = place(page, pass, y);
  const std::int64_t pixel = page.pixel_bytes();
  if (header.bit_depth < 8) {
    unpack_bits(row, header.bit_depth, pass.width, to, pass.x_step);
  } else if (pass.x_step == 1 && swaps(header)) {
    swap_bytes(row, to, pass.width * page.channels);
  } else if (pass.x_step == 1) {
    std::memmove(to, row, row_bytes(header, pass));
  } else {
    for (std::int64_t x = 0; x < pass.width; ++x, to += pass.x_step * pixel, row += pixel) {
      std::memcpy(to, row, static_cast<std::size_t>(pixel));
      if (swaps(header)) swap_bytes(to, to, page.channels);
    }
  }
}

void pack_row(const PngHeader& header, const PngPass& pass, const Page& page, std::int64_t y,
              std::uint8_t* row) {
  const std::uint8_t* from = place(page, pass, y);
  const std::int64_t pixel = page.pixel_bytes();
  if (header.bit_depth < 8) {
    pack_bits(from, pass.x_step, header.bit_depth, pass.width, row);
  } else if (pass.x_step == 1 && swaps(header)) {
    swap_bytes(from, row, pass.width * page.channels);
  } else {
    for (std::int64_t x = 0; x < pass.width; ++x, from += pass.x_step * pixel, row += pixel) {
      std::memcpy(row, from, static_cast<std::size_t>(pixel));
      if (swaps(header)) swap_bytes(row, row, page.channels);
    }
  }
}

}  // namespace qturn::png
