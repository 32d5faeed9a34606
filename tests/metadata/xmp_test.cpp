#include "src/metadata/xmp.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/picture/image.hpp"
#include "tests/fixtures/metadata.hpp"

namespace xmp_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

MetadataTurn turn_of(Orientation pixels, Orientation stored = Orientation::identity) {
  return {.stored = stored,
          .pixels = pixels,
          .tag = Orientation::identity,
          .size = turned_size(pixels, {640, 480}),
          .turn_embedded = {}};
}

std::string turned(const std::string& packet, const MetadataTurn& turn) {
  std::vector<std::string> warnings;
  std::string result = turn_xmp(packet, turn, warnings);
  CHECK(warnings.empty());
  return result;
}

std::string faces(const std::string& packet) {
  std::string text;
  for (const XmlNode& node : xml_nodes(packet)) {
    if (node.name == "x" || node.name == "y" || ((node.name == "w" || node.name == "h"))) {
      text += std::string(node.value) + " ";
    }
    if (node.name == "Rectangle") text += "| " + std::string(node.value);
  }
  return text;
}

}  // namespace

TEST_CASE("Orientation and sizes are changed in attributes and in elements alike") {
  const std::string attributes =
      "tiff:Orientation='6' tiff:ImageWidth=\"640\" tiff:ImageLength='480'"
      " exif:PixelXDimension='640' exif:PixelYDimension='480'";
  const std::string elements =
      "<tiff:Orientation>6</tiff:Orientation><tiff:ImageWidth>640</tiff:ImageWidth>"
      "<tiff:ImageLength>480</tiff:ImageLength>";
  const MetadataTurn turn = turn_of(Orientation::rotate90, Orientation::rotate90);
  const std::string packet = xmp_packet_with(attributes, elements);
  CHECK(
      turned(packet, turn) ==
      xmp_packet_with("tiff:Orientation='1' tiff:ImageWidth=\"480\" tiff:ImageLength='640'"
                      " exif:PixelXDimension='480' exif:PixelYDimension='640'",
                      "<tiff:Orientation>1</tiff:Orientation><tiff:ImageWidth>480</tiff:ImageWidth>"
                      "<tiff:ImageLength>640</tiff:ImageLength>"));
}

TEST_CASE(
    "The names of namespaces count, not their prefixes, and only the packet's own properties") {
  const std::string other =
      "<a:Orientation xmlns:a='http://ns.adobe.com/tiff/1.0/'>6</a:Orientation>"
      "<tiff:Orientation xmlns:tiff='urn:other'>6</tiff:Orientation>"
      "<exif:Nested rdf:parseType='Resource'><tiff:Orientation>6</tiff:Orientation></exif:Nested>";
  const std::string expected =
      "<a:Orientation xmlns:a='http://ns.adobe.com/tiff/1.0/'>1</a:Orientation>"
      "<tiff:Orientation xmlns:tiff='urn:other'>6</tiff:Orientation>"
      "<exif:Nested rdf:parseType='Resource'><tiff:Orientation>6</tiff:Orientation></exif:Nested>";
  CHECK(turned(xmp_packet_with("", other), turn_of(Orientation::flop)) ==
        xmp_packet_with("", expected));
}

TEST_CASE("An orientation in Exif's namespace is read where TIFF's has none, and changed") {
  const MetadataTurn turn = turn_of(Orientation::rotate90, Orientation::rotate90);
  CHECK(turned(xmp_packet_with("exif:Orientation='6'"), turn) ==
        xmp_packet_with("exif:Orientation='1'"));
  CHECK(read_xmp(xmp_packet_with("exif:Orientation='6'")).orientation == "6");
  CHECK(read_xmp(xmp_packet_with("exif:Orientation='6' tiff:Orientation='3'")).orientation == "3");
}

TEST_CASE("The padding takes up what becomes longer or shorter") {
  MetadataTurn turn = turn_of(Orientation::rotate90);
  turn.size = {48, 1000};
  const std::string before = "tiff:ImageWidth='640' tiff:ImageLength='48'";
  const std::string after = "tiff:ImageWidth='48' tiff:ImageLength='1000'";
  CHECK(turned(xmp_packet_with(before), turn) == xmp_packet_with(after, "", 199));
  CHECK(turned(xmp_packet_with(before, "", 0), turn) ==
        xmp_packet_with(after, "", 0)
            .replace(xmp_packet_with(after, "", 0).rfind("\n<?xpacket end"), 1, ""));
  turn.size = {1, 2};
  CHECK(turned(xmp_packet_with(before), turn) ==
        xmp_packet_with("tiff:ImageWidth='1' tiff:ImageLength='2'", "", 203));
}

