// What a file says about its picture: what is turned, what is known to be harmless, what is known
// to be stale, and what nobody knows.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/check/check.hpp"
#include "src/formats/codec/zlib.hpp"
#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/base64.hpp"
#include "src/turn/picture_turn.hpp"
#include "src/turn/proof.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace unknown_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;
using Names = std::vector<std::string>;

TurnOutcome planned(const Bytes& file, Orientation orientation = Orientation::rotate90) {
  return PictureTurn(file, "", {.jpeg = {}}).plan(orientation);
}

struct Says {
  Names unknown = {}, stale = {};
  bool has_note = false;
  bool operator==(const Says&) const = default;
};

Says said_of(const Bytes& file) {
  const TurnOutcome outcome = planned(file);
  CHECK(planned(file, Orientation::identity).kept_unknown.empty());
  CHECK(planned(file, Orientation::identity).stale_metadata.empty());
  CHECK_FALSE(planned(file, Orientation::identity).kept_maker_note);
  return {outcome.kept_unknown, outcome.stale_metadata, outcome.kept_maker_note};
}

Bytes jpeg_with(int app, const std::string& payload) {
  std::string file = cli::jpeg(cli::smooth_picture(16, 16));
  return owned(file.insert(2, jpeg_segment(static_cast<unsigned char>(0xE0 + app), payload)));
}

Bytes png_with(const std::string& chunks) {
  return owned(cli::png(cli::smooth_picture(5, 3), chunks));
}

Bytes webp_with(const std::string& type, const std::string& data) {
  std::string file = small_webp;
  std::string size(4, '\0');
  size[0] = static_cast<char>(data.size());
  file += type + size + data;
  file[4] = static_cast<char>(file.size() - 8);
  return owned(file);
}

Bytes plain_tiff() { return owned(cli::encoded(cli::smooth_picture(5, 3), tiff::codec)); }

Bytes tiff_with(std::uint16_t tag, const std::string& value) {
  return with_field(plain_tiff(), {.tag = tag,
                                   .type = tiff::tiff_type::undefined,
                                   .count = value.size(),
                                   .value = owned(value)});
}

std::string xmp_payload(const std::string& packet) {
  return "http://ns.adobe.com/xap/1.0/\0"s + packet;
}

// An even number of bytes.
std::string resource(int id, const std::string& data) {
  const ByteOrder order{false};
  return "8BIM" + order.u16(static_cast<unsigned>(id)) + "\0\0"s + order.u32(data.size()) + data;
}

std::string png_xmp_chunk(const std::string& packet, bool is_compressed) {
  const std::string stream(text_of(zlib_of(bytes_of(packet))));
  return cli::png_chunk("iTXt", "XML:com.adobe.xmp\0"s + (is_compressed ? '\1' : '\0') +
                                    "\0en\0word\0"s + (is_compressed ? stream : packet));
}

}  // namespace

TEST_CASE("A block that nobody knows is kept, and named") {
  CHECK(said_of(jpeg_with(9, "Depth-Q 1")) == Says{.unknown = {"APP9 Depth-Q"}});
  CHECK(said_of(jpeg_with(3, "\1\2\3"s)) == Says{.unknown = {"APP3"}});
  CHECK(said_of(jpeg_with(13, "Photoshop 3.0\0"s + resource(1500, "ab"))) ==
        Says{.unknown = {"Photoshop 1500"}});
  CHECK(said_of(png_with(cli::png_chunk("dePt", "ab"))) == Says{.unknown = {"PNG dePt"}});
  CHECK(said_of(png_with(cli::png_chunk("zTXt", "Raw profile type xmp\0\0ab"s))) ==
        Says{.unknown = {"PNG Raw profile type xmp"}});
  CHECK(said_of(webp_with("DEPT", "ab")) == Says{.unknown = {"WebP DEPT"}});
  CHECK(said_of(tiff_with(65123, "ab")) == Says{.unknown = {"TIFF 65123"}});
  CHECK(said_of(tiff_with(34377, resource(1500, "ab"))) == Says{.unknown = {"Photoshop 1500"}});
  const std::string packet = xmp_with("http://example.org/depth/", "<a:Near>1</a:Near>");
  const Says depth{.unknown = {"XMP http://example.org/depth/"}};
  CHECK(said_of(jpeg_with(1, xmp_payload(packet))) == depth);
  CHECK(said_of(png_with(png_xmp_chunk(packet, false))) == depth);
  CHECK(said_of(png_with(png_xmp_chunk(packet, true))) == depth);
  CHECK(said_of(tiff_with(700, packet)) == depth);
}

