#include "src/formats/jpeg/metadata/extended_xmp.hpp"

#include "src/picture/bytes.hpp"

namespace qturn::jpeg {

ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments) {
  ExtendedXmp extended;
  for (const JpegSegment& segment : segments) {
    const std::string_view text = text_of(segment.payload);
    if (segment.marker != jpeg_marker::app1 || !text.starts_with(extended_xmp_signature) ||
        text.size() < extended_xmp_part_at) {
      continue;
    }
    const std::string_view name = text.substr(
        extended_xmp_signature.size(), extended_xmp_length_at - extended_xmp_signature.size());
    if (extended.parts.empty()) extended.name = name;
    extended.damaged |=
        name != extended.name ||
        big_endian(segment.payload, extended_xmp_length_at + 4, 4) != extended.packet.size();
    extended.packet += text.substr(extended_xmp_part_at);
    extended.parts.push_back(&segment);
  }
  return extended;
}

}  // namespace qturn::jpeg
