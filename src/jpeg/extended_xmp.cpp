#include "src/jpeg/extended_xmp.hpp"

#include <cstdint>

namespace qturn {
namespace {

constexpr unsigned char app1 = 0xE1;

std::size_t be32(std::string_view bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

}  // namespace

ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments) {
  ExtendedXmp extended;
  for (const JpegSegment& segment : segments) {
    const std::string_view text{reinterpret_cast<const char*>(segment.payload.data()),
                                segment.payload.size()};
    if (segment.marker != app1 || !text.starts_with(extended_xmp_signature) ||
        text.size() < extended_xmp_part_at) {
      continue;
    }
    const std::string_view name = text.substr(
        extended_xmp_signature.size(), extended_xmp_length_at - extended_xmp_signature.size());
    if (extended.parts.empty()) extended.name = name;
    extended.damaged |=
        name != extended.name || be32(text, extended_xmp_length_at + 4) != extended.packet.size();
    extended.packet += text.substr(extended_xmp_part_at);
    extended.parts.push_back(&segment);
  }
  return extended;
}

}  // namespace qturn