namespace {

enum In { first, exif, gps, interoperability };

// An Exif block with these fields in one of its directories.
std::string exif_with(In in, const std::vector<ExifDirectory::Entry>& fields) {
  const ByteOrder order{false};
  std::array<ExifDirectory, 4> all;
  all[first].add_long(0x8769, 0, order);
  all[first].add_long(0x8825, 0, order);
  all[exif].add_long(0xA005, 0, order);
  all[gps].add_text(29, "2026:11:28");
  all[interoperability].add_text(1, "R98");
  all[in].entries.insert(all[in].entries.end(), fields.begin(), fields.end());
  std::array<std::size_t, 4> at = {8};
  for (std::size_t i = 1; i < all.size(); ++i) at[i] = at[i - 1] + all[i - 1].bytes();
  all[first].entries[0].value = order.u32(at[exif]);
  all[first].entries[1].value = order.u32(at[gps]);
  all[exif].entries[0].value = order.u32(at[interoperability]);
  std::string block = "MM" + order.u16(42) + order.u32(8);
  for (std::size_t i = 0; i < all.size(); ++i) block += all[i].at(at[i], 0, order);
  return block;
}

std::string exif_with(In in, unsigned tag, const std::string& value) {
  return exif_with(in, {{tag, 7, value.size(), value}});
}

Bytes jpeg_with_exif(const std::string& block) { return jpeg_with(1, "Exif\0\0"s + block); }

// A TIFF with the directories of an Exif block.
Bytes tiff_with_exif(const std::string& block) {
  return with_page(plain_tiff(), [&](tiff::TiffDirectory& page) {
    page.children = tiff::read_tiff(bytes_of(block)).pages.front().children;
  });
}

}  // namespace

TEST_CASE("A field of an Exif block that nobody knows is named") {
  const auto said = [](In in, unsigned tag, const std::string& value = "content") {
    return said_of(jpeg_with_exif(exif_with(in, tag, value)));
  };
  CHECK(said(first, 50001) == Says{.unknown = {"Exif 50001"}});
  CHECK(said(exif, 50001, "a") == Says{.unknown = {"Exif 50001"}});
  CHECK(said(gps, 40) == Says{.unknown = {"GPS 40"}});
  CHECK(said(interoperability, 40) == Says{.unknown = {"Interoperability 40"}});
  CHECK(said(exif, 50001, "\0\0\0\0 "s) == Says());
  // What is turned in the pages of a TIFF, and nowhere else.
  CHECK(said(first, 33550) == Says{.unknown = {"Exif 33550"}});
  CHECK(said(exif, 34377, resource(1500, "ab")) == Says{.unknown = {"Photoshop 1500"}});

  const Says unknown{.unknown = {"Exif 50001"}};
  const std::string block = exif_with(exif, 50001, "content");
  CHECK(said_of(png_with(cli::png_chunk("eXIf", block))) == unknown);
  CHECK(said_of(webp_with("EXIF", block)) == unknown);
  CHECK(said_of(tiff_with_exif(block)) == unknown);
}

