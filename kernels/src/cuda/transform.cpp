// From an orientation to a kernel: reduce it to one of three motions, see how far addresses and
// pitches are aligned, and take the first family that is made for such pictures.
#include <qturn/cuda.hpp>

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/reduced.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
void transform(ConstView src, View dst, Orientation orientation, cudaStream_t stream) {
  check_shapes(src, dst, orientation);
  if (src.empty()) return;
  const Reduced reduced = reduce(src, dst, orientation);
  const int alignment = alignment_of(reduced);
  if (reduced.motion != Motion::transpose) {
    move_rows(reduced, stream);
  } else if (!transpose_thin_units(reduced, stream) &&
             !transpose_thin(reduced, alignment, stream) && !transpose_tiles(reduced, stream) &&
             !transpose_any(reduced, alignment, stream)) {
    transpose_words(reduced, alignment, stream);
  }
}

}  // namespace qturn
