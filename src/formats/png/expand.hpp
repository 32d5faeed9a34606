// A PNG's samples as other formats store them: colours instead of palette indices, 8 bits instead
// of fewer, an alpha channel instead of a transparent colour.
#pragma once

#include <vector>

#include "src/formats/png/chunks.hpp"
#include "src/picture/image.hpp"

namespace qturn::png {

/// The expanded page, without memory. It is the stored one if there is nothing to expand.
Page expanded_page(const PngHeader& header, const std::vector<PngChunk>& chunks);

/// Fills `expanded`, which has memory of its own, from the stored page. Throws ImageFileError if a
/// pixel has no colour in the palette, or the transparent colour is damaged.
void expand(const Page& stored, const PngHeader& header, const std::vector<PngChunk>& chunks,
            const Page& expanded);

}  // namespace qturn::png
