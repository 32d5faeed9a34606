// The same table for the pictures after a JPEG, previews and gain maps. Another program, ExifTool,
// finds them by the lists of the turned file, extracts them, and reads their metadata.
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/cli/exiftool.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/motion_video.hpp"

namespace trailing_pictures_test {

using namespace cli;
using qturn::Orientation;
using qturn::tests::ByteOrder;
using qturn::tests::jpeg_segment;
using qturn::tests::jpeg_with_trailing_pictures;
using qturn::tests::listed;
using qturn::tests::xmp_packet_with;
using qturn::tests::xmp_segment;
using std::string_literals::operator""s;

namespace {

constexpr unsigned large_thumbnail = 0x010001, full_hd_thumbnail = 0x010002, gain_map_type = 0;

// What follows, by the name that ExifTool extracts it under: a preview with a tag of its own, one
// without, one that some program has stored upright beside pictures on their side, and a gain map.
const std::map<std::string, Picture> trailing = {{"PreviewImage", smooth_picture(32, 24)},
                                                 {"MPImage3", smooth_picture(48, 32)},
                                                 {"MPImage4", smooth_picture(24, 40)},
                                                 {"MPImage2", smooth_picture(40, 24, 1)}};
const Picture first = smooth_picture(64, 48);

std::string exif_segment(int orientation, bool little, const Picture& of) {
  return qturn::tests::exif_segment({.little = little,
                                     .orientation = orientation,
                                     .width = unsigned(of.width),
                                     .height = unsigned(of.height)});
}

std::string with_segments(const Picture& picture, const std::string& segments) {
  return qturn::tests::with_segments(jpeg(picture), segments);
}

std::string with_previews(int orientation, bool little) {
  const Picture& tagged = trailing.at("PreviewImage");
  return jpeg_with_trailing_pictures(
      jpeg(first), exif_segment(orientation, little, first),
      {with_segments(tagged, exif_segment(orientation, little, tagged)),
       jpeg(trailing.at("MPImage3")), jpeg(trailing.at("MPImage4"))},
      {large_thumbnail, full_hd_thumbnail, full_hd_thumbnail}, {little});
}

// With XMP of its own, listed in the Container, and perhaps in an index too.
std::string with_gain_map(int orientation, bool little, bool indexed) {
  const std::string map =
      with_segments(trailing.at("MPImage2"), xmp_segment(xmp_packet_with("tiff:ImageWidth='40'")));
  const std::string segments =
      exif_segment(orientation, little, first) +
      xmp_segment(xmp_packet_with("", listed("GainMap", "image/jpeg", map.size())));
  if (!indexed) return with_segments(first, segments) + map;
  return jpeg_with_trailing_pictures(jpeg(first), segments, {map}, {gain_map_type}, {little});
}

// What turns a picture of this size that follows: one of the other shape beside a tag that
// exchanges the axes is upright, and is turned like the view.
Orientation turn_of(const Picture& picture, const Expected& expected) {
  const auto& [stored, pixels, tag] = expected;
  const bool upright = qturn::swaps_axes(stored) && picture.width < picture.height;
  return upright ? qturn::compose(qturn::inverse(stored), qturn::compose(pixels, tag)) : pixels;
}

// Turned losslessly, a JPEG decodes to samples that differ by rounding alone.
void check_pixels(const Picture& got, const Picture& source, Orientation orientation) {
  const Picture wanted = cli::turned(source, orientation);
  REQUIRE(got.width == wanted.width);
  REQUIRE(got.height == wanted.height);
  REQUIRE(got.bytes.size() == wanted.bytes.size());
  int furthest = 0;
  for (std::size_t i = 0; i < got.bytes.size(); ++i) {
    furthest = std::max(furthest, std::abs(got.bytes[i] - wanted.bytes[i]));
  }
  CHECK(furthest <= 2);
}

// Where and how long the first picture is, ExifTool tells too.
void check_first(const Workplace& workplace, const std::string& name, const Json& file) {
  const std::string content = workplace.content(name);
  const std::size_t bytes = file.at("MPImage1:MPImageLength").get<std::size_t>();
  CHECK(content.substr(bytes - 2, 4) == "\xFF\xD9\xFF\xD8");
  CHECK(value(file, "MPImage1:MPImageStart") == "0");
}

void check_previews(const Workplace& workplace, const std::string& name, const Json& file,
                    const Expected& expected) {
  check_first(workplace, name, file);
  for (const char* preview : {"PreviewImage", "MPImage3", "MPImage4"}) {
    CAPTURE(preview);
    const Picture& source = trailing.at(preview);
    check_pixels(pixels_of(workplace.path() / ("taken-" + name + "." + preview + ".jpg")), source,
                 turn_of(source, expected));
  }
  const std::string tag = std::to_string(static_cast<int>(expected.tag));
  CHECK(value(file, "IFD0:Orientation") == tag);
  CHECK(value(file, "Doc2:IFD0:Orientation") == tag);
  const bool swapped = qturn::swaps_axes(expected.pixels);
  CHECK(value(file, "Doc2:ExifIFD:ExifImageWidth") == (swapped ? "24" : "32"));
  CHECK(value(file, "Doc2:ExifIFD:ExifImageHeight") == (swapped ? "32" : "24"));
  CHECK(value(file, "Doc3:IFD0:Orientation") == "absent");
}

void check_gain_map(const Workplace& workplace, const std::string& name, const Json& file,
                    const Expected& expected) {
  const Json& items = file.at("XMP-Container:Directory");
  REQUIRE(items.size() == 2);
  const auto bytes = items[1].at("Item").at("Length").get<std::size_t>();
  const std::string content = workplace.content(name);
  const std::string map = content.substr(content.size() - bytes);
  const auto copy = workplace.add("copy.jpg", map);
  const Picture& source = trailing.at("MPImage2");
  check_pixels(pixels_of(copy), source, expected.pixels);
  CHECK(value(file, "IFD0:Orientation") == std::to_string(static_cast<int>(expected.tag)));
  if (name.find("indexed") == std::string::npos) return;
  check_first(workplace, name, file);
  CHECK(workplace.content("taken-" + name + ".MPImage2.jpg") == map);
  CHECK(value(file, "Doc2:XMP-tiff:ImageWidth") ==
        (qturn::swaps_axes(expected.pixels) ? "24" : "40"));
}

}  // namespace

TEST_CASE("Previews and gain maps are true after every operation, as another program reads") {
  if (!has_exiftool()) SKIP("exiftool (libimage-exiftool-perl) is missing");
  Workplace workplace;
  std::map<std::string, Orientation> stored;
  for (const int orientation : {1, 2, 6, 7}) {
    for (const bool little : {true, false}) {
      const auto add = [&](const std::string& name, const std::string& content) {
        const std::string whole =
            std::to_string(orientation) + (little ? "-little-" : "-big-") + name + ".jpg";
        workplace.add("in/" + whole, content);
        stored[whole] = static_cast<Orientation>(orientation);
      };
      add("previews", with_previews(orientation, little));
      add("map", with_gain_map(orientation, little, false));
      add("indexed-map", with_gain_map(orientation, little, true));
    }
  }

  const auto expected = after_every_operation(workplace, stored, "--strict");

  const auto files = read_by_exiftool(workplace.path(), "-G3:1 -ee");
  succeeds("cd '" + workplace.path().string() +
           "' && exiftool -q -q -r -b -PreviewImage -MPImage2 -MPImage3 -MPImage4 -W "
           "taken-%:1d%f.jpg.%t.jpg . > /dev/null 2>&1");
  for (const auto& [name, result] : expected) {
    CAPTURE(name);
    REQUIRE(files.contains(name));
    if (name.find("previews") != std::string::npos) {
      check_previews(workplace, name, files.at(name), result);
    } else {
      check_gain_map(workplace, name, files.at(name), result);
    }
  }
}

TEST_CASE_METHOD(
    Workplace,
    "A gain map that cannot be trimmed with its picture is warned of, or the file fails") {
  const auto file = [](int height, int map_height) {
    return jpeg_with_trailing_pictures(jpeg(smooth_picture(64, height)), "",
                                       {jpeg(smooth_picture(32, map_height, 1))}, {gain_map_type});
  };
  add("exact.jpg", file(36, 18));
  add("cut.jpg", file(44, 24));
  add("inexact.jpg", file(44, 22));
  const auto trim = [&](const std::string& name, const std::string& option) {
    return qturn({"flip", name, "--jpeg-edges", "trim", option, "-o", "out-" + name});
  };
  CHECK(trim("exact.jpg", "--strict").exit_code == 0);
  CHECK(content("out-exact.jpg").find("\xFF\xC0\0\x0B\x08\0\x10\0\x20"s) !=
        std::string::npos);  // the frame of 16 rows, 32 pixels wide
  CHECK(trim("cut.jpg", "--strict").exit_code == 1);
  CHECK_FALSE(exists("out-cut.jpg"));
  const Result result = trim("cut.jpg", "--overwrite");
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("stays whole and covers what was trimmed") != std::string::npos);
  // Its 20 rows that are left end within a block.
  CHECK_THAT(trim("inexact.jpg", "--overwrite").err,
             ContainsSubstring("cannot be turned without loss"));
  CHECK_FALSE(exists("out-inexact.jpg"));
}

