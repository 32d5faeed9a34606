// What of a PNG travels from the decoder to the encoder beside the pixels.
#ifndef QTURN_SRC_PNG_EXTRAS_HPP
#define QTURN_SRC_PNG_EXTRAS_HPP

#include <cstddef>
#include <vector>

#include "src/formats/image.hpp"
#include "src/png/chunks.hpp"

namespace qturn {

struct PngExtras final : Extras {
  PngHeader header;
  std::vector<std::byte> skeleton;  ///< png_skeleton; empty where the samples are not as stored
};

}  // namespace qturn

#endif  // QTURN_SRC_PNG_EXTRAS_HPP
