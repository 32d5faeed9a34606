// What holds for both ways to turn a JPEG: what is kept, and what is refused.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/table.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/jpeg_turns.hpp"

namespace jpeg_turn_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring, Catch::Matchers::StartsWith;
using qturn::tests::JpegMarker, qturn::tests::JpegPicture;
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("Every marker is written back in order, byte for byte except for the orientation") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes exif = exif_with(Orientation::rotate90);
  Bytes app1 = owned("Exif\0\0"sv);
  app1.insert(app1.end(), exif.begin(), exif.end());
  const std::vector<JpegMarker> markers = {
      {JPEG_APP0 + 1, app1},
      {JPEG_COM, owned("a comment with \0 inside"sv)},
      {JPEG_APP0 + 1, owned("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"sv)},
      {JPEG_APP0 + 2, owned("ICC_PROFILE\0\x01\x01profile"sv)},
      {JPEG_APP0 + 2, owned("MPF\0whatever"sv)},
      {JPEG_APP0 + 13, owned("Photoshop 3.0\0"sv)},
      {JPEG_COM, owned("")},
  };
  const Bytes file = make_jpeg({.markers = markers});
  CHECK(jpeg::codec.read_header(file).stored == Orientation::rotate90);

  const JpegInside before = look_inside(file),
                   after = look_inside(turn(file, Orientation::rotate90, options));
  REQUIRE(after.markers.size() == before.markers.size());
  for (std::size_t i = 0; i < after.markers.size(); ++i) {
    CHECK(after.markers[i].code == before.markers[i].code);
    if (before.markers[i].data != app1) {
      CHECK(after.markers[i].data == before.markers[i].data);
      continue;
    }
    Bytes upright = app1;
    upright[6 + 31] = std::byte{1};
    CHECK(after.markers[i].data == upright);
  }

  std::vector<std::string> warnings;
  const Bytes retagged =
      retag(file, jpeg::codec, Orientation::identity, MissingTag::stays_absent, warnings);
  REQUIRE(retagged.size() == file.size());
  CHECK(jpeg::codec.read_header(retagged).stored == Orientation::identity);
  int different = 0;
  for (std::size_t i = 0; i < file.size(); ++i) different += retagged[i] != file[i];
  CHECK(different == 1);
}

TEST_CASE(
    "A cut at any twentieth of a JPEG is a failure, and so is the loss of a byte of its data") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const auto picture = GENERATE(values<JpegPicture>({
      {.width = 96, .height = 80, .h = 2, .v = 2},
      {.width = 96, .height = 80, .h = 2, .v = 2, .progressive = true},
      {.width = 96, .height = 80, .one_scan_each = true},
      {.width = 96, .height = 80, .space = JCS_GRAYSCALE, .restart_interval = 4},
  }));
  const Bytes file = make_jpeg(picture);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(refusal(cut(file, file.size() * i / 20), options) != "");
  CHECK(refusal(cut(file, file.size() - 3), options) != "");
  CHECK(refusal(file, options) == "");
}

TEST_CASE("A JPEG without the marker of its end is whole, is warned of, and gets its end") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const auto picture = GENERATE(values<JpegPicture>({
      {.width = 96, .height = 80, .h = 2, .v = 2},
      {.width = 320, .height = 240, .noisy = true},
      {.width = 96, .height = 80, .h = 2, .v = 2, .progressive = true},
      {.width = 96, .height = 80, .one_scan_each = true},
      {.width = 96, .height = 80, .space = JCS_GRAYSCALE, .restart_interval = 4},
  }));
  const Bytes file = make_jpeg(picture);
  const TurnedJpeg whole = turn_and_tell(file, Orientation::rotate90, options);
  CHECK(whole.warnings.empty());
  for (const std::size_t missing : {1U, 2U}) {
    const TurnedJpeg ended =
        turn_and_tell(cut(file, file.size() - missing), Orientation::rotate90, options);
    CHECK(ended.file == whole.file);
    CHECK(ended.warnings == std::vector<std::string>{no_end_marker});
  }
  // Between its scans it is not whole, and neither is one that ends within a segment.
  std::size_t at = file.size() / 2;
  while (at < file.size() && !(file[at] == std::byte{0xFF} && file[at + 1] == std::byte{0xDA}))
    ++at;
  if (at < file.size()) {
    CHECK_THAT(refusal(cut(file, at), options), StartsWith("truncated after "));
    CHECK_THAT(refusal(cut(file, at + 5), options), StartsWith("truncated after "));
  }
}

TEST_CASE("The message says how much of a cut JPEG is there") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.width = 200, .height = 320});
  CHECK_THAT(refusal(cut(file, file.size() / 2), options), ContainsSubstring("truncated after 1"));
  CHECK_THAT(refusal(cut(file, file.size() / 2), options), ContainsSubstring("of 320 rows"));
  const Bytes progressive = make_jpeg({.width = 200, .height = 320, .progressive = true});
  CHECK_THAT(refusal(cut(progressive, progressive.size() / 2), options),
             ContainsSubstring("of 320 rows of scan "));
  CHECK(refusal(cut(file, 100), options) == "truncated before the picture begins");
}

