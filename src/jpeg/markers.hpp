// The segments of a JPEG's header, read without decoding: what kind of JPEG it is, and where its
// metadata lies in the file.
#ifndef QTURN_SRC_JPEG_MARKERS_HPP
#define QTURN_SRC_JPEG_MARKERS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "src/formats/codec.hpp"

namespace qturn {

/// What APPn payloads begin with.
inline constexpr std::string_view xmp_signature{"http://ns.adobe.com/xap/1.0/\0", 29};
inline constexpr std::string_view icc_signature{"ICC_PROFILE\0", 12};
inline constexpr std::string_view mpf_signature{"MPF\0", 4};

struct JpegSegment {
  unsigned char marker = 0;            ///< 0xE1 is APP1
  std::size_t offset = 0;              ///< of the payload in the file
  std::span<const std::byte> payload;  ///< without marker and length
};

/// The segments between the start of the file and its first scan, in order.
///
/// Throws ImageFileError when the header is cut or is none, and for the kinds of JPEG that are not
/// supported, by name: arithmetic coding, lossless, hierarchical, 12 bits.
std::vector<JpegSegment> jpeg_header_segments(std::span<const std::byte> file);

/// Where the picture ends: behind its end-of-image marker, or with the file if it has none. What
/// may follow (previews, a gain map, a video) is not part of it.
std::size_t jpeg_end(std::span<const std::byte> file);

/// Whether the segment is an Exif block, an XMP packet, or an index of several pictures.
bool is_exif(const JpegSegment& segment);
bool is_xmp(const JpegSegment& segment);
bool is_mpf(const JpegSegment& segment);

/// The packet of a segment that is XMP.
std::string_view xmp_packet(const JpegSegment& segment);

/// The orientation of the first Exif block, which is the one that readers look at. Throws
/// ImageFileError where that cannot be told.
Orientation orientation_in(const std::vector<JpegSegment>& segments);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_MARKERS_HPP
