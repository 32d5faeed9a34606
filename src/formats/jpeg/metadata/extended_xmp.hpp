// XMP beyond the 64 KiB of a segment: one more packet in several segments. Each has the name of the
// packet, its length and the place of the segment's part. The name is the packet's MD5, by which
// the main packet refers to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/jpeg/file/jpeg_file.hpp"

namespace qturn::jpeg {

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

}  // namespace qturn::jpeg
