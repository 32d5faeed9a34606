// PBM, PGM, PPM, PAM and PFM, read and written here: every sample, the largest value and the scale
// of floats stay as they are.
#ifndef QTURN_SRC_FORMATS_PNM_PNM_HPP
#define QTURN_SRC_FORMATS_PNM_PNM_HPP

#include "src/formats/codec/codec.hpp"

namespace qturn::pnm {

extern const Codec codec;

}  // namespace qturn::pnm

#endif  // QTURN_SRC_FORMATS_PNM_PNM_HPP
