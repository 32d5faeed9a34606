// PBM, PGM, PPM, PAM and PFM, read and written here: every sample, the largest value and the scale
// of floats stay as they are.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::pnm {

extern const Codec codec;

}  // namespace qturn::pnm
