// Eight orientations, three motions.
//
// A picture read from its bottom edge is the same picture with a negative pitch. So reading from
// the bottom edge needs no code: rotate90 is a transpose whose source is upside down, and rotate270
// one whose destination is. For the CPU and for the GPU three motions remain: copying rows,
// mirroring rows, and transposing.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace qturn {

enum class Motion { copy, mirror, transpose };

/// copy: dst(x, y) = src(x, y). mirror: dst(x, y) = src(width - 1 - x, y). transpose: dst(x, y) =
/// src(y, x).
struct Reduced {
  ConstView src;
  View dst;
  Motion motion;
};

/// The pitch of a single row has no meaning. Kernels place all rows of a tile by it, also rows that
/// the picture lacks, so it becomes 0, which is aligned.
inline std::int64_t pitch_of(ConstView view) { return view.height > 1 ? view.pitch : 0; }

/// `view` with its rows in the opposite order. It must have one.
template <class AnyView>
AnyView upside_down(AnyView view) {
  AnyView last_row = sub_view(view, 0, view.height - 1, view.width, 1);
  last_row.height = view.height;
  last_row.pitch = -pitch_of(view);
  return last_row;
}

/// `src` and `dst` must have passed check_shapes() and not be empty.
inline Reduced reduce(ConstView src, View dst, Orientation orientation) {
  src.pitch = pitch_of(src);
  dst.pitch = pitch_of(dst);
  const Reading r = reading(orientation);
  if (r.from_bottom) src = upside_down(src);
  if (!r.swap_axes) return {src, dst, r.from_right ? Motion::mirror : Motion::copy};
  if (r.from_right) dst = upside_down(dst);
  return {src, dst, Motion::transpose};
}

/// The largest power of two, up to 16, that divides address and pitch.
inline int alignment_of(ConstView view) {
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(view.data));
  const auto pitch = static_cast<std::uint64_t>(pitch_of(view));
  return 1 << std::countr_zero(address | pitch | 16);
}

/// The same for both views.
inline int alignment_of(const Reduced& reduced) {
  return std::min(alignment_of(reduced.src), alignment_of(ConstView(reduced.dst)));
}

}  // namespace qturn
