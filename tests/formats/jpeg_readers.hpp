// The coefficients of a JPEG, as our own reader and as libjpeg read them.
#ifndef QTURN_TESTS_FORMATS_JPEG_READERS_HPP
#define QTURN_TESTS_FORMATS_JPEG_READERS_HPP

#include <optional>
#include <vector>

#include "src/formats/jpeg/reading/sequential_reader.hpp"

namespace qturn::tests {

using namespace jpeg;

/// Of all blocks that belong to the picture, component by component.
using Coefficients = std::vector<JCOEF>;

inline Coefficients coefficients_in(const JpegDecoder& decoder, const JpegBlocks& blocks) {
  Coefficients found;
  for (int i = 0; i < decoder.info.num_components; ++i) {
    const jpeg_component_info& component = decoder.info.comp_info[i];
    for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
      const JCOEF* row = blocks.component(i).block(0, y);
      found.insert(found.end(), row, row + std::size_t{component.width_in_blocks} * DCTSIZE2);
    }
  }
  return found;
}

/// Nothing where the file is left to libjpeg.
inline std::optional<Coefficients> own_coefficients(const Bytes& file) {
  PixelArena arena;
  JpegDecoder decoder(file);
  JpegBlocks blocks(arena);
  if (!read_sequential(decoder, blocks)) return std::nullopt;
  return coefficients_in(decoder, blocks);
}

/// Throws ImageFileError also for what libjpeg only warns of.
inline Coefficients libjpeg_coefficients(const Bytes& file) {
  PixelArena arena;
  JpegDecoder decoder(file);
  JpegBlocks blocks(arena);
  blocks.serve(reinterpret_cast<j_common_ptr>(&decoder.info));
  guarded(decoder.errors, [&] { jpeg_read_coefficients(&decoder.info); });
  return coefficients_in(decoder, blocks);
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_FORMATS_JPEG_READERS_HPP
