// NumPy's arrays (.npy): masks, depth maps and the like, of 2 axes (rows, columns) or 3 (and the
// values of a pixel). A pixel is bytes, whatever its type is. Of the header only the two numbers
// change places, so that its length and its padding stay.
//
//   '\x93NUMPY', version, length, "{'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }"
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::npy {

extern const Codec codec;

}  // namespace qturn::npy
