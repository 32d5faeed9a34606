#include "src/formats/png/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "src/picture/packed_pixels.hpp"

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