TEST_CASE("Option --jpeg-edges decides for gain maps and previews as for their pictures") {
  const bool is_map = GENERATE(true, false), indexed = GENERATE(true, false);
  if (!is_map && !indexed) return;
  const unsigned type = is_map ? gain_map_type : large_thumbnail;
  Workplace workplace;
  const std::string smaller = jpeg(smooth_picture(32, 21));
  const auto file = [&](int orientation) {
    if (indexed)
      return jpeg_with_trailing_pictures(jpeg(first), exif_segment(orientation, true, first),
                                         {smaller}, {type});
    const std::string list = listed("GainMap", "image/jpeg", smaller.size());
    return with_segments(first, exif_segment(orientation, true, first) +
                                    xmp_segment(xmp_packet_with("", list))) +
           smaller;
  };
  workplace.add("a.jpg", file(1));
  workplace.add("alone.jpg", with_segments(first, exif_segment(1, true, first)));
  const std::string named =
      (indexed ? "picture 2 of the file"s : "what follows the picture (GainMap)"s) +
      " cannot be turned without loss, because an edge cuts through a block";
  const auto turn = [&](const Words& more) {
    return workplace.qturn(with({"flip", "a.jpg", "--json", "--verify"}, more));
  };

  const Result reencoded = turn({"-o", "out.jpg"});
  CHECK(reencoded.exit_code == 0);
  CHECK_THAT(reencoded.out,
             ContainsSubstring("\"route\":\"planar\"") && ContainsSubstring("\"lossy\":true"));
  CHECK_THAT(reencoded.err, ContainsSubstring("1 JPEG could not be turned losslessly"));
  // The first picture itself is turned losslessly.
  workplace.done({"flip", "alone.jpg", "-o", "alone-out.jpg", "--jpeg-edges", "fail"});
  CHECK(pixels_of(workplace.path() / "out.jpg") == pixels_of(workplace.path() / "alone-out.jpg"));

  const Result strict = turn({"-o", "strict.jpg", "--strict"});
  CHECK(strict.exit_code == 1);
  CHECK_THAT(strict.err, ContainsSubstring(named));
  const Result failed = turn({"-o", "failed.jpg", "--jpeg-edges", "fail"});
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, ContainsSubstring(named));
  const Result trimmed = turn({"-o", "trimmed.jpg", "--jpeg-edges", "trim"});
  CHECK(trimmed.exit_code == (is_map ? 1 : 0));
  if (is_map) {
    CHECK_THAT(trimmed.err, ContainsSubstring(named));
  } else {
    CHECK_THAT(trimmed.out,
               ContainsSubstring("\"route\":\"trimmed\"") && ContainsSubstring("\"lossy\":false"));
    const std::string written = workplace.content("trimmed.jpg");
    CHECK(pixels_of(workplace.add("preview.jpg", written.substr(written.rfind("\xFF\xD8\xFF"))))
              .height == 16);
  }

  const std::string before = workplace.content("a.jpg");
  const Result tagged = turn({"--in-place"});
  CHECK_THAT(tagged.out,
             ContainsSubstring("\"route\":\"tagged\"") && ContainsSubstring("\"lossy\":false"));
  CHECK_THAT(workplace.content("a.jpg"), Catch::Matchers::EndsWith(smaller));
  workplace.add("a.jpg", file(3));
  const Result left =
      workplace.qturn({"upright", "a.jpg", "--in-place", "--json", "--verify", "-v"});
  CHECK_THAT(left.out, ContainsSubstring("\"route\":\"skipped\"") && ContainsSubstring(named));
  CHECK(workplace.content("a.jpg") == file(3));
}

