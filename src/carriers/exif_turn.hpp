// What a turn changes in an Exif block: the orientation, the sizes, the resolution, the subject's
// place and the thumbnail. All is patched where it lies. MakerNotes hold offsets that nobody else
// understands, so nothing moves; what needs more room is put behind the end.
#ifndef QTURN_SRC_CARRIERS_EXIF_TURN_HPP
#define QTURN_SRC_CARRIERS_EXIF_TURN_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/turn.hpp"

namespace qturn {

/// Whether an orientation that is missing is added. The tag 1 is what a missing one means.
enum class MissingTag : bool { stays_absent, is_added };

/// The Exif block, with or without JPEG's signature, after the turn. `max_bytes` bounds its size.
///
/// A part that is damaged stays as it was, and `warnings` says so; a thumbnail that is damaged is
/// left out. Throws ImageFileError when the orientation can neither be set nor proved absent.
std::vector<std::byte> turn_exif(std::span<const std::byte> block, const CarrierTurn& turn,
                                 MissingTag missing, std::size_t max_bytes,
                                 std::vector<std::string>& warnings);

/// Patches the Exif directory at `at` of the TIFF structure `tiff`: sizes and the subject's place.
void turn_exif_directory(std::span<std::byte> tiff, std::uint64_t at, const CarrierTurn& turn,
                         std::vector<std::string>& warnings);

/// The smallest Exif block, without signature, that holds an orientation.
std::vector<std::byte> minimal_exif(Orientation orientation);

/// The directory at `directory_at` copied behind the end of `data`, with an orientation among its
/// entries, and the offset at `link_at` led there. Throws ImageFileError if the directory is not whole.
void add_orientation(std::vector<std::byte>& data, std::uint64_t directory_at,
                     std::uint64_t link_at, Orientation orientation);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_EXIF_TURN_HPP
