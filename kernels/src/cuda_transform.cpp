// From an orientation to a kernel: reduce it to one of three motions, see how far addresses and
// pitches are aligned, and take the first family that is made for such pictures.
#include <qturn/cuda.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/src/families.hpp"
#include "kernels/src/reduced.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

int alignment_of(ConstView view) {
  auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(view.data)) | 16;
  if (view.height > 1) bits |= static_cast<std::uint64_t>(view.pitch);
  return 1 << std::countr_zero(bits);
}

}  // namespace

void transform(ConstView src, View dst, Orientation orientation, cudaStream_t stream) {
  check_shapes(src, dst, orientation);
  if (src.empty()) return;
  const Reduced reduced = reduce(src, dst, orientation);
  const int alignment = std::min(alignment_of(reduced.src), alignment_of(reduced.dst));
  if (reduced.motion != Motion::transpose) {
    move_rows(reduced, alignment, stream);
  } else if (!transpose_tiles(reduced, alignment, stream) &&
             !transpose_any(reduced, alignment, stream)) {
    transpose_words(reduced, alignment, stream);
  }
}

}  // namespace qturn
