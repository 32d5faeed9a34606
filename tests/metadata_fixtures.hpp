// Orientation metadata, written byte by byte: an Exif block with all that a turn concerns, XMP,
// MPF.
#ifndef QTURN_TESTS_METADATA_FIXTURES_HPP
#define QTURN_TESTS_METADATA_FIXTURES_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qturn::tests {

/// Numbers in one byte order.
struct ByteOrder {
  bool little = false;

  std::string number(std::uint64_t value, int bytes) const {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
      text += static_cast<char>(value >> 8 * (little ? i : bytes - 1 - i) & 0xFF);
    }
    return text;
  }
  std::string u16(std::uint64_t value) const { return number(value, 2); }
  std::string u32(std::uint64_t value) const { return number(value, 4); }
};

/// A directory of a TIFF structure, laid out as: entries, offset of the next, longer values.
struct ExifDirectory {
  struct Entry {
    unsigned tag, type;
    std::uint64_t count;
    std::string value;
  };
  std::vector<Entry> entries;

  void add_short(unsigned tag, unsigned value, ByteOrder order) {
    entries.push_back({tag, 3, 1, order.u16(value)});
  }
  void add_long(unsigned tag, std::uint64_t value, ByteOrder order) {
    entries.push_back({tag, 4, 1, order.u32(value)});
  }
  void add_rational(unsigned tag, unsigned over, unsigned under, ByteOrder order) {
    entries.push_back({tag, 5, 1, order.u32(over) + order.u32(under)});
  }
  void add_text(unsigned tag, std::string text) {
    text += '\0';
    entries.push_back({tag, 2, text.size(), text});
  }

  std::size_t bytes() const {
    std::size_t total = 2 + 12 * entries.size() + 4;
    for (const Entry& entry : entries) {
      if (entry.value.size() > 4) total += entry.value.size() + entry.value.size() % 2;
    }
    return total;
  }

  std::string at(std::size_t offset, std::size_t next, ByteOrder order) const {
    std::string head = order.u16(entries.size()), values;
    const std::size_t values_at = offset + 2 + 12 * entries.size() + 4;
    for (const Entry& entry : entries) {
      head += order.u16(entry.tag) + order.u16(entry.type) + order.u32(entry.count);
      if (entry.value.size() <= 4) {
        head += entry.value + std::string(4 - entry.value.size(), '\0');
      } else {
        head += order.u32(values_at + values.size());
        values += entry.value + std::string(entry.value.size() % 2, '\0');
      }
    }
    return head + order.u32(next) + values;
  }
};

/// What the fixture says; the rest of it (camera, MakerNote, GPS) is the same always.
struct ExifSays {
  bool little = false;
  std::optional<unsigned> orientation = 6;
  unsigned width = 64, height = 48;
  unsigned x_resolution = 300, y_resolution = 72;
  std::vector<unsigned> subject_area = {10, 20, 8, 4};
  std::string thumbnail = {};  ///< a JPEG; empty: no second directory
  unsigned thumbnail_width = 0, thumbnail_height = 0;
  std::optional<unsigned> thumbnail_orientation = {};
};

inline constexpr std::string_view fixture_maker_note = "MakerNote with \x01\xFF offsets of its own";

