#include "src/formats/jpeg/metadata/orientation_metadata.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/formats/table.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/metadata/xmp.hpp"
#include "src/turn/picture_turn.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/motion_video.hpp"

namespace jpeg_metadata_test {

namespace {

using namespace qturn;
using namespace qturn::jpeg;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

std::string jpeg_of(int width, int height) {
  return std::string(text_of(make_jpeg({.width = width, .height = height})));
}

// Every turn by a quarter clockwise, unless said.
Bytes turned(const std::string& file, std::vector<std::string>& warnings,
             Orientation orientation = Orientation::rotate90) {
  const std::span<const std::byte> source = bytes_of(file);
  const Header header = jpeg::codec.read_header(source);
  const JpegFile whole(source);
  return finish_jpeg(whole, turn_embedded_jpeg(whole.without_trailing_data().bytes, orientation),
                     orientation, turned_size(orientation, {header.width, header.height}),
                     turn_embedded_jpeg, turn_embedded_jpeg, warnings);
}

Bytes turned(const std::string& file) {
  std::vector<std::string> warnings;
  Bytes out = turned(file, warnings);
  CHECK(warnings.empty());
  return out;
}

std::string segment_text(const Bytes& file, std::string_view signature) {
  for (const JpegSegment& segment : jpeg_header_segments(file)) {
    const std::string_view text = text_of(segment.payload);
    if (text.starts_with(signature)) return std::string(text.substr(signature.size()));
  }
  return {};
}

// Turned without loss, and so without the edges that cut through a block.
Bytes trimmed(const std::string& file, Orientation orientation,
              std::vector<std::string>& warnings) {
  const std::span<const std::byte> source = bytes_of(file);
  const JpegOptions options{JpegMode::lossless, JpegEdges::trim};
  const JpegFile whole(source);
  return finish_jpeg(whole, turned_jpeg(whole.without_trailing_data().bytes, orientation, options),
                     orientation, JpegTurn(source, options).turned_size(orientation),
                     turn_embedded_jpeg, turn_embedded_jpeg, warnings);
}

std::string faces_and_subject(const std::string& packet) {
  std::string text, subject;
  for (const XmlNode& node : xml_nodes(packet)) {
    if (node.name == "x" || node.name == "y" || node.name == "w" || node.name == "h") {
      text += std::string(node.value) + " ";
    }
    if (node.name == "Rectangle") text += "| " + std::string(node.value) + " ";
    const bool is_number = node.name == "li" && !node.value.empty() &&
                           node.value.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number) subject += (subject.empty() ? "" : " ") + std::string(node.value);
  }
  return text + "# " + subject;
}

std::string subject_area(const std::string& block) {
  constexpr std::uint16_t exif_directory = 0x8769, subject_area_tag = 0x9214;
  const auto tiff = *TiffStructure::open(bytes_of(block));
  const TiffEntries first = tiff.directory(tiff.first_directory());
  const TiffEntries exif = tiff.directory(*tiff.integer(*first.find(exif_directory)));
  const TiffEntry* entry = exif.find(subject_area_tag);
  std::string text;
  for (std::uint64_t i = 0; i < entry->count; ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(tiff.number(entry->value_at + 2 * i, 2));
  }
  return text;
}

std::string with_trailing(const std::string& segments, const std::vector<std::string>& trailing,
                          unsigned type = 0x010001) {
  return jpeg_with_trailing_pictures(jpeg_of(64, 48), segments, trailing,
                                     std::vector<unsigned>(trailing.size(), type));
}

// Where the index of the file says that its pictures are.
std::vector<std::pair<std::size_t, std::size_t>> indexed(const Bytes& file) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const JpegSegment& segment : jpeg_header_segments(file)) {
    if (!is_mpf(segment)) continue;
    const std::string_view text = text_of(segment.payload).substr(4);
    const auto u32 = [&](std::size_t at) {
      std::size_t value = 0;
      for (std::size_t i = 4; i-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(text[at + i]);
      }
      return value;
    };
    const std::size_t count = u32(8 + 2 + 12 + 8), entries = u32(8 + 2 + 24 + 8);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t offset = u32(entries + 16 * i + 8);
      places.emplace_back(offset == 0 ? 0 : offset + segment.offset + 4, u32(entries + 16 * i + 4));
    }
  }
  return places;
}

}  // namespace

