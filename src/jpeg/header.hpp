// What a JPEG's header tells, and which JPEGs are refused for it.
#ifndef QTURN_SRC_JPEG_HEADER_HPP
#define QTURN_SRC_JPEG_HEADER_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/jpeg/route.hpp"
#include "src/jpeg/session.hpp"

namespace qturn {

/// Throws ImageFileError for what is not supported, and for headers that no file of this size can
/// fulfil.
void check_header(const jpeg_decompress_struct& info, std::size_t file_bytes);

JpegShape shape_of(const jpeg_decompress_struct& info);

/// The shape of a JPEG file. Throws as read_jpeg_header.
JpegShape read_jpeg_shape(std::span<const std::byte> file);

/// Bytes of the coefficients of the whole picture.
std::uint64_t coefficient_bytes(const jpeg_decompress_struct& info);

/// Adds what libjpeg found peculiar, and harmless.
void add_notes(const JpegDecoder& decoder, std::vector<std::string>& warnings);

/// What is behind the end of the picture, once `decoder` has read it.
std::span<const std::byte> rest_of(const JpegDecoder& decoder);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_HEADER_HPP
