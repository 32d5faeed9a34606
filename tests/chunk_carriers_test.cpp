// The carriers in files of chunks, PNG and WebP.
#include <catch2/catch_test_macros.hpp>

#include "src/carriers/xmp.hpp"
#include "src/png/carriers.hpp"
#include "src/png/chunks.hpp"
#include "src/webp/carriers.hpp"
#include "src/webp/chunks.hpp"
#include "tests/carrier_fixtures.hpp"
#include "tests/cli_pictures.hpp"
#include "tests/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;

const CarrierTurn tag_rotate90{.tag = Orientation::rotate90, .size = {5, 3}};

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
  const std::string text = cli::png_chunk("tEXt", "Comment\0kept"s);
  const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), text) + "behind");
  std::vector<std::string> warnings;
  const Bytes after = turn_png_carriers(before, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of(after) == "IHDR tEXt eXIf IDAT IEND ");
  CHECK(png_orientation(png_chunks(after)) == Orientation::rotate90);
  CHECK(text_of(after).ends_with("behind"));
  CHECK(turn_png_carriers(before, tag_rotate90, MissingTag::stays_absent, warnings) == before);
  CHECK(warnings.empty());
}

TEST_CASE("A PNG's manifest and XMP that is no XML are warned of, and stay") {
  const std::string broken = cli::png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<a"s);
  const std::string manifest = cli::png_chunk("caBX", "jumb");
  const Bytes before = owned(cli::png(cli::smooth_picture(5, 3), broken + manifest));
  std::vector<std::string> warnings;
  CHECK(turn_png_carriers(before, tag_rotate90, MissingTag::stays_absent, warnings) == before);
  CHECK(warnings.size() == 2);
}

TEST_CASE("A tag is added to a WebP of pixels alone, and to one with XMP") {
  std::vector<std::string> warnings;
  const Bytes simple = owned(small_webp);
  const Bytes tagged = turn_webp_carriers(simple, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of_webp(tagged) == "VP8X,VP8L,EXIF,");
  CHECK(webp_orientation(webp_chunks(tagged)) == Orientation::rotate90);

  Metadata metadata;
  metadata.xmp = xmp_packet_with("tiff:Orientation='1'");
  const Bytes with_xmp = assemble_webp(simple, metadata);
  const Bytes both = turn_webp_carriers(with_xmp, tag_rotate90, MissingTag::is_added, warnings);
  CHECK(types_of_webp(both) == "VP8X,VP8L,EXIF,XMP ,");
  const auto chunks = webp_chunks(both);
  CHECK(chunks[0].data[0] == std::byte{0x0C});
  CHECK(read_xmp(text_of(chunks[3].data)).orientation == "6");
  CHECK(turn_webp_carriers(simple, tag_rotate90, MissingTag::stays_absent, warnings) == simple);
  CHECK(warnings.empty());
}
