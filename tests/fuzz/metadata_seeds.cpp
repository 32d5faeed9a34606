// Writes those seeds of metadata_fuzz that are made of whole pictures. metadata_seeds FOLDER
#include <filesystem>
#include <fstream>
#include <string>

#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace {

using namespace qturn::tests;
using std::string_literals::operator""s;

std::string jpeg(int width, int height, J_COLOR_SPACE space, int steps = 1) {
  return std::string(text_of(
      make_jpeg({.width = width, .height = height, .space = space, .h = steps, .v = steps})));
}

// A thumbnail of RGB in two strips, big-endian.
std::string exif_with_strips() {
  const ByteOrder order{false};
  ExifDirectory first, second;
  first.add_short(274, 6, order);
  second.add_long(256, 4, order);
  second.add_long(257, 2, order);
  second.add_short(259, 1, order);
  second.add_short(262, 2, order);
  const std::size_t second_at = 8 + first.bytes(), entries = 7,
                    strips_at = second_at + 2 + 12 * entries + 4 + 16;
  second.entries.push_back({273, 4, 2, order.u32(strips_at) + order.u32(strips_at + 12)});
  second.add_short(278, 1, order);
  second.entries.push_back({279, 4, 2, order.u32(12) + order.u32(12)});
  return "MM" + order.u16(42) + order.u32(8) + first.at(8, second_at, order) +
         second.at(second_at, 0, order) + "red.green.blue.and.so.on";
}

// With a thumbnail, extended XMP, a preview and a gain map, of a size that trims both edges'
// blocks.
std::string jpeg_with_all() {
  const std::string map = jpeg(32, 28, JCS_GRAYSCALE), preview = jpeg(16, 14, JCS_GRAYSCALE);
  const std::string extended = xmp_packet_with("tiff:ImageWidth='64'", face_regions("64", "56"), 0);
  const std::string name = qturn::jpeg::md5(extended);
  const std::string container =
      "<Container:Directory><rdf:Seq><rdf:li><Container:Item Item:Semantic='Primary'/></rdf:li>"
      "<rdf:li><Container:Item Item:Semantic='Preview' Item:Mime='image/jpeg' Item:Length='" +
      std::to_string(preview.size()) +
      "'/></rdf:li><rdf:li><Container:Item Item:Semantic='GainMap' Item:Mime='image/jpeg' "
      "Item:Length='" +
      std::to_string(map.size()) + "'/></rdf:li></rdf:Seq></Container:Directory>";
  const ByteOrder order{false};
  const std::string segments =
      exif_segment({.height = 56,
                    .thumbnail = jpeg(16, 14, JCS_GRAYSCALE),
                    .thumbnail_width = 16,
                    .thumbnail_height = 14}) +
      xmp_segment(xmp_packet_with("xmpNote:HasExtendedXMP='" + name + "'", container)) +
      extended_xmp_segments(extended, name, extended.size());
  return jpeg_with_trailing_pictures(jpeg(64, 56, JCS_YCbCr, 2), segments, {preview, map},
                                     {0x010001, 0});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  // What it is, and a quarter turn of a picture that is tagged 6; see metadata_fuzz.cpp.
  const auto write = [&](const char* name, char kind, const std::string& body) {
    std::ofstream out(std::filesystem::path(argv[1]) / name, std::ios::binary);
    out << kind << '\x2D' << body;
  };
  write("exif-strips", 0, exif_with_strips());
  write("jpeg-all", 2, jpeg_with_all());
}
