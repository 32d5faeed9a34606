// What a JPEG's header tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {

JpegShape shape_of(const jpeg_decompress_struct& info);

/// The bytes that all coefficients of the picture take in memory.
std::uint64_t jpeg_coefficient_bytes(const jpeg_decompress_struct& info);

/// The header that read_jpeg_header() reads. Throws where the orientation cannot be told.
Header header_of(const JpegDecoder& decoder);

/// Adds what libjpeg found peculiar, and harmless.
void add_notes(const JpegDecoder& decoder, std::vector<std::string>& warnings);

}  // namespace qturn::jpeg