TEST_CASE("Markers that are not orientation metadata stay byte for byte and in order") {
  const std::string icc = jpeg_segment(0xE2, "ICC_PROFILE\0\x01\x01 profile"sv);
  const std::string iptc = jpeg_segment(0xED, "Photoshop 3.0\0"sv);
  const std::string unknown = jpeg_segment(0xEA, "who knows"), comment = jpeg_segment(0xFE, "Hi");
  const std::string file =
      with_segments(jpeg_of(64, 48), unknown + exif_segment({}) + icc + iptc + comment + unknown);
  const Bytes out = turned(file);
  ExifFixture after{.orientation = 1, .width = 48, .height = 64, .subject_area = {27, 10, 4, 8}};
  CHECK(contains(out, unknown + "\xFF\xE1"));
  CHECK(contains(out, icc + iptc + comment + unknown));
  CHECK(segment_text(out, exif_signature).size() == exif_fixture(after).size());
  CHECK(contains(out, fixture_maker_note));
}

TEST_CASE("JFIF's density turns with the axes, and its thumbnail too") {
  const std::string thumbnail = "abcdefghijklmnopqr";  // 3 x 2
  std::string file = jpeg_of(64, 48);
  const std::string before = "JFIF\0\x01\x02\x01\x01\x2C\0\x48\x03\x02"s + thumbnail;
  const std::string after = "JFIF\0\x01\x02\x01\0\x48\x01\x2C\x02\x03jklabcmnodefpqrghi"s;
  file.replace(2, 18, jpeg_segment(0xE0, before));
  CHECK(contains(turned(file), jpeg_segment(0xE0, after)));
}

TEST_CASE("The thumbnail in Exif is turned along") {
  const std::string thumbnail = jpeg_of(32, 24);
  const std::string file = with_segments(
      jpeg_of(64, 48),
      exif_segment({.thumbnail = thumbnail, .thumbnail_width = 32, .thumbnail_height = 24}));
  const std::string block = segment_text(turned(file), exif_signature);
  const std::size_t at = block.find("\xFF\xD8\xFF");
  REQUIRE(at != std::string::npos);
  const auto found = bytes_of(block).subspan(at);
  CHECK(jpeg_size(found) == Size{24, 32});
  const Bytes whole(found.begin(), found.end());
  CHECK(look_inside(whole).components.size() == 3);
}

TEST_CASE("If edges are trimmed, faces and the subject stay where they were in the picture") {
  struct Case {
    Orientation orientation;
    std::string regions, subject;
  };
  // Blocks of 16 x 16: 96 x 48 are left of 97 x 63, and of the fractions 97/96 and 63/48.
  const auto c = GENERATE(values<Case>({
      {Orientation::rotate180,
       "96 48 0.747396 0.475000 0.101042 0.262500 | 0.696875, 0.343750, 0.101042, 0.262500",
       "85 27 4 6"},
      {Orientation::rotate90, "48 97 0.475000 0.25 0.262500 0.1 | 0.343750, 0.2, 0.262500, 0.1",
       "27 10 6 4"},
      {Orientation::flop, "96 63 0.747396 0.4 0.101042 0.20 | 0.696875, 0.3, 0.101042, 0.20",
       "85 20 4 6"},
      {Orientation::transpose, "63 97 0.4 0.25 0.20 0.1 | 0.3, 0.2, 0.20, 0.1", "20 10 6 4"},
  }));
  CAPTURE(c.orientation);
  const std::string subject =
      "<exif:SubjectArea><rdf:Seq><rdf:li>10</rdf:li><rdf:li>20</rdf:li><rdf:li>4</rdf:li>"
      "<rdf:li>6</rdf:li></rdf:Seq></exif:SubjectArea>";
  const std::string file =
      with_segments(std::string(text_of(make_jpeg({.width = 97, .height = 63, .h = 2, .v = 2}))),
                    exif_segment({.width = 97, .height = 63, .subject_area = {10, 20, 4, 6}}) +
                        xmp_segment(xmp_packet_with("", face_regions("97", "63") + subject)));
  std::vector<std::string> warnings;
  const Bytes out = trimmed(file, c.orientation, warnings);
  CHECK(warnings.empty());
  CHECK(faces_and_subject(segment_text(out, xmp_signature)) == c.regions + " # " + c.subject);
  CHECK(subject_area(segment_text(out, "Exif\0\0"sv)) == c.subject);
}