TEST_CASE("A packet whose end comes before everything else has no padding to give") {
  std::string packet = xmp_packet_with("tiff:Orientation='6' tiff:ImageWidth='640'", "", 0);
  packet.erase(packet.rfind("<?xpacket end"));
  packet.insert(0, "<?xpacket end='w'?>");
  std::string wider = packet;
  wider.replace(wider.find("='6'"), 4, "='1'").replace(wider.find("'640'"), 5, "'10000'");
  MetadataTurn turn = turn_of(Orientation::rotate180);
  turn.size = {10000, 480};
  CHECK(turned(packet, turn) == wider);
}

TEST_CASE("Face regions move with the stored pixels") {
  const std::string packet = xmp_packet_with("", face_regions("640", "480"));
  const auto after = [&](Orientation pixels) { return faces(turned(packet, turn_of(pixels))); };
  CHECK(faces(packet) == "640 480 0.25 0.4 0.1 0.20 | 0.2, 0.3, 0.1, 0.20");
  CHECK(after(Orientation::flop) == "640 480 0.75 0.4 0.1 0.20 | 0.7, 0.3, 0.1, 0.20");
  CHECK(after(Orientation::rotate180) == "640 480 0.75 0.6 0.1 0.20 | 0.7, 0.50, 0.1, 0.20");
  CHECK(after(Orientation::flip) == "640 480 0.25 0.6 0.1 0.20 | 0.2, 0.50, 0.1, 0.20");
  CHECK(after(Orientation::transpose) == "480 640 0.4 0.25 0.20 0.1 | 0.3, 0.2, 0.20, 0.1");
  CHECK(after(Orientation::rotate90) == "480 640 0.6 0.25 0.20 0.1 | 0.50, 0.2, 0.20, 0.1");
  CHECK(after(Orientation::transverse) == "480 640 0.6 0.75 0.20 0.1 | 0.50, 0.7, 0.20, 0.1");
  CHECK(after(Orientation::rotate270) == "480 640 0.4 0.75 0.20 0.1 | 0.3, 0.7, 0.20, 0.1");
}

TEST_CASE("Regions drawn on the upright picture, as their dimensions tell, move with the view") {
  const std::string packet = xmp_packet_with("", face_regions("480", "640"));
  // Stored as 640 x 480 with tag 6, and made upright: nothing moves in the view.
  CHECK(turned(packet, turn_of(Orientation::rotate90, Orientation::rotate90)) == packet);
  // Turned by half as seen: stored pixels by a quarter and a half.
  const MetadataTurn half = turn_of(Orientation::rotate270, Orientation::rotate90);
  CHECK(faces(turned(packet, half)) == "480 640 0.75 0.6 0.1 0.20 | 0.7, 0.50, 0.1, 0.20");
}

TEST_CASE(
    "An edge that was trimmed is another one of the upright picture that regions are drawn on") {
  // 97 x 63 with tag 6: what is cut below lies on the left as it is seen.
  const MetadataTurn turn{.stored = Orientation::rotate90,
                          .pixels = Orientation::rotate90,
                          .size = {48, 97},
                          .untrimmed = {97, 63}};
  std::vector<std::string> warnings;
  CHECK(faces(turn_xmp(xmp_packet_with("", face_regions("63", "97")), turn, warnings)) ==
        "48 97 0.015625 0.4 0.131250 0.20 | -0.050000, 0.3, 0.131250, 0.20");
  CHECK(warnings == std::vector<std::string>{
                        "a face region in its XMP reaches into the edge that was trimmed"});
}

TEST_CASE("The angles of a face turn as the face does") {
  const auto angles = [](int roll, int yaw) {
    return xmp_with("http://ns.apple.com/faceinfo/1.0/",
                    fmt::format("<a:AngleInfoRoll>{}</a:AngleInfoRoll>"
                                "<a:AngleInfoYaw>{}</a:AngleInfoYaw>",
                                roll, yaw));
  };
  const auto now = [&](int roll, int yaw, Orientation orientation) {
    std::vector<std::string> warnings;
    const std::string turned =
        turn_xmp(angles(roll, yaw),
                 {.pixels = orientation, .size = turned_size(orientation, {64, 48})}, warnings);
    CHECK(warnings.empty());
    return turned;
  };
  // A telephone that is held upright stores what must be turned by rotate90.
  CHECK(now(270, 45, Orientation::rotate90) == angles(0, 45));
  CHECK(now(0, 0, Orientation::rotate180) == angles(180, 0));
  CHECK(now(10, 0, Orientation::rotate270) == angles(280, 0));
  CHECK(now(10, 45, Orientation::flop) == angles(350, 315));
  CHECK(now(10, 45, Orientation::flip) == angles(170, 315));
  CHECK(now(10, 0, Orientation::transpose) == angles(260, 0));
  CHECK(now(10, 0, Orientation::transverse) == angles(80, 0));
}

