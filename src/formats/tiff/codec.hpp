// TIFF. One that stays a TIFF keeps the form it is stored in: bits, photometric interpretation,
// compression, predictor, order of bits and bytes, strips or tiles, planes, BigTIFF, pages, and
// every field. Another format gets what a viewer shows of it.
//
// Directories are read and written here (directories.hpp); libtiff decodes and encodes the strips
// and tiles between (library.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/layout.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::tiff {

/// Implements Codec::parts.
std::vector<FilePart> tiff_parts(std::span<const std::byte> file, Orientation applied);

/// Implements Codec::read_header.
Header read_tiff_header(std::span<const std::byte> file,
                        MissingPixels missing = MissingPixels::are_damage);

/// Implements Codec::decode for Samples::as_stored: pages, each with its pictures in
/// sub-directories after it, have the samples that the file stores, in pixels of whole bytes.
Image decode_tiff(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings, Inflater inflater = Inflater::zlib);

/// Implements Codec::decode for another format: pages have grey or colours, and alpha, as a viewer
/// shows them. If missing pixels are left out: as Codec::salvage.
Image decode_shown_tiff(std::span<const std::byte> file, PixelArena& arena,
                        const std::atomic<bool>& stop, std::vector<std::string>& warnings,
                        MissingPixels missing = MissingPixels::are_damage);

/// Whether the picture comes from decode_tiff.
bool is_stored_tiff(const Image& image);

/// Implements Codec::encode for a picture from decode_tiff. `warnings` says what could not be
/// stored as it was.
Bytes encode_tiff(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// Implements Codec::encode for a picture from another format that fits into a TIFF.
Bytes encode_plain_tiff(const Image& turned, const std::atomic<bool>& stop,
                        std::vector<std::string>& warnings);

}  // namespace qturn::tiff
