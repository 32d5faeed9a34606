// What happened to a picture, as far as its carriers are concerned: the places in a file that say
// how it is oriented, or that depend on it.
//
// Two frames matter. Most carriers (sizes, resolutions, Exif's subject area) describe the pixels as
// they are stored. Some describe the picture as it is seen, with the tag honoured: a thumbnail that
// somebody turned upright and left the tag alone. A carrier of the first kind is turned like the
// pixels, one of the second kind like the view.
#ifndef QTURN_SRC_CARRIERS_TURN_HPP
#define QTURN_SRC_CARRIERS_TURN_HPP

#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace qturn {

/// Turns a whole JPEG, its markers kept. Throws ImageFileError where it is damaged.
using TurnJpeg =
    std::function<std::vector<std::byte>(std::span<const std::byte>, Orientation orientation)>;

struct CarrierTurn {
  Orientation stored = Orientation::identity;  ///< what the tag said
  Orientation pixels = Orientation::identity;  ///< what was done to the stored pixels
  Orientation tag = Orientation::identity;     ///< what the tag is to say
  Size size = {};                              ///< of the pixels as they are stored now
  TurnJpeg turn_jpeg = {};                     ///< for thumbnails and previews
  Size untrimmed = {};  ///< as stored before, if something was trimmed off the right or lower edge

  /// What became of the picture as a viewer shows it.
  Orientation view() const { return compose(inverse(stored), compose(pixels, tag)); }
  /// The size that the pixels which are left had before they were turned.
  Size old_size() const { return turned_size(inverse(pixels), size); }
  /// The size of the picture before, with what was trimmed off it.
  Size whole_size() const { return untrimmed == Size{} ? old_size() : untrimmed; }

  /// Where a stored pixel lies now; for one that was trimmed off, where its nearest neighbour does.
  Position moved(Position pixel) const;
  bool trims(Position pixel) const;

  /// Whether something of this size has the other shape than the pixels had, which only the upright
  /// picture has.
  bool is_upright_shape(Size other) const;

  /// What turns a second picture in the file of this size: like the pixels, unless it is upright.
  Orientation turn_of(Size other) const { return is_upright_shape(other) ? view() : pixels; }
};

inline Position CarrierTurn::moved(Position pixel) const {
  const Size old = old_size();
  return destination_of(pixels,
                        {std::min(pixel.x, old.width - 1), std::min(pixel.y, old.height - 1)}, old);
}

inline bool CarrierTurn::trims(Position pixel) const {
  return pixel.x >= old_size().width || pixel.y >= old_size().height;
}

inline bool CarrierTurn::is_upright_shape(Size other) const {
  const Size old = whole_size();
  return swaps_axes(stored) && old.width != old.height && other.width != other.height &&
         (other.width > other.height) != (old.width > old.height);
}

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_TURN_HPP