TEST_CASE("What lay in an edge that was trimmed is reported") {
  std::string regions = face_regions("97", "63");
  regions.replace(regions.find("0.4'"), 3, "0.9");
  regions.replace(regions.find("0.3,"), 3, "0.8");
  const std::string file =
      with_segments(std::string(text_of(make_jpeg({.width = 97, .height = 63, .h = 2, .v = 2}))),
                    exif_segment({.width = 97, .height = 63, .subject_area = {10, 60}}) +
                        xmp_segment(xmp_packet_with("", regions)));
  std::vector<std::string> warnings;
  const Bytes out = trimmed(file, Orientation::flip, warnings);
  CHECK(warnings == std::vector<std::string>{
                        "the SubjectArea of its Exif block lay in the edge that was "
                        "trimmed, and now lies beside it",
                        "a face region in its XMP reaches into the edge that was trimmed"});
  CHECK(subject_area(segment_text(out, "Exif\0\0"sv)) == "10 0");
  CHECK(faces_and_subject(segment_text(out, xmp_signature)) ==
        "97 48 0.25 -0.181250 0.1 0.262500 | 0.2, -0.312500, 0.1, 0.262500 # ");
}

TEST_CASE("Extended XMP is turned, and named after its new content") {
  const std::string extended = xmp_packet_with("tiff:ImageWidth='64'", face_regions("64", "48"), 0);
  const std::string name = jpeg::md5(extended);
  std::string segments =
      xmp_segment(xmp_packet_with("tiff:Orientation='6' xmpNote:HasExtendedXMP='" + name + "'"));
  segments += extended_xmp_segments(extended, name, 700);
  std::vector<std::string> warnings;
  const Bytes out = turned(with_segments(jpeg_of(64, 48), segments), warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("its XMP says orientation 6, the picture's is 1"));
  std::string packet, main;
  for (const JpegSegment& segment : jpeg_header_segments(out)) {
    const std::string_view text = text_of(segment.payload);
    if (is_xmp(segment)) main = xmp_packet(segment);
    if (text.starts_with("http://ns.adobe.com/xmp/extension/")) packet += text.substr(35 + 40);
  }
  CHECK_THAT(packet, ContainsSubstring("tiff:ImageWidth='48'") &&
                         ContainsSubstring("stArea:x='0.6' stArea:y='0.25'"));
  const XmpSays says = read_xmp(main);
  CHECK(says.orientation == "1");
  CHECK(says.extended == jpeg::md5(packet));
  CHECK(says.extended != name);
  CHECK(contains(out, "extension/\0"s + says.extended));
}

TEST_CASE("Pictures after the first are turned, and the index points to them") {
  const std::string preview = jpeg_of(32, 24);
  const std::string tagged =
      with_segments(jpeg_of(16, 8), exif_segment({.width = 16, .height = 8, .subject_area = {}}));
  const std::string before = with_trailing(exif_segment({}), {preview, tagged});
  const Bytes out = turned(before);
  const auto places = indexed(out);
  REQUIRE(places.size() == 3);
  CHECK(places[0].second == JpegFile(out).end);
  CHECK(places[1].first == JpegFile(out).end);
  CHECK(places[2].first + places[2].second == out.size());
  const auto at = [&](std::size_t i) {
    return std::span(out).subspan(places[i].first, places[i].second);
  };
  CHECK(jpeg_size(at(1)) == Size{24, 32});
  CHECK(jpeg_size(at(2)) == Size{8, 16});
  CHECK(jpeg::codec.read_header(at(2)).stored == Orientation::identity);
}