TEST_CASE("A progressive JPEG cut after a scan and ended properly lacks its last scans") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.width = 96, .height = 80, .progressive = true});
  const std::vector<std::size_t> scans = markers_at(file, 0xDA);
  REQUIRE(scans.size() > 3);
  // Tables come before a scan: the cut is where they begin.
  for (std::size_t scan = 1; scan < scans.size(); ++scan) {
    std::size_t at = scans[scan];
    while (!(file[at] == std::byte{0xFF} && file[at + 1] == std::byte{0xC4})) --at;
    Bytes ended = cut(file, at);
    ended.push_back(std::byte{0xFF});
    ended.push_back(std::byte{0xD9});
    CHECK(refusal(ended, options) == "the last scans of the progressive picture are missing");
  }
}

TEST_CASE("A sequential JPEG without the scan of a component is a failure") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  Bytes file = make_jpeg({.one_scan_each = true});
  file.resize(markers_at(file, 0xDA).back());
  file.push_back(std::byte{0xFF});
  file.push_back(std::byte{0xD9});
  CHECK(refusal(file, options) == "component 3 of 3 is missing");
}

TEST_CASE("Damage that libjpeg only warns of is a failure") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  Bytes file = make_jpeg({.width = 200, .height = 200, .restart_interval = 10});
  // A restart marker of the wrong number.
  for (std::size_t i = file.size() / 2; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] >= std::byte{0xD0} &&
        file[i + 1] <= std::byte{0xD7}) {
      file[i + 1] ^= std::byte{5};
      break;
    }
  }
  CHECK_THAT(refusal(file, options), ContainsSubstring("damaged after"));
}

TEST_CASE("Kinds of JPEG that are not supported are refused by name") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.h = 2, .v = 2});
  const std::size_t frame = frame_at(file);
  const auto with = [&](std::size_t at, int value) { return with_byte(file, at, value); };
  CHECK_THAT(refusal(with(frame, 12), options), ContainsSubstring("12-bit"));
  CHECK_THAT(refusal(with(frame - 3, 0xC9), options), ContainsSubstring("arithmetic"));
  CHECK_THAT(refusal(with(frame - 3, 0xC3), options), ContainsSubstring("lossless"));
  CHECK_THAT(refusal(with(frame - 3, 0xC5), options), ContainsSubstring("hierarchical"));
  // Luma 2x2, second component 3x1: not a whole fraction of the largest.
  CHECK_THAT(refusal(with(frame + 10, 0x31), options), ContainsSubstring("fraction"));
  Bytes huge = file;
  for (const std::size_t i : {1, 3}) huge[frame + i] = std::byte{0xF0};
  CHECK_THAT(refusal(huge, options), ContainsSubstring("cannot be in a file of"));
  CHECK(refusal(owned("this is text and no picture"), options) == "is not a JPEG");
  CHECK(refusal({}, options) != "");
  for (const Bytes& bad : {with(frame, 12), huge}) {
    CHECK_THROWS_AS(jpeg::codec.read_header(bad), ImageFileError);
  }
}

TEST_CASE("A JPEG of hundreds of scans is refused") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  JpegPicture picture{.space = JCS_GRAYSCALE, .progressive = false};
  picture.scans.push_back({1, {0}, 0, 0, 0, 0});
  for (int k = 1; k < 64; ++k) {
    picture.scans.push_back({1, {0}, k, k, 0, 3});
    for (int low = 2; low >= 0; --low) picture.scans.push_back({1, {0}, k, k, low + 1, low});
  }
  CHECK_THAT(refusal(make_jpeg(picture), options), ContainsSubstring("scans"));
}

TEST_CASE("The same input gives the same bytes") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.width = 64, .height = 48, .h = 2, .v = 2, .optimised = true});
  CHECK(turn(file, Orientation::rotate90, options) == turn(file, Orientation::rotate90, options));
}

TEST_CASE("What follows the picture is kept byte for byte") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  Bytes file = make_jpeg({});
  const Bytes plain = turn(file, Orientation::rotate90, options);
  file.resize(file.size() + 100);
  file.back() = std::byte{1};
  const TurnedJpeg alone = turn_and_tell(file, Orientation::rotate90, options);
  CHECK(alone.warnings.empty());  // what it is, and whether it has to be turned, finish() says
  CHECK(alone.file == plain);
  const Bytes turned = turned_jpeg(file, Orientation::rotate90, options);
  REQUIRE(turned.size() == plain.size() + 100);
  CHECK(std::equal(plain.begin(), plain.end(), turned.begin()));
  CHECK(std::equal(file.end() - 100, file.end(), turned.end() - 100));
}