TEST_CASE("Fields of Exif that are turned or do not depend on the orientation are not named") {
  for (const unsigned tag : {36864, 37121, 37387, 37390, 37396, 37888, 40962, 41486, 41492, 42036,
                             42039, 42080, 42240, 50341, 59932, 65000})
    CHECK(said_of(jpeg_with_exif(exif_with(exif, tag, "content"))) == Says());
  for (const unsigned tag : {4097, 18246, 40091, 33723, 33434, 42034})
    CHECK(said_of(jpeg_with_exif(exif_with(first, tag, "content"))) == Says());
  CHECK(said_of(jpeg_with_exif(exif_with(gps, 31, "content"))) == Says());
  CHECK(said_of(jpeg_with_exif(exif_with(interoperability, 4097, "content"))) == Says());
  const Says note{.has_note = true};
  CHECK(said_of(jpeg_with_exif(exif_with(exif, 37500, "note"))) == note);
  CHECK(said_of(tiff_with_exif(exif_with(exif, 37500, "note"))) == note);
}

TEST_CASE("Fields of Exif that depend on the orientation and are not turned are stale") {
  const Says crop{.stale = {"its crops and corrections (DNG)"}};
  CHECK(said_of(jpeg_with_exif(exif_with(first, 50829, "content"))) == crop);
  CHECK(said_of(tiff_with(51009, "ab")) == crop);
  CHECK(said_of(jpeg_with_exif(exif_with(first, 37724, "content"))) ==
        Says{.stale = {"its layers (Photoshop)"}});
}

TEST_CASE("Large fields of a TIFF are looked at, too") {
  const std::string large(1 << 17, 'a');
  CHECK(said_of(tiff_with(65123, large)) == Says{.unknown = {"TIFF 65123"}});
  CHECK(said_of(tiff_with(37724, large)) == Says{.stale = {"its layers (Photoshop)"}});
  std::string resources;
  for (int i = 0; i < 600; ++i) resources += resource(1028, std::string(120, 'a'));
  CHECK(said_of(tiff_with(34377, resources + resource(2000, "ab"))) ==
        Says{.stale = {"its paths (Photoshop)"}});
}

TEST_CASE("What is empty, or known to be harmless, is not named") {
  const std::string harmless[] = {
      xmp_with("http://example.org/depth/", ""),
      xmp_with("http://example.org/depth/", "<a:Near> </a:Near>"),
      xmp_with("http://purl.org/dc/elements/1.1/", "<a:format>image/jpeg</a:format>")};
  for (const std::string& packet : harmless) {
    CHECK(said_of(jpeg_with(1, xmp_payload(packet))) == Says());
    CHECK(said_of(png_with(png_xmp_chunk(packet, true))) == Says());
  }
  const std::string segments[] = {"Ducky\0\1\0\4\0\0\0\x50\0\0"s, "[picture info] a"};
  for (const std::string& payload : segments) CHECK(said_of(jpeg_with(12, payload)) == Says());
  CHECK(said_of(jpeg_with(5, std::string(72, '\0'))) == Says());
  CHECK(said_of(jpeg_with(13, "Photoshop 3.0\0"s + resource(1028, "ab") + resource(1061, "cd"))) ==
        Says());
  CHECK(said_of(png_with(cli::png_chunk("tEXt", "Comment\0kept"s) + cli::png_chunk("dePt", ""))) ==
        Says());
  CHECK(said_of(webp_with("ICCP", "ab")) == Says());
  CHECK(said_of(tiff_with(42113, "-9999")) == Says());
}

TEST_CASE("What depends on the orientation and is not turned is stale, and has a name") {
  const std::string path = resource(2000, "ab"), segment = "Photoshop 3.0\0"s;
  const Says paths{.stale = {"its paths (Photoshop)"}};
  CHECK(said_of(jpeg_with(13, segment + path)) == paths);
  CHECK(said_of(jpeg_with(13, segment + resource(1028, "ab") + path)) == paths);
  CHECK(said_of(tiff_with(34377, path)) == paths);
  CHECK(said_of(tiff_with(37724, "layers")) == Says{.stale = {"its layers (Photoshop)"}});
  CHECK(said_of(tiff_with(343, "ab")) == Says{.stale = {"its clipping path (TIFF)"}});
  CHECK(said_of(jpeg_with(1, "FLIR\0ab"s)) == Says{.stale = {"its thermal data (FLIR)"}});
  CHECK(said_of(jpeg_with(
            1, xmp_payload(xmp_with("http://www.metadataworkinggroup.com/schemas/regions/",
                                    "<a:Rotation>1.57</a:Rotation>")))) ==
        Says{.stale = {"its faces' rotation (mwg-rs)"}});
}