/// A TIFF structure without JPEG's signature. The thumbnail is its end.
inline std::string exif_fixture(const ExifSays& says) {
  const ByteOrder order{says.little};
  ExifDirectory first, exif, gps, second;
  first.add_text(271, "Camera Maker");
  if (says.orientation) first.add_short(274, *says.orientation, order);
  first.add_rational(282, says.x_resolution, 1, order);
  first.add_rational(283, says.y_resolution, 1, order);
  first.add_short(296, 2, order);
  if (!says.subject_area.empty()) {
    std::string area;
    for (const unsigned value : says.subject_area) area += order.u16(value);
    exif.entries.push_back({0x9214, 3, says.subject_area.size(), area});
  }
  exif.entries.push_back({0x927C, 7, fixture_maker_note.size(), std::string(fixture_maker_note)});
  exif.add_short(0xA002, says.width, order);
  exif.add_long(0xA003, says.height, order);
  gps.entries.push_back({1, 2, 2, std::string("N\0\0\0", 4).substr(0, 2)});
  const std::string degrees =
      order.u32(48) + order.u32(1) + order.u32(8) + order.u32(1) + order.u32(1234) + order.u32(100);
  gps.entries.push_back({2, 5, 3, degrees});

  first.add_long(0x8769, 0, order);
  first.add_long(0x8825, 0, order);
  const std::size_t first_at = 8, exif_at = first_at + first.bytes(),
                    gps_at = exif_at + exif.bytes(), second_at = gps_at + gps.bytes();
  first.entries[first.entries.size() - 2].value = order.u32(exif_at);
  first.entries.back().value = order.u32(gps_at);
  std::string block = (says.little ? "II" : "MM") + order.u16(42) + order.u32(8);
  const bool has_thumbnail = !says.thumbnail.empty();
  block += first.at(first_at, has_thumbnail ? second_at : 0, order);
  block += exif.at(exif_at, 0, order);
  block += gps.at(gps_at, 0, order);
  if (has_thumbnail) {
    second.add_long(256, says.thumbnail_width, order);
    second.add_long(257, says.thumbnail_height, order);
    second.add_short(259, 6, order);
    if (says.thumbnail_orientation) second.add_short(274, *says.thumbnail_orientation, order);
    second.add_rational(282, 72, 1, order);
    second.add_rational(283, 36, 1, order);
    second.add_long(513, 0, order);
    second.add_long(514, says.thumbnail.size(), order);
    second.entries[second.entries.size() - 2].value = order.u32(second_at + second.bytes());
    block += second.at(second_at, 0, order) + says.thumbnail;
  }
  return block;
}

/// A JPEG's segment.
inline std::string jpeg_segment(unsigned char marker, std::string_view payload) {
  const ByteOrder order{false};
  std::string segment = "\xFF";
  segment += static_cast<char>(marker);
  segment += order.u16(payload.size() + 2);
  segment += payload;
  return segment;
}

/// An MPF index of the first picture of a file and others of these sizes and types, at offsets from
/// the index' own header.
inline std::string mpf_payload(const std::vector<std::size_t>& sizes,
                               const std::vector<unsigned>& types,
                               const std::vector<std::size_t>& offsets, ByteOrder order) {
  std::string entries;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    entries += order.u32(types[i]) + order.u32(sizes[i]) + order.u32(offsets[i]) + order.u32(0);
  }
  ExifDirectory index;
  index.entries.push_back({0xB000, 7, 4, "0100"});
  index.add_long(0xB001, sizes.size(), order);
  index.entries.push_back({0xB002, 7, entries.size(), entries});
  return std::string("MPF\0", 4) + (order.little ? "II" : "MM") + order.u16(42) + order.u32(8) +
         index.at(8, 0, order);
}

/// `jpeg` with `segments` and an index after its first marker, and after it `trailing` of these
/// types without gaps.
inline std::string jpeg_with_trailing_pictures(const std::string& jpeg, const std::string& segments,
                                               const std::vector<std::string>& trailing,
                                               const std::vector<unsigned>& types,
                                               ByteOrder order = {true}) {
  const auto build = [&](std::size_t first_bytes) {
    const std::size_t header_at = 2 + segments.size() + 4 + 4;
    std::vector<std::size_t> sizes{first_bytes}, offsets{0};
    std::vector<unsigned> all_types{0x030000};
    std::size_t at = first_bytes - std::min(first_bytes, header_at);
    for (std::size_t i = 0; i < trailing.size(); ++i) {
      sizes.push_back(trailing[i].size());
      offsets.push_back(at);
      all_types.push_back(types[i]);
      at += trailing[i].size();
    }
    return std::string(jpeg).insert(
        2, segments + jpeg_segment(0xE2, mpf_payload(sizes, all_types, offsets, order)));
  };
  std::string file = build(build(0).size());
  for (const std::string& each : trailing) file += each;
  return file;
}

