#include <qturn/cuda.hpp>

#include "kernels/src/cuda/in_place/families.hpp"
#include "kernels/src/reduced.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {

void transform_in_place(View view, Orientation orientation, cudaStream_t stream) {
  check_in_place(view, orientation);
  if (view.empty()) return;
  switch (orientation) {
    case Orientation::identity:
      return;
    case Orientation::flop:
    case Orientation::flip:
    case Orientation::rotate180:
      return mirror_in_place(view, orientation, stream);
    case Orientation::transpose:
      return turn_square_in_place(view, false, stream);
    case Orientation::transverse:
      return turn_square_in_place(upside_down(view), false, stream);
    case Orientation::rotate90:
      return turn_square_in_place(view, true, stream);
    case Orientation::rotate270:
      return turn_square_in_place(upside_down(view), true, stream);
  }
}

}  // namespace qturn