namespace {

// A page of 5 x 3 pixels, x and y pixels from the edges of a canvas, at 100 pixels per unit.
Bytes tiff_at(std::uint32_t x, std::uint32_t y, Size canvas) {
  using namespace qturn::tiff;
  return with_page(plain_tiff(), [&](TiffDirectory& page) {
    const auto set = [&](std::uint16_t tag, std::uint64_t over, std::uint64_t under) {
      TiffField field = u32_field(tag, {over, under});
      field.type = tiff_type::rational;
      field.count = 1;
      set_field(page, field);
    };
    set(tiff_tag::x_resolution, 100, 1);
    set(tiff_tag::y_resolution, 100, 1);
    set(286, x, 100);
    set(287, y, 100);
    if (canvas.width == 0) return;
    set_field(page, u32_field(33300, static_cast<std::uint64_t>(canvas.width)));
    set_field(page, u32_field(33301, static_cast<std::uint64_t>(canvas.height)));
  });
}

std::vector<std::uint64_t> place_in(const Bytes& file) {
  const tiff::TiffDirectory page = tiff::read_tiff(file).pages.front();
  const auto position = [&](std::uint16_t tag) {
    const auto& value = page.find(tag)->value;
    return 100 * little_endian(value, 0, 4) / little_endian(value, 4, 4);
  };
  return {position(286), position(287), page.integer(33300, 0), page.integer(33301, 0)};
}

}  // namespace

TEST_CASE("A page of a TIFF keeps its place on a canvas of a known size") {
  const Bytes file = tiff_at(30, 10, {60, 40});
  CHECK(said_of(file) == Says());
  const auto place = [&](Orientation orientation) {
    return place_in(turn_file(file, tiff::codec, orientation));
  };
  using Numbers = std::vector<std::uint64_t>;
  CHECK(place(Orientation::flop) == Numbers{25, 10, 60, 40});
  CHECK(place(Orientation::flip) == Numbers{30, 27, 60, 40});
  CHECK(place(Orientation::rotate90) == Numbers{27, 30, 40, 60});
  CHECK(place(Orientation::rotate270) == Numbers{10, 25, 40, 60});
  CHECK(place(Orientation::transpose) == Numbers{10, 30, 40, 60});
  const Says stale{.stale = {"its place on a page (XPosition)"}};
  CHECK(said_of(tiff_at(30, 10, {})) == stale);
  CHECK(said_of(tiff_at(57, 10, {60, 40})) == stale);
}

TEST_CASE("Resources of Photoshop that go on in another segment are read") {
  const std::string whole = resource(1028, "abcd") + resource(2001, "ab");
  std::string file = cli::jpeg(cli::smooth_picture(16, 16));
  std::string segments;
  for (const std::string& part : {whole.substr(0, 15), whole.substr(15)})
    segments += jpeg_segment(0xED, "Photoshop 3.0\0"s + part);
  CHECK(said_of(owned(file.insert(2, segments))) == Says{.stale = {"its paths (Photoshop)"}});
}