TEST_CASE("A lossless turn keeps the Huffman tables") {
  const auto rotated = [&](const JpegPicture& picture) {
    return turn(make_jpeg(picture), Orientation::rotate90, by_coefficients);
  };
  CHECK(look_inside(rotated({})).standard_huffman);
  // Optimised tables are taken over, with codes for what the source had no need of.
  CHECK_FALSE(look_inside(rotated({.optimised = true})).standard_huffman);
  CHECK(rotated({.optimised = true}).size() < rotated({}).size());
}

TEST_CASE("The kind of coding stays: scans, restarts") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const auto rotated = [&](const JpegPicture& picture) {
    return look_inside(turn(make_jpeg(picture), Orientation::rotate90, options));
  };
  CHECK(rotated({}).restart_interval == 0);
  CHECK_FALSE(rotated({}).progressive);
  const JpegPicture progressive{.h = 2, .v = 2, .progressive = true};
  CHECK(rotated(progressive).progressive);
  CHECK(rotated(progressive).scans == look_inside(make_jpeg(progressive)).scans);
  CHECK(rotated({.one_scan_each = true}).scans == 3);
  // 64 x 48 at 1x1: 8 blocks a row. Two whole rows stay two rows, three blocks stay three.
  CHECK(rotated({.restart_interval = 16}).restart_interval == 12);
  CHECK(rotated({.restart_interval = 3}).restart_interval == 3);
}

TEST_CASE("A JPEG whose tables are missing is a failure") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.optimised = true});
  // Without the first quantisation table: its segment becomes a comment.
  const Bytes without = with_byte(file, markers_at(file, 0xDB).front() + 1, JPEG_COM);
  CHECK_THAT(refusal(without, options), ContainsSubstring("Quantization table"));
}

TEST_CASE("Two starts, zero sizes, and a thousand components are failures") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({});
  Bytes twice = file;
  twice.insert(twice.begin(), file.begin(), file.begin() + 2);
  CHECK_THAT(refusal(twice, options), ContainsSubstring("two SOI"));
  const std::size_t frame = frame_at(file);
  const auto with = [&](std::size_t at, int value) { return with_byte(file, at, value); };
  // No rows: they would come in a DNL marker. No columns, no sampling, no or many components.
  for (const auto& [at, value] : {std::pair{2, 0}, {4, 0}, {7, 0x01}, {7, 0x10}, {5, 0}, {5, 200}})
    CHECK(refusal(with(frame + static_cast<std::size_t>(at), value), options) != "");
}

TEST_CASE("Turning stops when asked to") {
  const JpegOptions options = GENERATE(by_coefficients, by_planes);
  const Bytes file = make_jpeg({.progressive = GENERATE(false, true)});
  const Orientation orientation = Orientation::rotate90;
  PixelArena arena;
  std::vector<std::string> warnings;
  const std::atomic<bool> stop = true, go_on = false;
  JpegTurn stopped(file, options), jpeg(file, options);
  CHECK_THROWS_AS(stopped.read(std::span(&orientation, 1), arena, stop, warnings), Interrupted);
  jpeg.read(std::span(&orientation, 1), arena, go_on, warnings);
  CHECK_THROWS_AS(jpeg.turn(orientation, stop), Interrupted);
}

TEST_CASE("A tagged turn changes the orientation and nothing else") {
  const Bytes exif = exif_with(Orientation::rotate90);
  Bytes app1 = owned("Exif\0\0"sv);
  app1.insert(app1.end(), exif.begin(), exif.end());
  const Bytes tagged = make_jpeg({.markers = {{JPEG_APP0 + 1, app1}}});
  std::vector<std::string> warnings;
  const auto tag = [&](const Bytes& file, Orientation orientation) {
    return retag_jpeg(file, orientation, MissingTag::is_added, turn_embedded_jpeg, warnings);
  };
  const Bytes turned = tag(tagged, Orientation::flip);
  CHECK(jpeg::codec.read_header(turned).stored == Orientation::flip);
  REQUIRE(turned.size() == tagged.size());
  int different = 0;
  for (std::size_t i = 0; i < turned.size(); ++i) different += turned[i] != tagged[i];
  CHECK(different == 1);

  // Without Exif, a block of 36 bytes is put after JFIF's.
  const Bytes plain = make_jpeg({});
  const Bytes added = tag(plain, Orientation::rotate270);
  CHECK(jpeg::codec.read_header(added).stored == Orientation::rotate270);
  REQUIRE(added.size() == plain.size() + 36);
  CHECK(std::equal(plain.begin(), plain.begin() + 20, added.begin()));
  CHECK(std::equal(plain.begin() + 20, plain.end(), added.begin() + 56));
  CHECK(warnings.empty());
}

}  // namespace jpeg_turn_test