/// An XMP packet around properties, with the padding that packets have.
inline std::string xmp_packet_with(std::string_view attributes, std::string_view elements = {},
                                   std::size_t padding = 200) {
  std::string packet =
      "<?xpacket begin='\xEF\xBB\xBF' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'>\n"
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n"
      "<rdf:Description rdf:about=''\n"
      "  xmlns:tiff='http://ns.adobe.com/tiff/1.0/'\n"
      "  xmlns:exif='http://ns.adobe.com/exif/1.0/'\n"
      "  xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/'\n"
      "  xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'\n"
      "  xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#'\n"
      "  xmlns:MP='http://ns.microsoft.com/photo/1.2/'\n"
      "  xmlns:MPRI='http://ns.microsoft.com/photo/1.2/t/RegionInfo#'\n"
      "  xmlns:MPReg='http://ns.microsoft.com/photo/1.2/t/Region#'\n"
      "  xmlns:xmpNote='http://ns.adobe.com/xmp/note/'\n"
      "  xmlns:Container='http://ns.google.com/photos/1.0/container/'\n"
      "  xmlns:Item='http://ns.google.com/photos/1.0/container/item/'\n  ";
  packet += attributes;
  packet += ">\n";
  packet += elements;
  packet += "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n";
  packet += std::string(padding, ' ');
  return packet + "<?xpacket end='w'?>";
}

/// mwg-rs and MP regions of one face: centre 0.25, 0.4, size 0.1 x 0.2 (so corner 0.2, 0.3).
inline std::string face_regions(std::string_view width, std::string_view height) {
  std::string text =
      "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions stDim:w='";
  text += width;
  text += "' stDim:h='";
  text += height;
  text +=
      "' stDim:unit='pixel'/><mwg-rs:RegionList><rdf:Bag>"
      "<rdf:li><rdf:Description mwg-rs:Name='Ada' mwg-rs:Type='Face'>"
      "<mwg-rs:Area stArea:x='0.25' stArea:y='0.4' stArea:w='0.1' stArea:h='0.20' "
      "stArea:unit='normalized'/></rdf:Description></rdf:li>"
      "</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>\n"
      "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag>"
      "<rdf:li MPReg:PersonDisplayName='Ada' MPReg:Rectangle='0.2, 0.3, 0.1, 0.20'/>"
      "</rdf:Bag></MPRI:Regions></MP:RegionInfo>\n";
  return text;
}

/// A lossless WebP of 3 x 2 pixels, red, green, blue over yellow, cyan, magenta, as Pillow 13
/// writes it: the pixels' chunk alone.
inline const std::string small_webp(
    "RIFF\x34\0\0\0WEBPVP8L\x28\0\0\0\x2f\x02\x40\0\0\x2f\x20\x10\x48\xda\x1f\x7a\x8d\xf9\x17"
    "\x10\x14\xf9\x3f\xda\xfc\x07\x1f\x44\x02\x83\x42\xb6\x11\xe0\xd0\xbd\x04\xa7\x70\x11\xfd\x8f"
    "\x63\x05",
    60);

/// A lossy WebP of 64 x 48 pixels of one colour, as Pillow 13 writes it: the pixels' chunk alone.
inline const std::string plain_webp(
    "RIFF\x40\0\0\0WEBPVP8 \x34\0\0\0\x70\x03\0\x9d\x01\x2a\x40\0\x30\0\x3f\xcd\xe6\xef\x71\xbf"
    "\xb8\x32\xac\x22\xa8\x03\xf0\x39\x89\x69\0\xd4\x50\x08\x1f\x4c\x63\x87\xc1\x98\0\xfe\x97\x11"
    "\x1b\x39\x0c\x57\x97\x8b\xf8\x32\x98\0\0\0",
    72);

}  // namespace qturn::tests

#endif  // QTURN_TESTS_METADATA_FIXTURES_HPP
