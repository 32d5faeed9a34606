// The orientation metadata of files of chunks, PNG and WebP.
#include <catch2/catch_test_macros.hpp>

#include "src/check/check.hpp"
#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/formats/table.hpp"
#include "src/formats/webp/chunks.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace chunk_metadata_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::webp;
using namespace qturn::tests;
using std::string_literals::operator""s;

const MetadataTurn tag_rotate90{.tag = Orientation::rotate90, .size = {5, 3}};

std::string types_of(const Bytes& png) {
  std::string types;
  for (const PngChunk& chunk : png_chunks(png)) types += std::string(chunk.type) + " ";
  return types;
}

std::string types_of_webp(const Bytes& webp) {
  std::string types;
  for (const WebpChunk& chunk : webp_chunks(webp)) types += std::string(chunk.type) + ",";
  return types;
}

}  // namespace

TEST_CASE("A tag is added to a PNG before its pixels, and what follows its end stays") {
  const std::string text = png_chunk("tEXt", "Comment\0kept"s);
  const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), text) + "behind");
  std::vector<std::string> warnings;
  const Bytes after = turn_png_metadata(before, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of(after) == "IHDR tEXt eXIf IDAT IEND ");
  CHECK(png_orientation(png_chunks(after)) == Orientation::rotate90);
  CHECK(text_of(after).ends_with("behind"));
  CHECK(turn_png_metadata(before, tag_rotate90, MissingTag::stays_absent, warnings) == before);
  CHECK(warnings.empty());
}

TEST_CASE("A PNG's manifest and XMP that is not XML stay") {
  const std::string broken = png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<a"s);
  const std::string manifest = png_chunk("caBX", "jumb");
  const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), broken + manifest));
  std::vector<std::string> warnings;
  CHECK(turn_png_metadata(before, tag_rotate90, MissingTag::stays_absent, warnings) == before);
  CHECK(warnings.size() == 1);
}

namespace {

std::string in_hexadecimal(std::string_view block) {
  std::string text;
  for (std::size_t i = 0; i < block.size(); ++i) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (i % 36 == 0) text += '\n';
    text += digits[static_cast<unsigned char>(block[i]) >> 4];
    text += digits[block[i] & 15];
  }
  return text + "\n";
}

// As ImageMagick writes it, in each kind of text chunk.
std::vector<std::string> raw_profiles(std::string_view keyword, const std::string& block) {
  const std::string key = "Raw profile type "s + std::string(keyword) + '\0';
  const std::string text = "\nexif\n    " + std::to_string(block.size()) + in_hexadecimal(block);
  const std::string stream(text_of(zlib_of(bytes_of(text))));
  return {png_chunk("tEXt", key + text), png_chunk("zTXt", key + '\0' + stream),
          png_chunk("iTXt", key + "\0\0en\0\0"s + text),
          png_chunk("iTXt", key + "\1\0\0word\0"s + stream)};
}

std::vector<std::string> findings_of(const Bytes& png) {
  return check_metadata(png, png::codec, {}).findings();
}

}  // namespace

TEST_CASE("Exif in a text chunk says the orientation of a PNG, and is turned with it") {
  const std::string block =
      "Exif\0\0"s +
      exif_fixture({.orientation = 6, .width = 5, .height = 3, .subject_area = {2, 1}});
  for (const char* keyword : {"exif", "APP1"}) {
    for (const std::string& chunk : raw_profiles(keyword, block)) {
      const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), chunk));
      CHECK(png::codec.read_header(before).stored == Orientation::rotate90);
      CHECK(findings_of(before).empty());
      const Bytes out = turn_file(before, png::codec, Orientation::rotate90);
      CHECK(png::codec.read_header(out).stored == Orientation::identity);
      const std::vector<PngChunk> chunks = png_chunks(out);
      CHECK(types_of(out) == types_of(before));
      const auto turned = raw_exif(chunks[1]);
      REQUIRE(turned);
      CHECK(turned->size() == block.size());
      const qturn::ExifSays says = read_exif(exif_body(*turned));
      CHECK(says.orientation == Orientation::identity);
      CHECK((says.pixels == Size{3, 5}));
      CHECK(contains(*turned, fixture_maker_note));
      // For another format it is the Exif block.
      const Decoded shown(before, png::codec, tiff::codec);
      CHECK(contains(shown.image.extras->metadata.exif, fixture_maker_note));

      std::vector<std::string> warnings;
      const Bytes tagged =
          turn_png_metadata(before, tag_rotate90, MissingTag::stays_absent, warnings);
      CHECK(png_orientation(png_chunks(tagged)) == Orientation::rotate90);
      CHECK(warnings.empty());
    }
  }
}