TEST_CASE("A picture after the first whose end is missing is turned and gets its end") {
  const unsigned type = GENERATE(0U, 0x010001U, 0x040000U, 0x050000U);
  const bool is_counted = GENERATE(false, true);
  const std::string whole = jpeg_of(32, 24), cut = whole.substr(0, whole.size() - 2);
  std::string file = with_trailing("", {is_counted ? whole : cut}, type);
  if (is_counted) file.resize(file.size() - 2);
  std::vector<std::string> warnings;
  const Bytes out = turned(file, warnings);
  CHECK(out == turned(with_trailing("", {whole}, type)));
  CHECK(warnings == std::vector<std::string>{"picture 2 of the file: "s + no_end_marker});
  const auto places = indexed(out);
  REQUIRE(places.size() == 2);
  CHECK(places[1].first + places[1].second == out.size());
}

TEST_CASE("XMP's Container has the lengths of the turned pictures") {
  const std::string gain_map = jpeg_of(40, 24);
  const auto packet = [&](std::size_t length) {
    return xmp_packet_with("", listed("GainMap", "image/jpeg", length));
  };
  const std::string file =
      with_segments(jpeg_of(64, 48), xmp_segment(packet(gain_map.size()))) + gain_map;
  const Bytes out = turned(file);
  const std::size_t end = JpegFile(out).end;
  const auto items = container_items(segment_text(out, xmp_signature));
  REQUIRE(items.size() == 2);
  CHECK(items[1].length == out.size() - end);
  CHECK(jpeg_size(std::span(out).subspan(end)) == Size{24, 40});
}

TEST_CASE("A picture that both lists name, with and without its padding, is turned once") {
  const std::string gain_map = jpeg_of(40, 24);
  const std::string packet = xmp_packet_with(
      "",
      "<Container:Directory><rdf:Seq><rdf:li><Container:Item Item:Semantic='Primary'/></rdf:li>"
      "<rdf:li><Container:Item Item:Semantic='GainMap' Item:Mime='image/jpeg' Item:Length='" +
          std::to_string(gain_map.size() + 3) + "'/></rdf:li></rdf:Seq></Container:Directory>");
  std::string before = with_trailing(xmp_segment(packet), {gain_map}, 0);
  const Bytes out = turned(before + "pad");
  const auto places = indexed(out);
  REQUIRE(places.size() == 2);
  CHECK(places[1].first == JpegFile(out).end);
  CHECK(places[1].first + places[1].second + 3 == out.size());
  const auto items = container_items(segment_text(out, xmp_signature));
  CHECK(items[1].length == places[1].second + 3);
  CHECK(text_of(out).ends_with("pad"));
}

TEST_CASE("A gain map loses what the picture loses, where no pixel is cut") {
  // Blocks of 16 x 16: 64 x 48 are left of 64 x 56.
  const std::string first =
      std::string(text_of(make_jpeg({.width = 64, .height = 56, .h = 2, .v = 2})));
  constexpr unsigned map_type = 0, thumbnail_type = 0x010001;
  const auto trailing_picture_of = [&](const std::string& trailing, unsigned type,
                                       std::vector<std::string>& warnings) {
    const Bytes out = trimmed(jpeg_with_trailing_pictures(first, "", {trailing}, {type}),
                              Orientation::rotate90, warnings);
    const auto places = indexed(out);
    REQUIRE(places.size() == 2);
    const auto found = std::span(out).subspan(places[1].first, places[1].second);
    return Bytes(found.begin(), found.end());
  };
  const std::string regions = xmp_segment(xmp_packet_with("tiff:ImageWidth='32'"));
  const std::string map = with_segments(jpeg_of(32, 28), regions);

  std::vector<std::string> warnings;
  const Bytes left = trailing_picture_of(map, map_type, warnings);
  CHECK(warnings.empty());
  CHECK(jpeg_size(left) == Size{24, 32});
  CHECK(read_xmp(segment_text(left, xmp_signature)).width == "24");
  const JpegInside is = look_inside(left),
                   wanted = look_inside(turn_embedded_jpeg(cropped_jpeg(bytes_of(map), {32, 24}),
                                                           Orientation::rotate90));
  for (std::size_t c = 0; c < 3; ++c) CHECK(is.components[c].blocks == wanted.components[c].blocks);

  CHECK(jpeg_size(trailing_picture_of(map, thumbnail_type, warnings)) == Size{28, 32});
  CHECK(warnings.empty());
  // The edge lies at 48 of 56 rows, which is between the rows of 32.
  CHECK(jpeg_size(trailing_picture_of(jpeg_of(32, 32), map_type, warnings)) == Size{32, 32});
  CHECK(warnings == std::vector<std::string>{
                        "picture 2 of the file stays whole and covers what was trimmed: the edge "
                        "would lie within its pixels"});
}

