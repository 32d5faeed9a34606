// The last step of turning a JPEG: everything in the file that says how it is oriented, or depends
// on it, is made to agree with its pixels. Exif and XMP, JFIF's density and thumbnails, and the
// pictures after the first one (previews, a gain map) with the places that point to them. Every
// other byte of the markers stays, in order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {

// XMP beyond the 64 KiB of a segment: one more packet in several segments. Each has the name of the
// packet, its length and the place of the segment's part. The name is the packet's MD5, by which
// the main packet refers to it.

/// The MD5 sum (RFC 1321) of `data` as 32 hexadecimal digits in capitals. It is not used for
/// security.
std::string md5(std::string_view data);

/// The beginning of the payloads, and where the name, the length and the part begin in them.
inline constexpr std::string_view extended_xmp_signature{"http://ns.adobe.com/xmp/extension/\0",
                                                         35};
inline constexpr std::size_t extended_xmp_length_at = extended_xmp_signature.size() + 32,
                             extended_xmp_part_at = extended_xmp_length_at + 8;

struct ExtendedXmp {
  std::vector<const JpegSegment*> parts;  ///< of the segments that were read; empty: there is none
  std::string name, packet;
  bool damaged = false;  ///< its parts do not follow each other, or belong to several packets
};
ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments);

/// The resources of Photoshop, which may go on in the next segment.
struct PhotoshopResources {
  std::vector<const JpegSegment*> parts;  ///< of the segments that were read
  Bytes whole;
};
PhotoshopResources photoshop_resources(const std::vector<JpegSegment>& segments);
bool is_photoshop(const JpegSegment& segment);

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

/// The JPEG thumbnail in an extension of JFIF; empty if there is none.
std::span<const std::byte> jfif_thumbnail(std::span<const std::byte> segment);

/// The same JPEG with another orientation everywhere, none of its pixels touched; `turn_embedded`
/// is for a thumbnail that was upright beside a picture that was not. Where the file has no
/// orientation and `missing` asks for it, Exif with one is added.
std::vector<std::byte> retag_jpeg(std::span<const std::byte> file, Orientation tag,
                                  MissingTag missing, const TurnEmbedded& turn_embedded,
                                  std::vector<std::string>& warnings);

/// Adds what the segments hold that a turn does not keep true, and what no table knows.
void look_at_segments(const std::vector<JpegSegment>& segments, Header& header);

}  // namespace qturn::jpeg
