// XMP beyond a segment's 64 KiB: one more packet, in several segments, each with the packet's name,
// its length and where the segment's part belongs. The name is the packet's MD5, by which the main
// packet refers to it.
#ifndef QTURN_SRC_JPEG_EXTENDED_XMP_HPP
#define QTURN_SRC_JPEG_EXTENDED_XMP_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/jpeg/markers.hpp"

namespace qturn {

/// What the payloads begin with, and where in them the name, the length and the part begin.
inline constexpr std::string_view extended_xmp_signature{"http://ns.adobe.com/xmp/extension/\0",
                                                         35};
inline constexpr std::size_t extended_xmp_length_at = extended_xmp_signature.size() + 32,
                             extended_xmp_part_at = extended_xmp_length_at + 8;

struct ExtendedXmp {
  std::vector<const JpegSegment*> parts;  ///< of the segments that were read; empty: there is none
  std::string name, packet;
  bool damaged = false;  ///< its parts do not follow each other, or are those of several packets
};
ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_EXTENDED_XMP_HPP
