// What happened to a picture, as far as its orientation metadata is concerned: every place in a
// file that states the orientation or depends on it.
//
// Two frames matter. Most places (sizes, resolutions, Exif's subject area) describe the pixels as
// they are stored. Some describe the picture as it is seen, with the tag honoured: a
// thumbnail that somebody turned upright without changing the tag. The first kind is turned like
// the pixels, the second kind like the view.
#pragma once

#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

/// Turns a JPEG that lies inside another file, a thumbnail or a preview, its markers kept. Throws
/// ImageFileError if it is damaged.
using TurnEmbedded = std::function<Bytes(std::span<const std::byte>, Orientation orientation)>;

/// Whether a missing orientation is added. A missing orientation means 1.
enum class MissingTag : bool { stays_absent, is_added };

/// A picture as it is stored, as far as its labels depend on that.
struct StoredPicture {
  Orientation orientation = Orientation::identity;
  Size size = {};
};

struct MetadataTurn {
  Orientation stored = Orientation::identity;  ///< what the tag said
  Orientation pixels = Orientation::identity;  ///< what was done to the stored pixels
  Orientation tag = Orientation::identity;     ///< the new value of the tag
  Size size = {};                              ///< of the pixels as they are stored now
  TurnEmbedded turn_embedded = {};             ///< for thumbnails and previews
  Size untrimmed = {};  ///< as stored before, if something was trimmed off the right or lower edge

  /// Whether the picture was upright and is left as it was.
  bool leaves_upright() const {
    return stored == Orientation::identity && pixels == Orientation::identity &&
           tag == Orientation::identity;
  }
  /// What became of the picture as a viewer shows it.
  Orientation view() const { return compose(inverse(stored), compose(pixels, tag)); }
  /// The size, before the turn, of the pixels that are left.
  Size old_size() const { return turned_size(inverse(pixels), size); }
  StoredPicture before() const { return {stored, old_size()}; }
  /// The size of the picture before, with what was trimmed off it.
  Size whole_size() const { return untrimmed == Size{} ? old_size() : untrimmed; }

  /// Where a stored pixel lies now; for a pixel that was trimmed off, where its nearest neighbour
  /// lies.
  Position moved(Position pixel) const;
  bool trims(Position pixel) const;

  /// Whether this size has the shape of the upright picture, and the stored pixels have another.
  bool is_upright_shape(Size other) const;

  /// How to turn another picture in the file with this size: like the pixels, unless it is upright.
  Orientation turn_of(Size other) const { return is_upright_shape(other) ? view() : pixels; }
};

inline Position MetadataTurn::moved(Position pixel) const {
  const Size old = old_size();
  return destination_of(pixels,
                        {std::min(pixel.x, old.width - 1), std::min(pixel.y, old.height - 1)}, old);
}

inline bool MetadataTurn::trims(Position pixel) const {
  return pixel.x >= old_size().width || pixel.y >= old_size().height;
}

inline bool MetadataTurn::is_upright_shape(Size other) const {
  const Size old = whole_size();
  return swaps_axes(stored) && old.width != old.height && other.width != other.height &&
         (other.width > other.height) != (old.width > old.height);
}

}  // namespace qturn
