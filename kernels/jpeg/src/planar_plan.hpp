// From what a caller wants turned by planes to what the kernels are given.
#pragma once

#include <qturn/jpeg_planar_cuda.hpp>

#include <cstddef>

#include "kernels/jpeg/src/plan_parts.hpp"
#include "kernels/jpeg/src/planar.hpp"

namespace qturn::jpeg {

/// A turn by planes, checked. A picture is read as one and written as another, which has the same
/// memory for its blocks.
struct AskedPlanar {
  Picture read{}, written{};
  RestoredPicture restored;
  PlanarPicture planar;
};

/// Without memory. Throws std::invalid_argument for what makes no sense.
AskedPlanar asked_of(const JpegPlanarTurn& turn, Cut cut);

/// The turned picture's layout; its tables are not known yet.
JpegScanLayout turned_layout(const JpegPlanarTurn& turn);

struct PlanarPlan : WorkspaceEnds {
  Batch read{}, written{};
  const RestoredPicture* restored = nullptr;
  const PlanarPicture* planar = nullptr;
  /// The most that a picture has.
  std::uint32_t restored_tiles = 0, turned_tiles = 0, counted_blocks = 0;
};

/// As plan().
PlanarPlan plan(const JpegPlanarTurn* turns, std::size_t count, JpegPlanarResult* results,
                std::byte* device, std::byte* host, Cut cut = usual_cut);

}  // namespace qturn::jpeg
