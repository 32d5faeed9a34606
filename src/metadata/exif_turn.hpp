// What a turn changes in an Exif block, the orientation, the sizes, the resolution, the
// subject's place and the thumbnail, and the proof of it. Everything is patched where it lies.
// MakerNotes hold offsets that nobody else understands, so nothing moves; what needs more room
// is put after the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

/// The Exif block, with or without JPEG's signature, after the turn. `max_bytes` bounds its size.
///
/// A part that is damaged stays as it was, and `warnings` says so; a thumbnail that is damaged is
/// left out. Throws ImageFileError if the orientation can neither be set nor proved missing.
std::vector<std::byte> turn_exif(std::span<const std::byte> block, const MetadataTurn& turn,
                                 MissingTag missing, std::size_t max_bytes,
                                 std::vector<std::string>& warnings);

/// Patches the Exif directory at `at` of the TIFF structure `tiff`: sizes and the subject's place.
void turn_exif_directory(std::span<std::byte> tiff, std::uint64_t at, const MetadataTurn& turn,
                         std::vector<std::string>& warnings);

/// The smallest Exif block, without signature, that holds an orientation.
std::vector<std::byte> minimal_exif(Orientation orientation);

/// Copies the directory at `directory_at` to the end of `data`, adds an orientation to its entries,
/// and makes the offset at `link_at` point there. Throws ImageFileError if the directory is
/// incomplete.
void add_orientation(std::vector<std::byte>& data, std::uint64_t directory_at,
                     std::uint64_t link_at, Orientation orientation);

// The one thing in a MakerNote that depends on a turn and can be found: Olympus states the size of
// the picture there. The note keeps its place and its length.

/// Turns the size in the note of an Olympus or OM camera. Any other note stays as it is.
/// `is_little` is the byte order of the Exif block, which old notes have, too.
void turn_maker_note(std::span<std::byte> note, bool is_little, const MetadataTurn& turn);

// An Exif block after a turn, compared with the one before. A turn patches it where it lies, so
// every byte is as it was but for the few that say something of orientation, size or thumbnail.

/// The thumbnails of both, if each has one that is a JPEG; otherwise empty.
struct ExifThumbnails {
  std::span<const std::byte> before, after;
};

/// Blocks with or without signature. Throws ProofError if another byte has changed. What the
/// changed ones say is for MetadataCheck to tell.
ExifThumbnails prove_exif(std::span<const std::byte> before, std::span<const std::byte> after,
                          const MetadataTurn& turn);

}  // namespace qturn
