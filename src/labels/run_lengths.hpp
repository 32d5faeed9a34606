// The masks of COCO: the lengths of runs of 0, 1, 0, ... in turn, down one column after the other.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// A mask is turned pixel by pixel.
inline constexpr std::int64_t most_mask_pixels = std::int64_t{1} << 30;

/// The first is 0 if the first pixel is 1.
using RunLengths = std::vector<std::uint32_t>;

/// The text that pycocotools makes of run lengths. From the fourth on, it stores each length minus
/// the length two places before, in groups of 5 bits. Nothing if the text is not in this code.
std::optional<RunLengths> runs_of_code(std::string_view code);
std::string code_of_runs(const RunLengths& runs);

/// Whether the runs fill a picture of this size, which has fewer than 2^32 pixels.
bool fill(const RunLengths& runs, Size size);

/// The runs of the turned picture. They must fill() one of this size.
RunLengths turned_runs(const RunLengths& runs, Size size, Orientation orientation);

}  // namespace qturn
