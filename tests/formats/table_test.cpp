
#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/turn/encode.hpp"
#include "tests/fixtures/every_codec.hpp"

namespace table_test {

namespace {

using namespace qturn;
using namespace std::string_view_literals;

const Codec* of_content(std::string_view head, std::string_view suffix = "") {
  return codec_of_content(bytes_of(head), suffix);
}

}  // namespace

TEST_CASE("A format is known by its signature, whatever the suffix says") {
  CHECK(of_content("\xff\xd8\xff\xe0\0\x10JFIF"sv, ".png") == &jpeg::codec);
  CHECK(of_content("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, ".jpg") == &png::codec);
  CHECK(of_content("II*\0\x08\0\0\0"sv) == &tiff::codec);
  CHECK(of_content("MM\0*\0\0\0\x08"sv) == &tiff::codec);
  CHECK(of_content("II+\0\x08\0\0\0"sv) == &tiff::codec);
  CHECK(of_content("MM\0+\0\x08\0\0"sv) == &tiff::codec);
  CHECK(of_content("v/1\x01\x02\0\0\0"sv) == &openexr::codec);
  CHECK(of_content("GIF87a"sv) == &gif::codec);
  CHECK(of_content("GIF89a"sv) == &gif::codec);
  CHECK(of_content("RIFF\x10\0\0\0WEBPVP8L"sv) == &webp::codec);
  CHECK(of_content("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"sv) == &bmp::codec);
  CHECK(of_content("#?RADIANCE\n"sv) == &hdr::codec);
  CHECK(of_content("\0\0\0\x0cjP  \r\n\x87\n"sv) == &oiio::jpeg2000);
  CHECK(of_content("\xff\x4f\xff\x51\0\x2f"sv) == &oiio::jpeg2000);
  CHECK(of_content("SDPX\0\0\x08\0"sv) == &oiio::dpx);
  CHECK(of_content("XPDS\0\x08\0\0"sv) == &oiio::dpx);
  CHECK(of_content("\x01\xda\x01\x01\0\x03\0\x10\0\x10\0\x03"sv) == &oiio::sgi);
  CHECK(of_content("\xff\x0a\0"sv) == &jxl::codec);
  CHECK(of_content("\0\0\0\x0cJXL \r\n\x87\n\0"sv) == &jxl::codec);
  CHECK(of_content("\0\0\0\x18"
                   "ftypheic\0\0\0\0mif1heic"sv,
                   ".jpg") == &heif::heic_codec);
  CHECK(of_content("\0\0\0\x18"
                   "ftypmif1\0\0\0\0mif1miaf"sv) == &heif::heic_codec);
  CHECK(of_content("\0\0\0\x18"
                   "ftypavif\0\0\0\0mif1avif"sv) == &heif::avif_codec);
  CHECK(of_content("\0\0\0\x18"
                   "ftypmif1\0\0\0\0mif1avif"sv) == &heif::avif_codec);
  CHECK(of_content("\0\0\0\x18"
                   "ftypisom\0\0\0\0isommp42"sv,
                   ".heic") == nullptr);
  for (const char* pnm : {"P1 ", "P2\n", "P3\t", "P4 ", "P5\n", "P6\n", "P7\n", "PF\n", "Pf\n"}) {
    CHECK(of_content(pnm) == &pnm::codec);
  }
}

TEST_CASE("Text, other containers and cut signatures are not pictures") {
  for (const std::string_view head :
       {""sv, "hello, world, this is text"sv, "\xff\xd8"sv, "\x89PNG\r\n"sv, "RIFF\x10\0\0\0WAVE"sv,
        "BMW and other cars, a text file"sv, "P7 332\n"sv, "P6x"sv, "PK\x03\x04"sv, "II*"sv,
        "GIF90a"sv, "\x01\xda\x02\x01\0\x03\0\x10\0\x10\0\x03"sv, "FOR4\0\0\1\0CIMGTBHD"sv,
        "8BPS\0\1"sv, "DDS |\0\0\0"sv}) {
    CHECK(of_content(head, ".jpg") == nullptr);
  }
}

TEST_CASE("Camera raw files are TIFF inside, and have a row of their own") {
  for (const char* suffix : {".cr2", ".nef", ".arw", ".dng", ".pef", ".srw"}) {
    CHECK(of_content("II*\0\x08\0\0\0"sv, suffix) == &raw::codec);
    CHECK(of_content("\xff\xd8\xff\xe0\0\x10JFIF"sv, suffix) == &jpeg::codec);
  }
  CHECK(of_content("IIRO\x08\0\0\0"sv, ".orf") == &raw::codec);
  CHECK(of_content("IIU\0\x18\0\0\0"sv, ".rw2") == &raw::codec);
  CHECK(of_content("II*\0\x10\0\0\0CR\2\0"sv, ".tif") == &raw::codec);
  CHECK(of_content("II*\0\x08\0\0\0"sv, ".tif") == &tiff::codec);
  for (const auto head :
       {"\0\0\0\x18"
        "ftypcrx \0\0\0\1crx isom"sv,
        "II\x1a\0\0\0HEAPCCDR\2\0"sv, "FUJIFILMCCD-RAW 0201"sv, "\0MRM\0\1"sv, "FOVb\0\0"sv}) {
    CHECK(of_content(head, ".jpg") == &raw::other_codec);
    CHECK_THROWS_WITH(raw::other_codec.read_header(bytes_of(head)),
                      "camera raw of a kind that is not supported");
  }
}

TEST_CASE("TGA has no signature: suffix and a header that makes sense together decide") {
  const auto header = "\0\0\x02\0\0\0\0\0\0\0\0\0\x05\0\x07\0\x18\0"sv;
  CHECK(of_content(header, ".tga") == &tga::codec);
  CHECK(of_content(header, ".bin") == nullptr);
  CHECK(of_content("some text that is long enough", ".tga") == nullptr);
  CHECK(of_content(header.substr(0, 17), ".tga") == nullptr);
}

TEST_CASE("Suffixes are read in any case") {
  CHECK(codec_of_suffix(".JPEG") == &jpeg::codec);
  CHECK(codec_of_suffix(".Tif") == &tiff::codec);
  CHECK(codec_of_suffix(".pgm") == &pnm::codec);
  CHECK(codec_of_suffix("jpg") == nullptr);
  CHECK(codec_of_suffix(".txt") == nullptr);
  CHECK(codec_of_suffix("") == nullptr);
}

TEST_CASE("Names, other names and suffixes lead to one row each") {
  for (const Codec* codec : codecs()) {
    CAPTURE(codec->name);
    // What is not written from others has no name for --format.
    CHECK(codec_of_name(codec->name) == (codec->encode && !codec->is_array ? codec : nullptr));
    if (!codec->alias.empty()) {
      CHECK(codec_of_name(codec->alias) == (codec->encode ? codec : nullptr));
    }
    CHECK_FALSE(codec->suffixes.front().empty());
    for (const std::string_view suffix : codec->suffixes) {
      if (!suffix.empty()) CHECK(codec_of_suffix(suffix) == codec);
    }
  }
  CHECK(codec_of_name("jpg") == &jpeg::codec);
  CHECK(codec_of_name("tif") == &tiff::codec);
  CHECK(codec_of_name("exr") == &openexr::codec);
  CHECK(codec_of_name("gif") == &gif::codec);
  CHECK(codec_of_name("") == nullptr);
}

TEST_CASE("Every row has what may not be missing") {
  CHECK(codecs().size() == 19);
  for (const Codec* codec : codecs()) {
    CAPTURE(codec->name);
    CHECK(codec->recognises != nullptr);
    CHECK(codec->read_header != nullptr);
    // Camera raw of other kinds is known by its name alone, to be refused by it.
    const bool is_refused = codec == &raw::other_codec;
    CHECK((codec->decode || codec->turn_compressed || codec->retag) != is_refused);
    if (codec->finish) CHECK(codec->encode);
    if (codec->encode) CHECK(codec->decode);
    // What has a place for an orientation can be told to change it, and is checked.
    if (codec->retag) CHECK(codec->check);
  }
}

TEST_CASE("A format without a place for an orientation refuses another tag by name") {
  std::vector<std::string> warnings;
  for (const Codec* codec :
       {&openexr::codec, &gif::codec, &bmp::codec, &pnm::codec, &tga::codec, &hdr::codec}) {
    CHECK_THROWS_WITH(retag({}, *codec, Orientation::rotate90, MissingTag::is_added, warnings),
                      std::string(codec->name) +
                          " has no place for an orientation, so only its pixels can be turned");
  }
}

}  // namespace table_test
