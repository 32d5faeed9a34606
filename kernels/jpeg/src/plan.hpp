// From what a caller asks for to what the kernels are given.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include <cstddef>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn::jpeg {

struct Plan : WorkspaceEnds {
  Batch batch{};
};

/// Where everything lies in a workspace at `device`, a multiple of 256. If `host` is not null, what
/// is uploaded is written there. Throws std::invalid_argument with the number of the picture.
Plan plan(const JpegScanTurn* turns, std::size_t count, JpegResult* results, std::byte* device,
          std::byte* host, Cut cut = usual_cut);

}  // namespace qturn::jpeg