TEST_CASE("XMP in a compressed chunk of a PNG is turned") {
  const std::string packet =
      xmp_with("http://ns.adobe.com/tiff/1.0/", "<a:Orientation>6</a:Orientation>");
  for (const bool is_compressed : {false, true}) {
    const Bytes file = png_with(png_xmp_chunk(packet, is_compressed));
    std::vector<std::string> warnings;
    const Bytes turned =
        png::turn_png_metadata(file, {.stored = Orientation::rotate90, .size = {5, 3}},
                               MissingTag::stays_absent, warnings);
    CHECK(warnings.empty());
    const auto chunks = png::png_chunks(turned);
    CHECK(png::png_xmp(chunks[1]).find("<a:Orientation>1<") != std::string::npos);
    // The languages and the kind of compression stay.
    CHECK(text_of(chunks[1].data).substr(18, 10) ==
          text_of(png::png_chunks(file)[1].data).substr(18, 10));
    const Header header = png::codec.read_header(file);
    CHECK(header.has_ignored_tag);
  }
}

TEST_CASE("XMP in a damaged chunk of a PNG stays, with a warning, and check finds it") {
  const Bytes file = png_with(cli::png_chunk("iTXt", "XML:com.adobe.xmp\0\1\0\0\0no stream"s));
  std::vector<std::string> warnings;
  const MetadataTurn turn{.tag = Orientation::rotate90, .size = {5, 3}};
  CHECK(png::turn_png_metadata(file, turn, MissingTag::stays_absent, warnings) == file);
  CHECK(warnings == Names{"its XMP is damaged and stays as it was"});
  CHECK(check_metadata(file, png::codec, {}).findings() == Names{"XMP is damaged"});
}

namespace {

// Photoshop's thumbnail of the kind 1, a JPEG.
std::string thumbnail_of(int id, int width, int height, unsigned kind = 1) {
  const ByteOrder order{false};
  std::string jpeg = cli::jpeg(cli::smooth_picture(width, height));
  if (jpeg.size() % 2 != 0) jpeg += '\0';
  const auto row = static_cast<std::uint64_t>((24 * width + 31) / 32 * 4);
  return resource(id, order.u32(kind) + order.u32(static_cast<unsigned>(width)) +
                          order.u32(static_cast<unsigned>(height)) + order.u32(row) +
                          order.u32(row * static_cast<unsigned>(height)) + order.u32(jpeg.size()) +
                          order.u16(24) + order.u16(1) + jpeg);
}

// 72 pixels per inch across, 300 down.
std::string resolution_of(unsigned across, unsigned down) {
  const ByteOrder order{false};
  return resource(1005, order.u32(across << 16) + order.u16(1) + order.u16(2) +
                            order.u32(down << 16) + order.u16(1) + order.u16(2));
}

Names findings_in(const Bytes& file, const Codec& codec) {
  return check_metadata(file, codec, {}).findings();
}

// Proved as a run in place proves it.
Turned turned_and_proved(const Bytes& file, const Codec& codec, Orientation orientation) {
  Turned turned = turn(file.data(), file.size(), orientation, {});
  const std::atomic<bool> never{false};
  const Header header = codec.read_header(file);
  const MetadataTurn proof{.stored = header.stored,
                           .pixels = turned.outcome.applied,
                           .size = turned.outcome.size,
                           .untrimmed = header.size()};
  CHECK_NOTHROW(prove_parts(codec, file, turned.bytes, proof, JpegEdges::reencode, false, never));
  return turned;
}

Bytes turned_by_program(const Bytes& file, const Codec& codec, Orientation orientation) {
  const Turned turned = turned_and_proved(file, codec, orientation);
  CHECK(turned.warnings == Names());
  CHECK(findings_in(turned.bytes, codec) == Names());
  return turned.bytes;
}

}  // namespace

