// A table: all orientation metadata x the formats that have it, sidecars too, x what the program
// does, read by another program, ExifTool. The fixtures are written byte by byte. What follows a
// JPEG is in trailing_pictures_test.cpp.
#include <array>
#include <map>

#include "tests/cli/exiftool.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace metadata_test {

using namespace cli;
using qturn::Orientation;
using qturn::tests::ByteOrder;
using qturn::tests::exif_fixture;
using qturn::tests::exif_segment;
using qturn::tests::ExifDirectory;
using qturn::tests::ExifFixture;
using qturn::tests::face_regions;
using qturn::tests::jpeg_segment;
using qturn::tests::riff_chunk;
using qturn::tests::xmp_packet_with;
using qturn::tests::xmp_segment;
using std::string_literals::operator""s;

namespace {

constexpr int width = 64, height = 48;

std::string xmp_of(int orientation) {
  return xmp_packet_with("tiff:Orientation='" + std::to_string(orientation) +
                             "' tiff:ImageWidth='64' tiff:ImageLength='48' "
                             "exif:PixelXDimension='64' exif:PixelYDimension='48'",
                         face_regions("64", "48"));
}

ExifFixture exif_of(int orientation, bool little) {
  return {.little = little,
          .orientation = orientation,
          .thumbnail = cli::jpeg(smooth_picture(32, 24)),
          .thumbnail_width = 32,
          .thumbnail_height = 24};
}

std::string jpeg_fixture(int orientation, bool little) {
  std::string file = cli::jpeg(smooth_picture(width, height));
  file.replace(2, 18, jpeg_segment(0xE0, "JFIF\0\1\2\1\1\x2C\0\x48\0\0"s));
  return file.insert(20, exif_segment(exif_of(orientation, little)) +
                             xmp_segment(xmp_of(orientation)) + jpeg_segment(0xFE, "a comment"));
}

std::string png_fixture(int orientation, bool little) {
  return cli::png(smooth_picture(width, height),
                  png_chunk("pHYs", qturn::tests::in_big_endian(11811, 4) +
                                        qturn::tests::in_big_endian(2835, 4) + "\1") +
                      png_chunk("eXIf", exif_fixture(exif_of(orientation, little))) +
                      png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0"s + xmp_of(orientation)) +
                      png_chunk("tEXt", "Comment\0a comment"s));
}

std::string webp_fixture(int orientation, bool little) {
  const std::string pixels = qturn::tests::plain_webp.substr(12);
  const std::string header = "\x0C\0\0\0"s + std::string("\x3F\0\0\x2F\0\0", 6);
  return riff_chunk("RIFF", "WEBP" + riff_chunk("VP8X", header) + pixels +
                                riff_chunk("EXIF", exif_fixture(exif_of(orientation, little))) +
                                riff_chunk("XMP ", xmp_of(orientation)));
}

// One strip of RGB after the directories.
std::string tiff_fixture(int orientation, bool little) {
  const ByteOrder order{little};
  const Picture picture = smooth_picture(width, height);
  ExifDirectory page, exif;
  page.add_short(256, width, order);
  page.add_short(257, height, order);
  page.entries.push_back({258, 3, 3, order.u16(8) + order.u16(8) + order.u16(8)});
  page.add_short(259, 1, order);
  page.add_short(262, 2, order);
  page.add_text(270, "a comment");
  page.add_long(273, 0, order);
  page.add_short(274, static_cast<unsigned>(orientation), order);
  page.add_short(277, 3, order);
  page.add_short(278, height, order);
  page.add_long(279, picture.bytes.size(), order);
  page.add_rational(282, 300, 1, order);
  page.add_rational(283, 72, 1, order);
  page.add_short(296, 2, order);
  const std::string xmp = xmp_of(orientation);
  page.entries.push_back({700, 1, xmp.size(), xmp});
  page.add_long(0x8769, 0, order);
  exif.entries.push_back(
      {0x9214, 3, 4, order.u16(10) + order.u16(20) + order.u16(8) + order.u16(4)});
  exif.add_short(0xA002, width, order);
  exif.add_long(0xA003, height, order);
  const std::size_t exif_at = 8 + page.bytes(), pixels_at = exif_at + exif.bytes();
  page.entries.back().value = order.u32(exif_at);
  page.entries[6].value = order.u32(pixels_at);
  return (little ? "II" : "MM") + order.u16(42) + order.u32(8) + page.at(8, 0, order) +
         exif.at(exif_at, 0, order) + std::string(picture.bytes.begin(), picture.bytes.end());
}

// Exif 2.32's words for the eight, spelled out: where a pixel, counted from 0, comes to be.
std::array<int, 2> shown_at(Orientation orientation, int x, int y) {
  switch (orientation) {
    case Orientation::identity:
      return {x, y};
    case Orientation::flop:
      return {63 - x, y};
    case Orientation::rotate180:
      return {63 - x, 47 - y};
    case Orientation::flip:
      return {x, 47 - y};
    case Orientation::transpose:
      return {y, x};
    case Orientation::rotate90:
      return {47 - y, x};
    case Orientation::transverse:
      return {47 - y, 63 - x};
    case Orientation::rotate270:
      return {y, 63 - x};
  }
  return {};
}

// Centre of the face: 0.25, 0.4 of a side of 1.
const std::map<Orientation, std::string> faces = {
    {Orientation::identity, "0.25 0.4"},   {Orientation::flop, "0.75 0.4"},
    {Orientation::rotate180, "0.75 0.6"},  {Orientation::flip, "0.25 0.6"},
    {Orientation::transpose, "0.4 0.25"},  {Orientation::rotate90, "0.6 0.25"},
    {Orientation::transverse, "0.6 0.75"}, {Orientation::rotate270, "0.4 0.75"}};

void check_xmp(const Json& file, const Expected& expected) {
  const bool swapped = qturn::swaps_axes(expected.pixels);
  const std::string wide = swapped ? "48" : "64", high = swapped ? "64" : "48";
  const std::string tag = std::to_string(static_cast<int>(expected.tag));
  CHECK(value(file, "XMP-tiff:Orientation") == tag);
  CHECK(value(file, "XMP-tiff:ImageWidth") == wide);
  CHECK(value(file, "XMP-tiff:ImageHeight") == high);
  CHECK(value(file, "XMP-exif:ExifImageWidth") == wide);
  CHECK(value(file, "XMP-exif:ExifImageHeight") == high);
  REQUIRE(file.contains("XMP-mwg-rs:RegionInfo"));
  const Json& regions = file["XMP-mwg-rs:RegionInfo"];
  CHECK(regions["AppliedToDimensions"]["W"].dump() == wide);
  CHECK(regions["AppliedToDimensions"]["H"].dump() == high);
  const Json& area = regions["RegionList"][0]["Area"];
  CHECK(value(area, "X") + " " + value(area, "Y") == faces.at(expected.pixels));
  CHECK(value(area, "W") == (swapped ? "0.2" : "0.1"));
  CHECK(value(area, "H") == (swapped ? "0.1" : "0.2"));
  CHECK(value(file["XMP-MP:RegionInfoMP"]["Regions"][0], "PersonDisplayName") == "Ada");
}

void check_file(const Json& file, const std::string& suffix, const Expected& expected) {
  check_xmp(file, expected);
  if (suffix == ".xmp") return;
  const bool swapped = qturn::swaps_axes(expected.pixels);
  const std::string wide = swapped ? "48" : "64", high = swapped ? "64" : "48";
  const std::string tag = std::to_string(static_cast<int>(expected.tag));
  CHECK(value(file, "IFD0:Orientation") == tag);
  CHECK(value(file, "IFD0:XResolution") == (swapped ? "72" : "300"));
  CHECK(value(file, "IFD0:YResolution") == (swapped ? "300" : "72"));
  CHECK(value(file, "ExifIFD:ExifImageWidth") == wide);
  CHECK(value(file, "ExifIFD:ExifImageHeight") == high);
  const auto [x, y] = shown_at(expected.pixels, 10, 20);
  CHECK(value(file, "ExifIFD:SubjectArea") ==
        std::to_string(x) + " " + std::to_string(y) + (swapped ? " 4 8" : " 8 4"));
  if (suffix == ".tif") {
    CHECK(value(file, "IFD0:ImageWidth") == wide);
    CHECK(value(file, "IFD0:ImageHeight") == high);
    CHECK(value(file, "IFD0:ImageDescription") == "a comment");
  } else {
    CHECK(value(file, "IFD0:Make") == "Camera Maker");
    CHECK(value(file, "GPS:GPSLatitude").starts_with("48.13"));
    CHECK(value(file, "IFD1:ImageWidth") == (swapped ? "24" : "32"));
    CHECK(value(file, "IFD1:ImageHeight") == (swapped ? "32" : "24"));
    CHECK(value(file, "IFD1:XResolution") == (swapped ? "36" : "72"));
    CHECK(file.contains("IFD1:ThumbnailImage"));
  }
  if (suffix == ".jpg") {
    CHECK(value(file, "JFIF:XResolution") == (swapped ? "72" : "300"));
    CHECK(value(file, "JFIF:YResolution") == (swapped ? "300" : "72"));
    CHECK(value(file, "File:Comment") == "a comment");
  }
  if (suffix == ".png") {
    CHECK(value(file, "PNG-pHYs:PixelsPerUnitX") == (swapped ? "2835" : "11811"));
    CHECK(value(file, "PNG-pHYs:PixelsPerUnitY") == (swapped ? "11811" : "2835"));
    CHECK(value(file, "PNG:Comment") == "a comment");
  }
}

}  // namespace

