// From what a caller wants decoded to what the kernels are given.
#ifndef QTURN_KERNELS_JPEG_DECODE_HPP
#define QTURN_KERNELS_JPEG_DECODE_HPP

#include <qturn/jpeg_decode_cuda.hpp>

#include <cstddef>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn::jpeg {

struct DecodePlan : WorkspaceEnds {
  Batch batch{};
  const RestoredPicture* restored = nullptr;
  std::uint32_t tiles = 0;  ///< the most that a picture has
  Size largest;             ///< pixels, each side alone, of those that are wanted
};

/// As plan().
DecodePlan plan(const JpegScanDecode* pictures, std::size_t count, JpegResult* results,
                std::byte* device, std::byte* host, Cut cut = usual_cut);

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_DECODE_HPP
