// Converts between the rows of a PNG and the page in memory, which always has one or two bytes per
// sample and is not interlaced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/formats/png/chunks.hpp"
#include "src/picture/image.hpp"

namespace qturn::png {

// PNG's five filters: each row is stored as its difference from a prediction, made from the bytes
// to its left and the row above, because the difference compresses better.

enum class PngFilter : std::uint8_t { none, sub, up, average, paeth };
inline constexpr std::array png_filters = {PngFilter::none, PngFilter::sub, PngFilter::up,
                                           PngFilter::average, PngFilter::paeth};

/// Turns the differences in `row` into samples. `above` is the row above, zeros for the first one,
/// and as long. `step`: bytes between a sample and the same one of the pixel to its left, 1 where
/// pixels are smaller than that.
void undo_filter(PngFilter filter, std::span<std::uint8_t> row, const std::uint8_t* above,
                 std::size_t step);

/// The opposite, from `row` to `filtered`. Both and `above` are of one length and lie apart.
void apply_filter(PngFilter filter, std::span<const std::uint8_t> row, const std::uint8_t* above,
                  std::size_t step, std::uint8_t* filtered);

/// The sum of the absolute differences: the usual estimate of how well a row compresses. Less is
/// better.
std::uint64_t sum_of_differences(std::span<const std::uint8_t> filtered);

/// One of the seven pictures that an interlaced PNG (Adam7) consists of, or all of one that is not.
/// Its pixel (x, y) is the picture's (left + x * x_step, top + y * y_step).
struct PngPass {
  std::int64_t left = 0, top = 0, x_step = 1, y_step = 1, width = 0, height = 0;
};

/// The passes in the order of the file, without the empty ones.
std::vector<PngPass> png_passes(const PngHeader& header);

/// Bytes of a row, without the byte of its filter.
std::size_t row_bytes(const PngHeader& header, const PngPass& pass);

/// Bytes from a sample to the same one of the next pixel, at least 1, as the filters need it.
std::size_t filter_step(const PngHeader& header);

/// Bytes of all rows with their filters' bytes.
std::uint64_t filtered_bytes(const PngHeader& header);

/// Whether a row of the file is one of the page, byte for byte.
bool is_stored_as_in_memory(const PngHeader& header);

/// The page as it is stored, without memory: palette indices and samples of fewer than 8 bits are a
/// byte each.
Page stored_page(const PngHeader& header);

/// Puts row `y` of the pass in its place in the page. The row may lie in the page's memory, at or
/// after that place.
void unpack_row(const PngHeader& header, const PngPass& pass, const std::uint8_t* row,
                std::int64_t y, const Page& page);

/// The opposite. Bits that belong to no pixel are 0.
void pack_row(const PngHeader& header, const PngPass& pass, const Page& page, std::int64_t y,
              std::uint8_t* row);

}  // namespace qturn::png
