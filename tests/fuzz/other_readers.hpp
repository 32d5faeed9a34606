// Pictures as the libraries of their formats read them. A damaged file that Quarterturn takes in
// silence is a fault, and so are other pixels.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {

struct OtherReading {
  std::string complaint;     ///< the library's error; empty: there was none
  std::vector<Bytes> pages;  ///< as decode() has them; empty ones cannot be compared
};
using ReadByOther = OtherReading(Input file);

/// Each frame's indices.
ReadByOther read_by_giflib;
/// The picture, without the frames of an animation.
ReadByOther read_by_libpng;
/// The pages whose strips are rows of whole bytes; others are read and not compared.
ReadByOther read_by_libtiff;

}  // namespace qturn::fuzz
