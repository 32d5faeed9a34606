// The last step of turning a JPEG: everything in the file that says how it is oriented, or depends
// on it, is made to agree with its pixels. Exif and XMP, JFIF's density and thumbnails, and the
// pictures after the first one (previews, a gain map) with the places that point to them. Every
// other byte of the markers stays, in order.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn::jpeg {

/// Finishes a JPEG that was turned.
///
/// `turned` has the markers of `source` as they were, its pixels after `applied`, and ends with the
/// picture; `size` is its size, perhaps without what was trimmed off the right or lower edge.
/// `turn_embedded` turns thumbnails, `turn_following` the pictures that follow. What follows the
/// picture in `source` follows it again; known pictures are turned. The result is tagged upright.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when the
/// orientation can neither be set nor proved absent, and for what cannot be turned along, by name.
FileBytes finish_jpeg(const JpegFile& source, FileBytes turned, Orientation applied, Size size,
                      const TurnEmbedded& turn_embedded, const TurnEmbedded& turn_following,
                      std::vector<std::string>& warnings);

/// JFIF's segment, or its extension (JFXX), as it is after the turn. A thumbnail that is a JPEG
/// stays.
Bytes turned_jfif(std::span<const std::byte> segment, Orientation applied);

/// The thumbnail in such an extension that is a JPEG; empty if there is none.
std::span<const std::byte> jfif_thumbnail(std::span<const std::byte> segment);

/// The same JPEG with another orientation everywhere, none of its pixels touched; `turn_embedded`
/// is for a thumbnail that was upright beside a picture that was not. Where the file has no
/// orientation and `missing` asks for it, Exif with one is added.
std::vector<std::byte> retag_jpeg(std::span<const std::byte> file, Orientation tag,
                                  MissingTag missing, const TurnEmbedded& turn_embedded,
                                  std::vector<std::string>& warnings);

}  // namespace qturn::jpeg
