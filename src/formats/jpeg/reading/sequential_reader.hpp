// The coefficients of a sequential picture, read faster than by libjpeg.
//
// Nearly all JPEGs are one scan of all components, coded with Huffman tables. This reads them if
// they are regular. libjpeg reads everything else: other kinds of coding, and each irregularity of
// the data, be it damage or not. So libjpeg alone decides what becomes of a damaged file, and what
// is said about it.
#pragma once

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"

namespace qturn::jpeg {

/// Reads the file whose header `decoder` has read to its end, its coefficients into `blocks`. They
/// are those that jpeg_read_coefficients() would give, without a warning; blocks that only fill
/// the last MCUs may have other contents. `decoder` is then ready for describe().
///
/// Returns false where libjpeg is to read the file. Nothing but the contents of `blocks` has
/// changed then. Throws Interrupted when the decoder's stop flag is raised.
bool read_sequential(JpegDecoder& decoder, JpegBlocks& blocks);

}  // namespace qturn::jpeg
