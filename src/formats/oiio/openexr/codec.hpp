// OpenEXR, through OpenImageIO, which knows its compressions.
//
// OpenImageIO moves the pixels. What it would change on the way is turned off or corrected here: it
// adds the time of writing and the name of a colour space, leaves out attributes of types that it
// does not know, and does not notice that blocks of pixels are missing.
#pragma once

#include "src/formats/oiio/module.hpp"

namespace qturn::openexr {

extern const oiio::ModuleRow row;

}  // namespace qturn::openexr