TEST_CASE("Photoshop's thumbnail and resolution turn with the picture") {
  const std::string segment = "Photoshop 3.0\0"s;
  const int id = GENERATE(1033, 1036);
  const std::string before =
                        resolution_of(72, 300) + thumbnail_of(id, 16, 8) + resource(1028, "abcd"),
                    after = thumbnail_of(id, 8, 16);
  const Bytes jpeg = jpeg_with(13, segment + before), tiff = tiff_with(34377, before);
  CHECK(said_of(jpeg) == Says());
  CHECK(said_of(tiff) == Says());
  const Bytes turned_jpeg = turned_by_program(jpeg, jpeg::codec, Orientation::rotate90);
  const Bytes turned_tiff = turned_by_program(tiff, tiff::codec, Orientation::rotate90);
  for (const Bytes& file : {turned_jpeg, turned_tiff}) {
    CHECK(text_of(file).find(resolution_of(300, 72)) != std::string_view::npos);
    CHECK(text_of(file).find(resource(1028, "abcd")) != std::string_view::npos);
    const std::size_t at = text_of(file).find("8BIM\4"s + static_cast<char>(id & 255));
    REQUIRE(at != std::string_view::npos);
    const auto data = std::span(file).subspan(at + 12);
    CHECK(text_of(data).substr(0, 20) == after.substr(12, 20));
    CHECK(big_endian(data, 20, 4) + 28 == big_endian(file, at + 8, 4));
    CHECK(jpeg_size(data.subspan(28)) == Size{8, 16});
  }
  // One that is not a JPEG stays.
  const Says stale{.stale = {"its thumbnail (Photoshop)"}};
  CHECK(said_of(jpeg_with(13, segment + thumbnail_of(id, 16, 8, 0))) == stale);
  CHECK(said_of(jpeg_with_exif(exif_with(first, 34377, thumbnail_of(id, 16, 8)))) == stale);
}

TEST_CASE(
    "Photoshop's thumbnail that cannot be decoded stays, and the proof lets the picture pass") {
  std::string damaged = thumbnail_of(1036, 16, 8);
  const std::size_t scan = damaged.find("\xFF\xC4");  // its Huffman tables
  REQUIRE(scan != std::string::npos);
  damaged.replace(scan + 4, 17, 17, '\xFF');
  const auto expect_kept = [](const Bytes& file, const Codec& codec) {
    const Turned turned = turned_and_proved(file, codec, Orientation::rotate90);
    REQUIRE(turned.warnings.size() == 1);
    CHECK(turned.warnings[0].starts_with("the thumbnail of Photoshop stays as it was: "));
    CHECK(findings_in(turned.bytes, codec).size() == 1);
  };
  expect_kept(owned(cli::jpeg(cli::smooth_picture(32, 16))
                        .insert(2, jpeg_segment(0xED, "Photoshop 3.0\0"s + damaged))),
              jpeg::codec);
  expect_kept(tiff_with(34377, damaged), tiff::codec);
}

TEST_CASE("Check finds thumbnails and depth maps of another shape, and a subject outside") {
  const Names thumbnail = findings_in(
      owned(cli::jpeg(cli::smooth_picture(32, 16))
                .insert(2, jpeg_segment(0xED, "Photoshop 3.0\0"s + thumbnail_of(1036, 8, 16)))),
      jpeg::codec);
  REQUIRE(thumbnail.size() == 1);
  CHECK(thumbnail[0].starts_with("the thumbnail of Photoshop is 8 x 16, of another shape"));
  const std::string depth = base64(bytes_of(cli::png(cli::smooth_picture(3, 5), "")));
  const std::string packet =
      xmp_with("http://ns.google.com/photos/1.0/depthmap/",
               "<a:ImageWidth>3</a:ImageWidth><a:ImageHeight>5</a:ImageHeight>"
               "<a:Data>" +
                   depth + "</a:Data>");
  const Names found = findings_in(png_with(png_xmp_chunk(packet, true)), png::codec);
  REQUIRE(found.size() == 2);
  CHECK(found[0].starts_with("GDepth says 3 x 5, the pixels are 5 x 3"));
  CHECK(found[1].starts_with("its depth map (GDepth) is 3 x 5, of another shape"));
  const ByteOrder order{false};
  const Names subject = findings_in(
      jpeg_with_exif(exif_with(exif, {{0x9214, 3, 2, order.u16(16) + order.u16(3)}})), jpeg::codec);
  CHECK(subject == Names{"Exif says that the subject is at 16, 3, outside the picture"});
}

