// PNG's five filters: each row is stored as its difference from a prediction, made from the bytes
// to its left and the row above, because the difference compresses better.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace qturn::png {

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

}  // namespace qturn::png
