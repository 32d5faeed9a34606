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

  /// What became of the picture as a viewer shows it.
  Orientation view() const { return compose(inverse(stored), compose(pixels, tag)); }
  /// The size that the pixels had. (What was trimmed off them lay at their right or lower edge.)
  Size old_size() const { return turned_size(inverse(pixels), size); }

  /// What turns a second picture in the file of this size: like the pixels, unless it is of the
  /// other shape than they were, which only the upright picture has.
  Orientation turn_of(Size other) const;
};

inline Orientation CarrierTurn::turn_of(Size other) const {
  const Size old = old_size();
  const bool upright_shape = swaps_axes(stored) && old.width != old.height &&
                             other.width != other.height &&
                             (other.width > other.height) != (old.width > old.height);
  return upright_shape ? view() : pixels;
}

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_TURN_HPP