TEST_CASE("All metadata in every format is true after every operation, as another program reads") {
  if (!has_exiftool()) SKIP("exiftool (libimage-exiftool-perl) is missing");
  Workplace workplace;
  const std::map<std::string, std::string (*)(int, bool)> makers = {{".jpg", jpeg_fixture},
                                                                    {".png", png_fixture},
                                                                    {".tif", tiff_fixture},
                                                                    {".webp", webp_fixture}};
  std::map<std::string, Orientation> stored;
  for (const auto& [suffix, make] : makers) {
    for (const int orientation : {1, 2, 6, 7}) {
      for (const bool little : {true, false}) {
        const std::string stem =
            std::to_string(orientation) + (little ? "-little-" : "-big-") + suffix.substr(1);
        const auto add = [&](const std::string& name, const std::string& content) {
          workplace.add("in/" + name, content);
          stored[name] = static_cast<Orientation>(orientation);
        };
        add(stem + suffix, make(orientation, little));
        if (!little) continue;
        add(stem + ".xmp", xmp_of(orientation));
        add(stem + suffix + ".xmp", xmp_of(orientation));
      }
    }
  }

  const auto expected = after_every_operation(workplace, stored, "--sidecars");

  const auto files = read_by_exiftool(workplace.path(), "-G1 -all -validate");
  for (const auto& [name, result] : expected) {
    CAPTURE(name);
    REQUIRE(files.contains(name));
    check_file(files.at(name), std::filesystem::path(name).extension().string(), result);
    // The fixtures lack what Exif demands; turned files may lack no more.
    CHECK(value(files.at(name), "ExifTool:Validate") ==
          value(files.at("in/" + std::filesystem::path(name).filename().string()),
                "ExifTool:Validate"));
  }
}

