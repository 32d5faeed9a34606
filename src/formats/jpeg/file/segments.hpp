// The segments of a JPEG's header, read without decoding: what kind of JPEG it is, and where its
// metadata lies in the file.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/jpeg/src/markers.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::jpeg {

/// What APPn payloads begin with.
inline constexpr std::string_view xmp_signature{"http://ns.adobe.com/xap/1.0/\0", 29};
inline constexpr std::string_view icc_signature{"ICC_PROFILE\0", 12};
inline constexpr std::string_view mpf_signature{"MPF\0", 4};

/// The segments between the start of the file and its first scan, in order.
///
/// Throws ImageFileError when this is not a JPEG or its header is cut, and for the kinds of JPEG
/// that are not supported, by name: arithmetic coding, lossless, hierarchical, 12 bits.
std::vector<JpegSegment> jpeg_header_segments(std::span<const std::byte> file);

/// The same by `markers`, which are at the start of `file` and then after the header of its first
/// scan. Returns that.
JpegSegment jpeg_header_segments(std::span<const std::byte> file, JpegMarkers& markers,
                                 std::vector<JpegSegment>& segments);

/// Whether the segment is an Exif block, an XMP packet, or an index of several pictures.
bool is_exif(const JpegSegment& segment);
bool is_xmp(const JpegSegment& segment);
bool is_manifest(const JpegSegment& segment);  ///< a signed one (C2PA)
bool is_mpf(const JpegSegment& segment);

/// The packet of a segment that is XMP.
std::string_view xmp_packet(const JpegSegment& segment);

/// The orientation of the first Exif block, which is the one that readers look at. Throws
/// ImageFileError if that cannot be told.
Orientation orientation_in(const std::vector<JpegSegment>& segments);

}  // namespace qturn::jpeg