TEST_CASE("Text that only looks like Exif stays, with a warning, and is found") {
  const std::string block = "Exif\0\0"s + exif_fixture({});
  std::vector<std::string> damaged;
  for (const std::string& text :
       {"\nexif\n    99999\n4578"s, "\nexif\n    2\n457\n"s, "\nexif\n   3\n4x7869"s, ""s,
        "\nexif\n"s, "\n\n"s, "\nexif\n   99999999999999999999\n45"s}) {
    const std::string chunk = png_chunk("tEXt", "Raw profile type exif\0"s + text);
    const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), chunk));
    CHECK(png::codec.read_header(before).stored == Orientation::identity);
    CHECK(findings_of(before) == std::vector<std::string>{"Exif in a text chunk is damaged"});
    std::vector<std::string> warnings;
    CHECK(turn_png_metadata(before, tag_rotate90, MissingTag::stays_absent, warnings) == before);
    CHECK(warnings.size() == 1);
  }
}

TEST_CASE("GraphicsMagick's orNT says the orientation of a PNG, and becomes 1") {
  const std::string chunk = png_chunk("orNT", "\6");
  const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), chunk));
  CHECK(png::codec.read_header(before).stored == Orientation::rotate90);
  CHECK(findings_of(before).empty());
  const Bytes out = turn_file(before, png::codec, Orientation::rotate90);
  CHECK(png::codec.read_header(out).stored == Orientation::identity);
  CHECK(png_chunks(out)[1].data[0] == std::byte{1});
  std::vector<std::string> warnings;
  const Bytes tagged = turn_png_metadata(before, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(png_ornt(png_chunks(tagged)[1]) == Orientation::rotate90);
  CHECK(types_of(tagged) == "IHDR orNT eXIf IDAT IEND ");

  // eXIf comes first, and the other is found.
  const std::string exif = png_chunk(
      "eXIf", exif_fixture({.orientation = 3, .width = 5, .height = 3, .subject_area = {2, 1}}));
  const Bytes both = owned(cli::png(cli::smooth_picture(5, 3), exif + chunk));
  CHECK(png::codec.read_header(both).stored == Orientation::rotate180);
  CHECK(findings_of(both).size() == 1);
}

TEST_CASE("A tag is added to a WebP of pixels alone, and to one with XMP") {
  std::vector<std::string> warnings;
  const Bytes simple = owned(small_webp);
  const Bytes tagged = turn_webp_metadata(simple, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of_webp(tagged) == "VP8X,VP8L,EXIF,");
  CHECK(webp_orientation(webp_chunks(tagged)) == Orientation::rotate90);

  Metadata metadata;
  metadata.xmp = xmp_packet_with("tiff:Orientation='1'");
  const Bytes with_xmp = assemble_webp(webp_chunks(simple), metadata);
  const Bytes both = turn_webp_metadata(with_xmp, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of_webp(both) == "VP8X,VP8L,EXIF,XMP ,");
  const auto chunks = webp_chunks(both);
  CHECK(chunks[0].data[0] == std::byte{0x0C});
  CHECK(read_xmp(text_of(chunks[3].data)).orientation == "6");
  CHECK(turn_webp_metadata(simple, tag_rotate90, MissingTag::stays_absent, warnings) == simple);
  CHECK(warnings.empty());
}

}  // namespace chunk_metadata_test
