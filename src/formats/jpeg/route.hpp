// How a JPEG that stays a JPEG is turned: a pure function of its header, the turn and the options.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <vector>

namespace qturn::jpeg {

/// A picture's size and its components' sampling factors.
struct JpegShape {
  struct Component {
    int h = 1, v = 1;
  };
  Size size;
  std::vector<Component> components;
};

/// The picture without the columns and rows that `orientation` would bring to the left or upper
/// edge and that do not fill a block of each component. The turn is exact if this is the whole
/// size.
Size whole_blocks(const JpegShape& shape, Orientation orientation);

/// How `orientation` (not identity) is applied; none where it is refused.
Route jpeg_route(const JpegShape& shape, Orientation orientation, const JpegOptions& options);

}  // namespace qturn::jpeg
