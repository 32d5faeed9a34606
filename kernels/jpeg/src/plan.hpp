// From what a caller asks for to what the kernels are given.
#ifndef QTURN_KERNELS_JPEG_PLAN_HPP
#define QTURN_KERNELS_JPEG_PLAN_HPP

#include <qturn/jpeg_cuda.hpp>

#include <cstddef>

#include "kernels/jpeg/src/stages.hpp"

namespace qturn::jpeg {

/// Long enough that few threads need to begin again, short enough that shared memory holds those of
/// many threads. An odd number of words, so that threads which read the same word of theirs read
/// different banks.
inline constexpr Cut usual_cut{2400, 1024};

/// Parts of a workspace, which begins with what is copied to the device and then cleared.
struct Plan {
  std::size_t uploaded = 0, cleared = 0, all = 0;  ///< ends, in bytes
  Batch batch{};
};

/// Where everything lies in a workspace at `device`, a multiple of 256. If `host` is not null, what
/// is uploaded is written there. Throws std::invalid_argument with the number of the picture.
Plan plan(const JpegScanTurn* turns, std::size_t count, JpegResult* results, std::byte* device,
          std::byte* host, Cut cut = usual_cut);

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_PLAN_HPP
