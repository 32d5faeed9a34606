// The eight orientations and how they combine.
//
// Each is a reflection or a quarter turn of the square, so together they are the dihedral group of
// order eight, and three bits describe one completely: whether the axes are swapped, and whether
// the source is read from its right and from its bottom edge. Everything else here (composition,
// inverse, where a pixel goes) follows from those bits.
//
//   identity  flop   rotate180  flip   transpose  rotate90  transverse  rotate270
//     AB       BA       DC       CD       AC         CA         DB         BD
//     CD       DC       BA       AB       BD         DB         CA         AC
#ifndef QTURN_ORIENTATION_HPP
#define QTURN_ORIENTATION_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qturn {

/// One of the eight orientations, numbered as Exif 2.32, tag 274 (TIFF's Orientation), with
/// OpenImageIO's names.
///
/// Applying orientation n to a stored picture that is tagged n shows it upright. Turns are
/// clockwise.
enum class Orientation : std::uint8_t {
  identity = 1,
  flop = 2,        ///< left and right exchanged
  rotate180 = 3,   ///< half turn
  flip = 4,        ///< top and bottom exchanged
  transpose = 5,   ///< mirrored at the main diagonal
  rotate90 = 6,    ///< quarter turn clockwise
  transverse = 7,  ///< mirrored at the other diagonal
  rotate270 = 8,   ///< quarter turn counter-clockwise
};

/// All eight, in the order of their numbers.
inline constexpr std::array<Orientation, 8> all_orientations{
    Orientation::identity,  Orientation::flop,     Orientation::rotate180,  Orientation::flip,
    Orientation::transpose, Orientation::rotate90, Orientation::transverse, Orientation::rotate270};

/// False for the result of a cast from another number, such as an Exif tag of 0. Every function
/// here and every function that moves pixels refuses it: it throws std::invalid_argument with the
/// number.
constexpr bool is_valid(Orientation orientation) {
  return orientation >= Orientation::identity && orientation <= Orientation::rotate270;
}

/// Throws std::invalid_argument with the number, which is_valid() found wrong.
[[noreturn]] inline void refuse(Orientation orientation) {
  throw std::invalid_argument("orientation is " + std::to_string(static_cast<int>(orientation)) +
                              ", expected 1 to 8");
}

/// How the source is read: dst(x, y) is src(u, v), where (u, v) is (y, x) if `swap_axes`, else
/// (x, y), and u counts from the right edge if `from_right`, v from the bottom edge if
/// `from_bottom`.
struct Reading {
  bool swap_axes = false;
  bool from_right = false;
  bool from_bottom = false;

  friend constexpr bool operator==(Reading a, Reading b) {
    return a.swap_axes == b.swap_axes && a.from_right == b.from_right &&
           a.from_bottom == b.from_bottom;
  }
};

/// How `orientation` reads its source.
constexpr Reading reading(Orientation orientation) {
  switch (orientation) {
    case Orientation::identity:
      return {false, false, false};
    case Orientation::flop:
      return {false, true, false};
    case Orientation::rotate180:
      return {false, true, true};
    case Orientation::flip:
      return {false, false, true};
    case Orientation::transpose:
      return {true, false, false};
    case Orientation::rotate90:
      return {true, false, true};
    case Orientation::transverse:
      return {true, true, true};
    case Orientation::rotate270:
      return {true, true, false};
  }
  refuse(orientation);
}

/// The orientation that reads its source like this.
constexpr Orientation orientation_of(Reading wanted) {
  for (Orientation orientation : all_orientations) {
    if (reading(orientation) == wanted) return orientation;
  }
  return Orientation::identity;
}

/// True for transpose, rotate90, transverse and rotate270: width becomes height.
constexpr bool swaps_axes(Orientation orientation) { return reading(orientation).swap_axes; }

/// The one orientation that does what `first` and, on its result, `then` do.
constexpr Orientation compose(Orientation first, Orientation then) {
  const Reading a = reading(first);
  const Reading b = reading(then);
  // `then` reads the picture between the two. If `first` swaps the axes, the edges that `then`
  // counts from are the other two edges of the source.
  return orientation_of({a.swap_axes != b.swap_axes,
                         a.from_right != (a.swap_axes ? b.from_bottom : b.from_right),
                         a.from_bottom != (a.swap_axes ? b.from_right : b.from_bottom)});
}

/// The orientation that undoes this one.
constexpr Orientation inverse(Orientation orientation) {
  for (Orientation candidate : all_orientations) {
    if (compose(orientation, candidate) == Orientation::identity) return candidate;
  }
  return Orientation::identity;
}

/// Width and height in pixels.
struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;

  friend constexpr bool operator==(Size a, Size b) {
    return a.width == b.width && a.height == b.height;
  }
};

/// A pixel, counted from 0 at the left and at the top.
struct Position {
  std::int64_t x = 0;
  std::int64_t y = 0;

  friend constexpr bool operator==(Position a, Position b) { return a.x == b.x && a.y == b.y; }
};

/// The size of a picture of size `src` once it is turned.
constexpr Size turned_size(Orientation orientation, Size src) {
  return swaps_axes(orientation) ? Size{src.height, src.width} : src;
}

/// The pixel of a source of size `src` that is shown at `dst` once it is turned.
constexpr Position source_of(Orientation orientation, Position dst, Size src) {
  const Reading r = reading(orientation);
  const std::int64_t u = r.swap_axes ? dst.y : dst.x;
  const std::int64_t v = r.swap_axes ? dst.x : dst.y;
  return {r.from_right ? src.width - 1 - u : u, r.from_bottom ? src.height - 1 - v : v};
}

/// Where pixel `pixel` of a source of size `src` is shown once it is turned.
constexpr Position destination_of(Orientation orientation, Position pixel, Size src) {
  return source_of(inverse(orientation), pixel, turned_size(orientation, src));
}

/// "identity", "flop", "rotate180", "flip", "transpose", "rotate90", "transverse", "rotate270".
constexpr std::string_view name(Orientation orientation) {
  constexpr std::array<std::string_view, 8> names{
      "identity", "flop", "rotate180", "flip", "transpose", "rotate90", "transverse", "rotate270"};
  if (!is_valid(orientation)) refuse(orientation);
  return names[static_cast<std::size_t>(orientation) - 1];
}

/// The orientation with that name, or with one of the other accepted names: hflip (flop), vflip
/// (flip), cw (rotate90), ccw (rotate270), anti-transpose (transverse). Lower case only; nothing
/// for any other word.
constexpr std::optional<Orientation> orientation_of_name(std::string_view word) {
  for (Orientation orientation : all_orientations) {
    if (name(orientation) == word) return orientation;
  }
  if (word == "hflip") return Orientation::flop;
  if (word == "vflip") return Orientation::flip;
  if (word == "cw") return Orientation::rotate90;
  if (word == "ccw") return Orientation::rotate270;
  if (word == "anti-transpose") return Orientation::transverse;
  return std::nullopt;
}

}  // namespace qturn

#endif  // QTURN_ORIENTATION_HPP
