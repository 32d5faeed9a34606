// The rows of all formats, by name.
#ifndef QTURN_TESTS_EVERY_CODEC_HPP
#define QTURN_TESTS_EVERY_CODEC_HPP

#include "src/formats/bmp/codec.hpp"
#include "src/formats/gif/codec.hpp"
#include "src/formats/hdr/codec.hpp"
#include "src/formats/heif/codec.hpp"
#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jxl/codec.hpp"
#include "src/formats/openexr/codec.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/pnm/pnm.hpp"
#include "src/formats/raw/codec.hpp"
#include "src/formats/table.hpp"
#include "src/formats/tga/codec.hpp"
#include "src/formats/tiff/codec.hpp"
#include "src/formats/webp/codec.hpp"

#endif  // QTURN_TESTS_EVERY_CODEC_HPP
