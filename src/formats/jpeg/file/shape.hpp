// The shape of a JPEG: all of its header that decides what can be done with it.
#ifndef QTURN_SRC_FORMATS_JPEG_FILE_SHAPE_HPP
#define QTURN_SRC_FORMATS_JPEG_FILE_SHAPE_HPP

#include <qturn/orientation.hpp>

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

}  // namespace qturn::jpeg

#endif  // QTURN_SRC_FORMATS_JPEG_FILE_SHAPE_HPP
