// What is done with a JPEG that stays one: a pure function of its header, the turn and the options.
#ifndef QTURN_SRC_JPEG_ROUTE_HPP
#define QTURN_SRC_JPEG_ROUTE_HPP

#include <qturn/orientation.hpp>

#include <cstdint>
#include <vector>

namespace qturn {

/// --jpeg. `fastest` is planar, done by whatever has nothing else to do.
enum class JpegMode : std::uint8_t { lossless, planar, fastest };

/// --jpeg-edges: what is done where a lossless turn is not exact.
enum class JpegEdges : std::uint8_t { reencode, trim, tag, skip, fail };

struct JpegOptions {
  JpegMode mode = JpegMode::lossless;
  JpegEdges edges = JpegEdges::reencode;
};

/// A picture's size and its components' sampling factors.
struct JpegShape {
  struct Component {
    int h = 1, v = 1;
  };
  Size size;
  std::vector<Component> components;
};

/// The picture without the columns and rows that `orientation` would bring to the left or upper
/// edge and that do not fill a block of each component. Exact is the turn if this is the size.
Size whole_blocks(const JpegShape& shape, Orientation orientation);

enum class JpegRoute : std::uint8_t { lossless, planar, trim, tag, skip, fail };

/// How `orientation` (not identity) is applied.
JpegRoute jpeg_route(const JpegShape& shape, Orientation orientation, const JpegOptions& options);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_ROUTE_HPP
