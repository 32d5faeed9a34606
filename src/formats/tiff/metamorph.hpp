// What MetaMorph, a program for microscopes, writes beside the pixels of a TIFF: four fields,
// longer than their counts say. The first one holds pairs of an identifier and a number or the
// place of a value in the file. So all of it stays where it is (TiffFixedBytes).
//
// No specification is public; tifffile and Bio-Formats read them so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/formats/tiff/directories.hpp"

namespace qturn::tiff {

inline constexpr std::uint16_t uic1_tag = 33628;

bool is_metamorph(std::uint16_t tag);

/// Bytes of a value of MetaMorph's: 8 of each pair of the first field, 24 of each plane of the
/// second, both more than their types say.
std::uint64_t metamorph_bytes(std::uint16_t tag, std::uint16_t type, std::uint64_t count,
                              std::uint64_t bytes_by_type);

/// How many pictures the directory stands for; all but the first follow without one. 0: it is not
/// MetaMorph's.
std::uint64_t metamorph_planes(const TiffDirectory& page);

/// Whether it may say where on the stage the picture was taken.
bool has_stage_position(const TiffDirectory& page);

/// Exchanges the sizes of a pixel along both axes in the value of the first field.
void exchange_calibration(std::span<std::byte> pairs);

}  // namespace qturn::tiff
