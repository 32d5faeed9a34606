// From what a caller wants decoded to what the kernels are given.
#pragma once

#include <qturn/jpeg_decode_cuda.hpp>

#include <cstddef>
#include <vector>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn::jpeg {

/// What a caller wants of a batch, checked, without memory.
struct AskedDecodes {
  std::vector<Picture> read;
  std::vector<RestoredPicture> restored;
  TablesToRead tables;
  Cut cut;
  Size largest;  ///< the greatest width and the greatest height of the wanted pictures, in pixels
};

/// usual_cut, or short_cut for a few pictures.
Cut cut_for(const JpegScanDecode* pictures, std::size_t count);

/// Throws std::invalid_argument with the number of the picture.
AskedDecodes asked_of(const JpegScanDecode* pictures, std::size_t count, Cut cut);

struct DecodePlan : WorkspaceEnds {
  Batch batch{};
  const RestoredPicture* restored = nullptr;
  std::uint32_t tiles = 0;  ///< the most that a picture has
};

/// Where everything lies, as plan() of turns says it.
DecodePlan plan(const AskedDecodes& asked, JpegResult* results, std::byte* device, std::byte* host);

}  // namespace qturn::jpeg