TEST_CASE("What cannot be turned after the picture is refused by name") {
  const auto refusal_of = [](const std::string& file) {
    std::vector<std::string> warnings;
    try {
      turned(file, warnings);
    } catch (const ImageFileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal_of(with_trailing("", {jpeg_of(64, 48)}, 0x020002)),
             ContainsSubstring("stereo"));
  CHECK_THAT(refusal_of(with_trailing("", {"no picture at all"})),
             ContainsSubstring("picture 2") && ContainsSubstring("not a JPEG"));
  const std::string heic = xmp_packet_with("", listed("Depth", "image/heic", 4));
  CHECK_THAT(refusal_of(with_segments(jpeg_of(64, 48), xmp_segment(heic)) + "heic"),
             ContainsSubstring("Depth") && ContainsSubstring("image/heic"));
}

TEST_CASE("A file that ends within a picture after the first is damaged, in every operation") {
  const std::string whole = with_trailing("", {jpeg_of(32, 24), jpeg_of(64, 48)});
  const std::string cut = whole.substr(0, whole.size() - 100);
  const auto refusal_of = [](const std::string& file, const Codec& target) {
    return thrown_by([&] {
      PictureTurn picture(bytes_of(file), ".jpg", {.target = &target, .jpeg = {}});
      const Orientation upright = Orientation::identity;
      (void)picture.memory_needed(std::span(&upright, 1));
      const std::unique_ptr<Lane> lane = make_cpu_lane(0);
      const std::atomic<bool> never = false;
      picture.read(std::span(&upright, 1), *lane, never);
    });
  };
  for (const Codec* target : {&jpeg::codec, &png::codec}) {
    CHECK(refusal_of(whole, *target) == "");
    CHECK_THAT(refusal_of(cut, *target),
               ContainsSubstring("truncated: ") && ContainsSubstring("of picture 3 of the file"));
  }
  // A list that only states too many bytes is not a cut.
  CHECK(refusal_of(whole.substr(0, whole.size() - 100) + "\xFF\xD9", jpeg::codec) == "");
  const std::string video = xmp_packet_with("", listed("MotionPhoto", "video/mp4", 5000));
  CHECK(refusal_of(with_segments(jpeg_of(64, 48), xmp_segment(video)) + "\0\0\0\x18"s + "ftypmp42",
                   jpeg::codec) ==
        "truncated: 12 of 5000 bytes are there of what follows the picture (MotionPhoto)");
}

namespace {

std::string video_listed(std::size_t bytes) {
  return xmp_segment(xmp_packet_with("", listed("MotionPhoto", "video/mp4", bytes)));
}

}  // namespace

TEST_CASE("What is not a video that can be turned stays, with a warning, listed or not") {
  const std::string segments = GENERATE_COPY(video_listed(5), std::string());
  std::vector<std::string> warnings;
  const Bytes out = turned(with_segments(jpeg_of(64, 48), segments) + "video", warnings);
  CHECK(text_of(out).ends_with("\xFF\xD9video"));
  CHECK(warnings.size() == 1);
}

TEST_CASE("The video of a motion photo is turned as the picture is seen, listed or not") {
  const auto video = [](std::size_t turns) {
    return MotionVideo{.matrix = video_turns[turns]}.file();
  };
  const bool is_listed = GENERATE(true, false);
  const auto photo = [&](int orientation, std::size_t turns) {
    const std::string after = is_listed ? video(turns) : samsung_trailer(video(turns));
    return with_segments(jpeg_of(64, 48), exif_segment({.orientation = orientation}) +
                                              (is_listed ? video_listed(after.size()) : "")) +
           after;
  };
  const auto turns_after = [&](const Bytes& file) {
    for (std::size_t turns = 0; turns < 4; ++turns) {
      if (text_of(file).find(video(turns)) != std::string_view::npos) return turns;
    }
    return std::size_t{99};
  };
  std::vector<std::string> warnings;
  CHECK(turns_after(turned(photo(1, 1), warnings)) == 2);
  // Its pixels are turned as the tag says, so nobody sees a change.
  CHECK(turns_after(turned(photo(6, 1), warnings)) == 1);
  // Upside down on its side, its pixels turned a little less than what is seen.
  CHECK(turns_after(turned(photo(3, 0), warnings)) == 3);
  CHECK(turns_after(retag(bytes_of(photo(6, 1)), jpeg::codec, Orientation::rotate180,
                          MissingTag::is_added, warnings)) == 2);
  CHECK(warnings.empty());
  CHECK(turns_after(turned(photo(1, 1), warnings, Orientation::flop)) == 1);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("players do not mirror videos"));
}