TEST_CASE("The point in focus moves with the pixels") {
  const auto point = [](const char* x, const char* y) {
    return xmp_with("http://ns.google.com/photos/1.0/focus/", "",
                    fmt::format(" a:FocalPointX='{}' a:FocalPointY='{}'", x, y));
  };
  std::vector<std::string> warnings;
  CHECK(turn_xmp(point("0.25", "0.4"), {.pixels = Orientation::rotate90, .size = {48, 64}},
                 warnings) == point("0.6", "0.25"));
}

TEST_CASE("A round region's diameter is not scaled with a trimmed edge, with a warning") {
  std::string regions = face_regions("97", "63");
  regions.replace(regions.find("stArea:w='0.1' stArea:h='0.20'"), 30, "stArea:d='0.1'");
  MetadataTurn turn{.pixels = Orientation::flip, .size = {97, 48}, .untrimmed = {97, 63}};
  std::vector<std::string> warnings;
  CHECK_THAT(turn_xmp(xmp_packet_with("", regions), turn, warnings),
             ContainsSubstring("stArea:x='0.25' stArea:y='0.475000' stArea:d='0.1'"));
  CHECK(warnings.size() == 1);
  CHECK_THAT(warnings.at(0), ContainsSubstring("keeps its diameter"));
}

TEST_CASE("A region that reaches out of the picture still does, and turning back restores it") {
  std::string regions = face_regions("640", "480");
  regions.replace(regions.find("0.25"), 4, "1.25");
  std::string packet = xmp_packet_with("", regions);
  CHECK_THAT(faces(turned(packet, turn_of(Orientation::flop))),
             ContainsSubstring("640 480 -0.25 0.4 0.1 0.20"));
  CHECK(faces(turned(turned(packet, turn_of(Orientation::flop)), turn_of(Orientation::flop))) ==
        faces(packet));
}

TEST_CASE("Regions in pixels, or in elements, are moved too") {
  const std::string elements =
      "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions "
      "rdf:parseType='Resource'><stDim:w>640</stDim:w><stDim:h>480</stDim:h>"
      "</mwg-rs:AppliedToDimensions><mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType='Resource'>"
      "<mwg-rs:Area rdf:parseType='Resource'><stArea:x>100</stArea:x><stArea:y>50</stArea:y>"
      "<stArea:unit>pixel</stArea:unit></mwg-rs:Area></rdf:li></rdf:Bag></mwg-rs:RegionList>"
      "</mwg-rs:Regions>";
  CHECK(faces(turned(xmp_packet_with("", elements), turn_of(Orientation::rotate90))) ==
        "480 640 430 100 ");
  MetadataTurn trimmed = turn_of(Orientation::rotate90);
  trimmed.size = {472, 640};
  trimmed.untrimmed = {640, 480};
  CHECK(faces(turned(xmp_packet_with("", elements), trimmed)) == "472 640 422 100 ");
}

TEST_CASE("Regions are moved whichever of Adobe's two addresses their areas and dimensions have") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  const std::string of_area = "http://ns.adobe.com/xmp/sType/Area#",
                    of_dimensions = "http://ns.adobe.com/xap/1.0/sType/Dimensions#";
  const auto with = [](std::string packet, const std::string& from, const std::string& to) {
    return packet.replace(packet.find(from), from.size(), to);
  };
  const auto other_area = [&](const std::string& packet) {
    return with(packet, of_area, "http://ns.adobe.com/xap/1.0/sType/Area#");
  };
  const auto other_dimensions = [&](const std::string& packet) {
    return with(packet, of_dimensions, "http://ns.adobe.com/xmp/sType/Dimensions#");
  };
  const std::string packet = xmp_packet_with("", face_regions("640", "480"));
  const std::string now = turned(packet, turn_of(applied));
  CHECK(turned(other_area(packet), turn_of(applied)) == other_area(now));
  CHECK(turned(other_dimensions(packet), turn_of(applied)) == other_dimensions(now));
  CHECK(turned(other_area(other_dimensions(packet)), turn_of(applied)) ==
        other_area(other_dimensions(now)));
  CHECK_FALSE(read_xmp(other_area(packet)).has_unknown_regions);

  // An address that nobody knows.
  const std::string unknown = with(packet, of_area, "http://example.com/Area#");
  std::vector<std::string> warnings;
  (void)turn_xmp(unknown, turn_of(applied), warnings);
  CHECK(warnings.size() == (applied == Orientation::identity ? 0 : 1));
  CHECK(read_xmp(unknown).has_unknown_regions);
}

