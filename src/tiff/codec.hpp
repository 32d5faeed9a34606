// TIFF in the form it is stored in: bits, photometric interpretation, compression, predictor, order
// of bits and bytes, strips or tiles, planes, BigTIFF, pages, and every field stay.
//
// Directories are read and written here (directories.hpp); libtiff decodes and encodes the strips
// and tiles between (library.hpp), and OpenImageIO turns a TIFF into other formats.
#ifndef QTURN_SRC_TIFF_CODEC_HPP
#define QTURN_SRC_TIFF_CODEC_HPP

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"
#include "src/tiff/directories.hpp"

namespace qturn {

/// The orientation that all pages are stored in. Throws ImageFileError where they differ.
Orientation tiff_orientation(const TiffFile& tiff);

/// As read_header.
Header read_tiff_header(std::span<const std::byte> file);

/// As decode, for a TIFF that stays one: pages, each with its pictures in sub-directories behind
/// it, have the samples that the file stores, in pixels of whole bytes.
Image decode_tiff(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// Whether the picture comes from decode_tiff.
bool is_stored_tiff(const Image& image);

/// As encode, of a picture from decode_tiff. `warnings` says what could not be stored as it was.
Bytes encode_tiff(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_CODEC_HPP