TEST_CASE("Thermal data and previews in segments are stale, by their makers") {
  const std::string maker =
      jpeg_segment(0xE1, "Exif\0\0"s + exif_with(first, {{271, 2, 4, "DJI\0"s}}));
  const auto with = [&](const std::string& segments) {
    return said_of(owned(cli::jpeg(cli::smooth_picture(16, 16)).insert(2, segments)));
  };
  const Says dji{.stale = {"its thermal data (DJI)"}};
  CHECK(with(maker + jpeg_segment(0xE3, "\1\2\3")) == dji);
  CHECK(with(maker + jpeg_segment(0xE4, "\xaa\x55\x12\x06 and more")) == dji);
  CHECK(with(jpeg_segment(0xE3, "\1\2\3")) == Says{.unknown = {"APP3"}});
  CHECK(with(jpeg_segment(0xE2, "abcdIJPEG\0"s) + jpeg_segment(0xE3, "\1\2\3")) ==
        Says{.stale = {"its thermal data (InfiRay)"}});
  CHECK(with(jpeg_segment(0xE1, "PARROT\0II"s)) == Says{.stale = {"its thermal data (Parrot)"}});
  CHECK(with(jpeg_segment(0xE2, "\xff\xd8\xff and more")) ==
        Says{.stale = {"a preview in a segment"}});
}

namespace {

std::string depth_packet(const std::string& data) {
  return xmp_with("http://ns.google.com/photos/1.0/depthmap/",
                  "<a:Mime>image/png</a:Mime><a:ImageWidth>32</a:ImageWidth>"
                  "<a:ImageHeight>16</a:ImageHeight><a:Data>" +
                      data + "</a:Data>");
}

std::string picture_with(const std::string& segments) {
  return cli::jpeg(cli::smooth_picture(32, 16)).insert(2, segments);
}

std::optional<Size> size_of_depth_map(std::string_view packet) {
  const auto pictures = pictures_in_xmp(packet);
  return pictures.size() == 1 ? embedded_size(pictures[0].bytes) : std::nullopt;
}

}  // namespace

TEST_CASE("A depth map in the text of XMP turns with the picture (GDepth)") {
  const std::string png = cli::png(cli::smooth_picture(8, 4), ""),
                    jpeg = cli::jpeg(cli::smooth_picture(8, 4));
  for (const std::string& map : {png, jpeg}) {
    const Bytes file =
        owned(picture_with(jpeg_segment(0xE1, xmp_payload(depth_packet(base64(bytes_of(map)))))));
    CHECK(said_of(file) == Says());
    const Bytes turned = turned_by_program(file, jpeg::codec, Orientation::rotate90);
    const jpeg::JpegFile read(turned);
    const auto segment = std::ranges::find_if(read.segments, jpeg::is_xmp);
    REQUIRE(segment != read.segments.end());
    const std::string_view packet = jpeg::xmp_packet(*segment);
    CHECK(size_of_depth_map(packet) == Size{4, 8});
    CHECK(packet.find("<a:ImageWidth>16</a:ImageWidth>") != std::string_view::npos);
    const Bytes back = turned_by_program(turned, jpeg::codec, Orientation::rotate270);
    const jpeg::JpegFile again(back);
    const auto first_one =
        pictures_in_xmp(jpeg::xmp_packet(*std::ranges::find_if(again.segments, jpeg::is_xmp)));
    REQUIRE(first_one.size() == 1);
    if (map == png) {
      CHECK_NOTHROW(prove_pixels(Decoded(bytes_of(png), png::codec).image,
                                 Decoded(first_one[0].bytes, png::codec).image,
                                 Orientation::identity, std::atomic<bool>{false}));
    }
  }
  const Says stale{.stale = {"its depth map (GDepth)"}};
  CHECK(said_of(jpeg_with(1, xmp_payload(depth_packet("bm8gcGljdHVyZQ==")))) == stale);
  CHECK(said_of(jpeg_with(1, xmp_payload(depth_packet("not base64")))) == stale);
}