TEST_CASE("ACDSee's regions are moved as the Metadata Working Group's are") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  const auto acdsee = [](std::string packet) {
    const std::pair<std::string, std::string> spaces[] = {
        {"http://www.metadataworkinggroup.com/schemas/regions/", "http://ns.acdsee.com/regions/"},
        {"http://ns.adobe.com/xmp/sType/Area#", "http://ns.acdsee.com/sType/Area#"},
        {"http://ns.adobe.com/xap/1.0/sType/Dimensions#",
         "http://ns.acdsee.com/sType/Dimensions#"}};
    for (const auto& [from, to] : spaces) packet.replace(packet.find(from), from.size(), to);
    return packet;
  };
  const std::string packet = xmp_packet_with("", face_regions("640", "480"));
  CHECK(turned(acdsee(packet), turn_of(applied)) == acdsee(turned(packet, turn_of(applied))));
}

TEST_CASE("The subject's place moves with the pixels") {
  const std::string before =
      "<exif:SubjectArea><rdf:Seq><rdf:li>100</rdf:li><rdf:li>50</rdf:li><rdf:li>20</rdf:li>"
      "<rdf:li>10</rdf:li></rdf:Seq></exif:SubjectArea>";
  const std::string after =
      "<exif:SubjectArea><rdf:Seq><rdf:li>429</rdf:li><rdf:li>100</rdf:li><rdf:li>10</rdf:li>"
      "<rdf:li>20</rdf:li></rdf:Seq></exif:SubjectArea>";
  CHECK(turned(xmp_packet_with("", before), turn_of(Orientation::rotate90)) ==
        xmp_packet_with("", after, 199));
}

TEST_CASE("What is not XML stays as it was, with a warning") {
  const std::string packet =
      GENERATE(std::string("<a><b></a></b>"), std::string("<a"), std::string("<a b=c/>"),
               std::string("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"), std::string("<a><!-- "),
               std::string("<a b='c"), std::string("</a>"), std::string("< a/>"));
  std::vector<std::string> warnings;
  CHECK(turn_xmp(packet, turn_of(Orientation::flip), warnings) == packet);
  CHECK(warnings.size() == 1);
}

TEST_CASE("Nesting without end is refused") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  CHECK_THROWS_AS(xml_nodes(deep), ImageFileError);
  std::string declared = "<a";
  for (int i = 0; i < 10'000; ++i) declared += " xmlns:p" + std::to_string(i) + "='u'";
  CHECK_THROWS_AS(xml_nodes(declared + "/>"), ImageFileError);
}

TEST_CASE("A cut packet stays as it was with a warning, until its last element has ended") {
  const std::string packet = xmp_packet_with("tiff:Orientation='6'", face_regions("640", "480"));
  const std::size_t end = packet.rfind("</x:xmpmeta>") + std::string_view("</x:xmpmeta>").size();
  REQUIRE(end < packet.size());
  // Before the first element, and its line's end, there is nothing that could be damaged.
  const std::size_t begin = packet.find("?>") + 2;
  for (std::size_t size = 0; size < end; ++size) {
    CAPTURE(size);
    std::vector<std::string> warnings;
    CHECK(turn_xmp(packet.substr(0, size), turn_of(Orientation::rotate90), warnings) ==
          packet.substr(0, size));
    const bool is_empty = size == 0 || size == begin || size == begin + 1;
    CHECK(warnings.size() == (is_empty ? 0 : 1));
  }
  std::vector<std::string> warnings;
  const std::string whole =
      turn_xmp(packet.substr(0, end), turn_of(Orientation::rotate90), warnings);
  CHECK(read_xmp(whole).orientation == "1");
  CHECK(warnings.empty());
}

TEST_CASE("An orientation in words becomes a number, which no proof takes for another packet") {
  // As GNOME's and KDE's programs write it, once for each program that the picture went through.
  const std::string packet =
      xmp_packet_with("",
                      "<exif:Make>SONY</exif:Make><exif:Orientation>Top-left</exif:Orientation>"
                      "<exif:PixelXDimension>4912 pixels</exif:PixelXDimension>"
                      "<exif:Make>SONY</exif:Make><exif:Orientation>Top-left</exif:Orientation>");
  std::vector<std::string> warnings;
  const std::string turned = turn_xmp(packet, turn_of(Orientation::rotate90), warnings);
  CHECK_THAT(turned, !ContainsSubstring("Top-left"));
  CHECK(without_numbers(packet) == without_numbers(turned));
  std::string other = turned;
  other.replace(other.find("SONY"), 4, "NIKO");
  CHECK(without_numbers(packet) != without_numbers(other));
  CHECK(without_numbers("<not XML 12") == "<notXML");
}

TEST_CASE("MD5 is RFC 1321's") {
  CHECK(jpeg::md5("") == "D41D8CD98F00B204E9800998ECF8427E");
  CHECK(jpeg::md5("message digest") == "F96B697D7CB7938D525A2F31AAF161D0");
  CHECK(jpeg::md5(
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57EDF4A22BE3C955AC49DA2E2107B67A");
}

}  // namespace xmp_test