TEST_CASE("Retagging moves no pixel and keeps all orientation metadata consistent") {
  const std::string preview = with_segments(jpeg_of(32, 24), exif_segment({.orientation = 6}));
  const std::string before = with_trailing(
      exif_segment({.orientation = 6}) + xmp_segment(xmp_packet_with("tiff:Orientation='6'")),
      {preview});
  std::vector<std::string> warnings;
  const auto out =
      retag(bytes_of(before), jpeg::codec, Orientation::rotate270, MissingTag::is_added, warnings);
  CHECK(warnings.empty());
  REQUIRE(out.size() == before.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    different += text_of(out)[i] != before[i];
  }
  CHECK(different == 3);
  CHECK(jpeg::codec.read_header(out).stored == Orientation::rotate270);
  CHECK(read_xmp(segment_text(out, xmp_signature)).orientation == "8");
}

TEST_CASE(
    "A missing tag is added after JFIF's segment, and the index still points to its pictures") {
  const std::string preview = jpeg_of(32, 24);
  const std::string exif = GENERATE(std::string(), exif_segment({.orientation = std::nullopt}));
  const std::string before = with_trailing(exif, {preview});
  std::vector<std::string> warnings;
  const auto out =
      retag(bytes_of(before), jpeg::codec, Orientation::transpose, MissingTag::is_added, warnings);
  CHECK(jpeg::codec.read_header(out).stored == Orientation::transpose);
  CHECK(text_of(out).ends_with(preview));
  const auto places = indexed(out);
  REQUIRE(places.size() == 2);
  CHECK(places[0].second == JpegFile(out).end);
  CHECK(places[1] == std::pair(JpegFile(out).end, preview.size()));

  const auto kept =
      retag(bytes_of(before), jpeg::codec, Orientation::identity, MissingTag::is_added, warnings);
  CHECK(text_of(kept) == before);
}

TEST_CASE("No cut of a file with all of this leads outside it") {
  const std::string whole = with_trailing(
      exif_segment({.thumbnail = jpeg_of(32, 24)}) +
          xmp_segment(xmp_packet_with("tiff:Orientation='6'", face_regions("64", "48"))),
      {jpeg_of(32, 24)});
  const Bytes file = owned(whole);
  const TurnEmbedded as_it_is = [](std::span<const std::byte> jpeg, Orientation) {
    return Bytes(jpeg.begin(), jpeg.end());
  };
  const auto has_header = [](std::span<const std::byte> jpeg) {
    try {
      jpeg_header_segments(jpeg);
      return true;
    } catch (const ImageFileError&) {
      return false;
    }
  };
  int finished = 0, refused = 0, astray = 0;
  for (std::size_t size = 0; size < file.size(); size += 3) {
    const auto cut = std::span(file).first(size);
    try {
      std::vector<std::string> warnings;
      const JpegFile cut_file(cut);
      const auto picture = cut_file.without_trailing_data().bytes;
      const Bytes out = finish_jpeg(cut_file, Bytes(picture.begin(), picture.end()),
                                    Orientation::rotate90, {48, 64}, as_it_is, as_it_is, warnings);
      astray += !has_header(cut) || out.size() < size ||
                jpeg::codec.read_header(out).stored != Orientation::identity;
      ++finished;
    } catch (const ImageFileError&) {
      // A header that is whole has nothing to refuse; what follows the picture may be cut.
      astray += has_header(cut) && JpegFile(cut).end == size;
      ++refused;
    }
  }
  CHECK(astray == 0);
  CHECK(finished > 0);
  CHECK(refused > 0);
}

}  // namespace jpeg_metadata_test
