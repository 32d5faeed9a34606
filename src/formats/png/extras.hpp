// What goes from the decoder of a PNG to its encoder besides the pixels.
#pragma once

#include <cstddef>
#include <vector>

#include "src/formats/png/chunks.hpp"
#include "src/picture/image.hpp"

namespace qturn::png {

struct PngExtras final : Extras {
  PngHeader header;
  std::vector<std::byte> skeleton;  ///< png_skeleton; empty where the samples are not as stored
};

}  // namespace qturn::png
