#include "src/formats/webp/chunks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"

namespace webp_chunks_test {

namespace {

using namespace qturn;
using namespace qturn::webp;
using namespace qturn::tests;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

std::string webp_file(const std::string& chunks) { return riff_chunk("RIFF", "WEBP" + chunks); }

// The pixels of a lossless picture of 3 x 2 without alpha. Only their header counts here.
const std::string pixels = riff_chunk("VP8L", "\x2f\x02\x40\x00\x00...."sv);

std::string types_of(std::span<const std::byte> file) {
  std::string types;
  for (const WebpChunk& part : webp_chunks(file)) types += std::string(part.type) + ",";
  return types;
}

}  // namespace

TEST_CASE("A picture with metadata gets an extended header that announces it") {
  const Metadata metadata = {.icc = owned("profile"),
                             .exif = exif_with(Orientation::identity),
                             .xmp = "<x:xmpmeta/>",
                             .comment = {}};
  const Bytes file = assemble_webp(webp_chunks(bytes_of(webp_file(pixels))), metadata);
  CHECK(types_of(file) == "VP8X,ICCP,VP8L,EXIF,XMP ,");
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  // Flags for profile, Exif and XMP; then width and height, less one.
  CHECK(text_of(chunks[0].data) == "\x2c\0\0\0\x02\0\0\x01\0\0"sv);
  const Metadata again = webp_metadata(chunks);
  CHECK(again.icc == metadata.icc);
  CHECK(again.exif == metadata.exif);
  CHECK(again.xmp == metadata.xmp);
  CHECK(webp_is_lossless(chunks));
}

TEST_CASE("A picture without metadata is stored simply") {
  CHECK(text_of(assemble_webp(webp_chunks(bytes_of(webp_file(pixels))), {})) == webp_file(pixels));
  // Whatever the encoder's library announced is not kept.
  CHECK(text_of(assemble_webp(
            webp_chunks(bytes_of(webp_file(pixels + riff_chunk("ICCP", "other")))), {})) ==
        webp_file(pixels));
}

TEST_CASE("The orientation of EXIF is read, and set to 1 in what is carried") {
  const std::string file =
      webp_file(pixels + riff_chunk("EXIF", text_of(exif_with(Orientation::rotate270))));
  const std::vector<WebpChunk> chunks = webp_chunks(bytes_of(file));
  CHECK(webp_orientation(chunks) == Orientation::rotate270);
  CHECK(webp_metadata(chunks).exif == exif_with(Orientation::identity));
  const std::string damaged =
      webp_file(pixels + riff_chunk("EXIF", "MM\0*\0\0\0\x08\0\x40\x01\x0F\0\x02"sv));
  CHECK_THROWS_AS(webp_orientation(webp_chunks(bytes_of(damaged))), ImageFileError);
}

TEST_CASE("Frames within frames are damage, however many, and what is in a frame is counted") {
  const std::string frame_header = "\0\0\0\0\0\0\2\0\0\1\0\0\0\0\0\0"s;
  std::string inner;
  for (int depth = 0; depth < 20'000; ++depth) {
    inner = "ANMF" + in_little_endian(inner.size() + 16, 4) + std::string(16, '\0') + inner;
  }
  const std::string animation = riff_chunk("VP8X", "\2\0\0\0\2\0\0\1\0\0"sv);
  const std::string nested =
      webp_file(animation + riff_chunk("ANMF", frame_header + pixels + inner));
  CHECK(webp_is_lossless(webp_chunks(bytes_of(nested))));
  CHECK_THROWS_AS(webp_frames(webp_chunks(bytes_of(nested))), ImageFileError);

  const std::string several =
      webp_file(animation + riff_chunk("ANMF", frame_header + pixels + riff_chunk("abcd", "") +
                                                   riff_chunk("abcd", "")));
  CHECK(webp_frames(webp_chunks(bytes_of(several))).size() == 1);
  CHECK_NOTHROW(check_webp_limits(bytes_of(several), {.metadata_count = 3, .directories = 1}));
  CHECK_THROWS_AS(check_webp_limits(bytes_of(several), {.metadata_count = 2}), LimitError);
}

TEST_CASE("Every cut is a failure") {
  const std::string file = webp_file(pixels + riff_chunk("EXIF", "1234567"));
  CHECK_NOTHROW(webp_chunks(bytes_of(file)));
  for (std::size_t size = 0; size < file.size(); ++size) {
    CHECK_THROWS_AS(webp_chunks(bytes_of(file.substr(0, size))), ImageFileError);
  }
  CHECK_THROWS_AS(webp_chunks(bytes_of(webp_file("VP8L\xff\xff\xff\xff...."))), ImageFileError);
  CHECK_THROWS_AS(webp_chunks(bytes_of(webp_file(riff_chunk("EXIF", "x")))), ImageFileError);
}

}  // namespace webp_chunks_test