TEST_CASE("A JPEG needs memory for the largest depth map in its XMP") {
  const auto needed_for = [](int width, int height) {
    const std::string map = cli::png(cli::smooth_picture(width, height), "");
    const Bytes file =
        owned(picture_with(jpeg_segment(0xE1, xmp_payload(depth_packet(base64(bytes_of(map)))))));
    const Orientation applied = Orientation::rotate90;
    return jpeg::JpegTurn(file, {}).bytes_needed(std::span(&applied, 1)) - 2 * file.size() -
           file.size() / 4;
  };
  CHECK(needed_for(64, 32) - needed_for(8, 4) == 15 * (64 * 32 - 8 * 4));
}

TEST_CASE("A depth map in extended XMP turns, and takes more segments where it becomes longer") {
  // A PNG that grows: its rows are alike, its columns are not.
  std::string noise(200000, '\0');
  std::uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::string map =
      cli::png(cli::smooth_picture(64, 32), cli::png_chunk("tEXt", "a\0"s + noise));
  const std::string packet = depth_packet(base64(bytes_of(map)));
  const std::string name = jpeg::md5(packet);
  const Bytes file = owned(
      picture_with(xmp_segment(xmp_with("http://ns.adobe.com/xmp/note/",
                                        "<a:HasExtendedXMP>" + name + "</a:HasExtendedXMP>")) +
                   extended_xmp_segments(packet, name, 65000)));
  CHECK(said_of(file) == Says());
  const Bytes turned = turned_by_program(file, jpeg::codec, Orientation::rotate90);
  const jpeg::JpegFile read(turned);
  const jpeg::ExtendedXmp extended = jpeg::read_extended_xmp(read.segments);
  CHECK_FALSE(extended.damaged);
  CHECK(extended.name == jpeg::md5(extended.packet));
  CHECK(size_of_depth_map(extended.packet) == Size{32, 64});
}

TEST_CASE("Depth maps that Dynamic Depth lists turn, be they JPEGs or PNGs") {
  for (const bool is_png : {false, true}) {
    const std::string map =
        is_png ? cli::png(cli::smooth_picture(8, 4), "") : cli::jpeg(cli::smooth_picture(8, 4));
    const std::string packet = xmp_with(
        "http://ns.google.com/photos/dd/1.0/device/",
        "<a:Container><C:Directory xmlns:C='http://ns.google.com/photos/dd/1.0/container/' "
        "xmlns:I='http://ns.google.com/photos/dd/1.0/item/'><rdf:Seq>"
        "<rdf:li><C:Item I:Mime='image/jpeg' I:Length='0' I:DataURI='primary'/></rdf:li>"
        "<rdf:li><C:Item I:Mime='image/" +
            std::string(is_png ? "png" : "jpeg") + "' I:Length='" + std::to_string(map.size()) +
            "' I:DataURI='depth'/></rdf:li></rdf:Seq></C:Directory></a:Container>");
    const Bytes file = owned(picture_with(jpeg_segment(0xE1, xmp_payload(packet))) + map);
    CHECK(said_of(file) == Says());
    const Bytes turned = turned_by_program(file, jpeg::codec, Orientation::rotate90);
    CHECK(embedded_size(std::span(turned).subspan(jpeg::JpegFile(turned).end)) == Size{4, 8});
  }
  const auto with = [](const std::string& space) {
    return said_of(jpeg_with(1, xmp_payload(xmp_with(space, "<a:Near>1</a:Near>"))));
  };
  CHECK(with("http://ns.google.com/photos/dd/1.0/device/") ==
        Says{.stale = {"its depth map (Dynamic Depth)"}});
  CHECK(with("http://ns.google.com/photos/dd/1.0/imagingmodel/") ==
        Says{.stale = {"its camera (Dynamic Depth)"}});
}

}  // namespace unknown_test