TEST_CASE("What signs a file or says how it is projected is named, and refused in place") {
  const std::string manifest = "JP\0\x01\0\0\0\x01\0\0\0\x40jumb\0\0\0\x1Ejumdc2pa"s;
  const auto with = [](std::string file, std::size_t at, const std::string& more) {
    return file.insert(at, more);
  };
  const auto with_xmp = [](std::string packet) {
    std::string file = cli::jpeg(smooth_picture(width, height));
    return file.insert(20, xmp_segment(packet));
  };
  const std::string jpeg = cli::jpeg(smooth_picture(width, height));
  const std::string png = cli::png(smooth_picture(width, height), png_chunk("caBX", "jumb"));
  std::string webp = webp_fixture(1, true) + riff_chunk("C2PA", "jumb");
  webp.replace(4, 4, ByteOrder{true}.u32(webp.size() - 8));
  std::string tiff = tiff_fixture(1, true);
  tiff.replace(tiff.find("\x0E\x01\x02\0"), 2, "\x41\xCD");
  struct Case {
    std::string name, file, says;
  };
  const std::string signs = "its signed manifest (C2PA)";
  for (const auto& [name, file, says] :
       {Case{"a.jpg", with(jpeg, 20, jpeg_segment(0xEB, manifest)), signs},
        Case{"b.jpg",
             with_xmp(xmp_packet_with("xmlns:t='http://purl.org/dc/terms/' t:provenance='u'")),
             signs},
        Case{"a.png", png, signs}, Case{"a.webp", webp, signs}, Case{"a.tif", tiff, signs},
        Case{"c.jpg",
             with_xmp(xmp_packet_with(
                 "xmlns:p='http://ns.google.com/photos/1.0/panorama/' p:PoseHeadingDegrees='7'")),
             "its projection (GPano)"},
        Case{"d.jpg",
             with_xmp(xmp_packet_with("xmlns:i='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'",
                                      "<i:ImageRegion/>")),
             "its image regions (IPTC)"}}) {
    CAPTURE(name);
    Workplace workplace;
    workplace.add(name, file);
    const std::string warning =
        "qturn: warning: " + name + ": no longer true after the turn: " + says + "\n";
    CHECK(workplace.done({"cw", name, "-o", "out", "-q"}).err == warning);
    workplace.failed({"cw", name, "-o", "strict", "--strict"});
    workplace.failed({"cw", name, "--in-place"});
    CHECK(workplace.content(name) == file);
    // A signature is of all bytes.
    const bool is_signature = says == signs;
    CHECK(workplace.done({"cw", name, "-o", "tag", "--tag-only", "-q"}).err ==
          (is_signature ? warning : ""));
    if (is_signature) workplace.failed({"cw", name, "--in-place", "--tag-only"});
    CHECK(workplace.done({"upright", name, "-o", "same", "-q"}).err.empty());
    if (name == "a.webp") continue;  // a lossy one is never turned in place
    workplace.done({"cw", name, "--in-place", "--allow-stale-metadata", "-q"});
    CHECK(workplace.content(name) == workplace.content("out/" + name));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "What XMP alone says of the orientation does not count, and is set right with a warning") {
  if (!has_exiftool()) SKIP("exiftool (libimage-exiftool-perl) is missing");
  const std::map<std::string, std::string> files = {{"a.jpg", jpeg_fixture(1, true)},
                                                    {"b.png", png_fixture(1, true)},
                                                    {"c.tif", tiff_fixture(1, true)},
                                                    {"d.webp", webp_fixture(1, true)}};
  for (const auto& [name, content] : files) {
    add("in/" + name, content);
    add("alone/" + name, content);
  }
  const std::string at = "cd '" + path().string() + "' && exiftool -q -q -n -m ";
  REQUIRE(succeeds(at + "-overwrite_original -XMP-tiff:Orientation=6 in alone"));
  REQUIRE(succeeds(at + "-overwrite_original -IFD0:Orientation= alone"));
  for (const std::string folder : {"in", "alone"}) {
    for (const std::string operation : {"upright", "cw"}) {
      const std::string out = operation + "-" + folder;
      const Result turned = done({operation, folder, "-o", out});
      for (const auto& [name, content] : files) {
        CHECK(turned.err.find("warning: " + folder + "/" + name +
                              ": its XMP says orientation 6, the picture's is 1, which counts") !=
              std::string::npos);
      }
      done({"check", out});
      failed({operation, folder, "-o", "strict", "--strict"});
    }
    failed({"check", folder});
  }
  const auto said = read_by_exiftool(path(), "-G1");
  for (const auto& [name, content] : files) {
    CAPTURE(name);
    for (const std::string folder : {"upright-in", "upright-alone", "cw-in", "cw-alone"}) {
      CHECK(value(said.at(folder + "/" + name), "XMP-tiff:Orientation") == "1");
      CHECK(value(said.at(folder + "/" + name), "XMP-tiff:ImageWidth") ==
            (folder.starts_with("cw") ? "48" : "64"));
    }
  }
}

TEST_CASE_METHOD(Workplace, "libexif reads the turned block too") {
  if (!succeeds("exif --version > /dev/null 2>&1")) SKIP("exif is missing");
  add("a.jpg", jpeg_fixture(6, true));
  done({"upright", "a.jpg", "-o", "b.jpg"});
  const std::string at = "cd '" + path().string() + "' && ";
  CHECK(succeeds(at + "exif -m -t Orientation b.jpg | grep -q 'Top-left'"));
  CHECK(succeeds(at + "exif -m -t PixelXDimension b.jpg | grep -qx 48"));
  CHECK(succeeds(at + "exif -e -o t.jpg b.jpg > /dev/null"));
  const Picture thumbnail = pixels_of(path() / "t.jpg");
  CHECK(thumbnail.width == 24);
  CHECK(thumbnail.height == 32);
}

TEST_CASE_METHOD(Workplace, "A MakerNote that is kept is a member of JSON, and no warning") {
  add("a.jpg", jpeg_fixture(1, false));
  add("b.jpg", cli::jpeg(smooth_picture(width, height)));
  CHECK_THAT(done({"cw", "a.jpg", "-o", "out", "--strict", "--json"}).out,
             Catch::Matchers::ContainsSubstring("\"kept_maker_note\":true"));
  for (const auto& arguments :
       {std::vector<std::string>{"upright", "a.jpg", "-o", "same", "--json"},
        {"cw", "b.jpg", "-o", "none", "--json"}})
    CHECK_THAT(done(arguments).out, !Catch::Matchers::ContainsSubstring("kept_maker_note"));
}

}  // namespace metadata_test