TEST_CASE_METHOD(
    Workplace,
    "The video of a motion photo is turned with it, as another program reads; mirrors are named") {
  if (!has_exiftool()) SKIP("exiftool (libimage-exiftool-perl) is missing");
  // A phone held upright: its sensor lies on its side, and a tag and a matrix say so.
  const qturn::tests::MotionVideo video{.matrix = qturn::tests::video_turns[1]};
  add("in/a.jpg", with_segments(first, exif_segment(6, true, first)) +
                      qturn::tests::samsung_trailer(video.file()));
  const auto degrees = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"in", "--strict", "-o", "out", "--overwrite"});
    done(all);
    succeeds("cd '" + path().string() +
             "' && exiftool -b -EmbeddedVideoFile out/a.jpg >out.mp4 && exiftool -s3 -Rotation "
             "out.mp4 >said");
    return content("said");
  };
  CHECK(degrees({"upright"}) == "90\n");
  CHECK(degrees({"rotate90"}) == "180\n");
  CHECK(degrees({"rotate90", "--tag-only"}) == "180\n");
  CHECK(degrees({"rotate180"}) == "270\n");
  CHECK(degrees({"rotate270"}) == "0\n");

  CHECK(failed({"flop", "in", "--strict", "-o", "mirrored"})
            .err.find("the video after the picture is not turned: players do not mirror") !=
        std::string::npos);
}

}  // namespace trailing_pictures_test
