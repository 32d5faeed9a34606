// What another format gets of a TIFF, compared with what ImageMagick shows of the same file.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "src/formats/png/codec.hpp"
#include "src/formats/table.hpp"
#include "src/formats/tiff/codec.hpp"
#include "src/formats/tiff/directories.hpp"
#include "tests/fixtures/other_programs.hpp"
#include "tests/fixtures/tiff_pictures.hpp"

namespace tiff_shown_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::pnm;
using namespace qturn::tiff;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

constexpr int associated = 1, unassociated = 2;

Bytes converted(const Bytes& file, const Codec& target) {
  return tests::converted(file, tiff::codec, target);
}

std::vector<std::string> warnings_of(const Bytes& file) {
  return Decoded(file, tiff::codec, png::codec).warnings;
}

std::string message_of(const Bytes& file, const Codec& target = png::codec) {
  return thrown_by([&] { return converted(file, target); });
}

Bytes with_alpha(const Bytes& file, std::uint64_t kind) {
  return with_field(file, u16_field(tiff_tag::extra_samples, {kind}));
}

// Samples of `bits`, stretched to 16.
std::uint64_t stretched(std::uint64_t sample, int bits) {
  const std::uint64_t largest = (std::uint64_t{1} << bits) - 1;
  return (sample * 65535 + largest / 2) / largest;
}

// Rounded to 8 bits, as 16. (ImageMagick truncates.)
Pam rounded(Pam pam) {
  for (std::uint16_t& sample : pam.samples) {
    sample = static_cast<std::uint16_t>((sample + 128) / 257 * 257);
  }
  return pam;
}

constexpr int arrangements = 5;

TiffKind arranged(TiffKind kind, int arrangement) {
  if (arrangement == 1) kind.rows_per_strip = 5;
  if (arrangement == 2 || arrangement == 4) kind.tile_width = 16, kind.tile_height = 32;
  if (arrangement >= 3 && kind.samples > 1) kind.planar = PLANARCONFIG_SEPARATE;
  return kind;
}

}  // namespace

TEST_CASE("A PNG of a TIFF shows what ImageMagick shows of it, bit for bit") {
  for (const int bits : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16}) {
    for (const int samples : {1, 3, 4}) {
      for (int arrangement = 0; arrangement < arrangements; ++arrangement) {
        if (samples == 1 && arrangement > 2) continue;
        CAPTURE(bits, samples, arrangement);
        const TiffKind kind = {
            .photometric = samples == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB,
            .bits = bits,
            .samples = samples,
            .compression = COMPRESSION_LZW,
            .extra_samples = samples == 4 ? 1 : 0};
        const char* mode = arrangement % 2 == 0 ? "wl" : "wb";
        const Bytes file =
            write_with_libtiff({tiff_picture(arranged(kind, arrangement), 37, 21)}, mode);
        const int shown_bits = bits <= 8 ? 8 : 16;
        const Pam wanted = shown_by_imagemagick(file, "tiff", 16);
        CHECK(shown_by_imagemagick(converted(file, png::codec), "png", 16) ==
              (bits <= 8 ? rounded(wanted) : wanted));
        const bool exact = 16 % bits == 0;
        CHECK(warnings_of(file) ==
              (exact ? std::vector<std::string>()
                     : std::vector{fmt::format("samples of {} bits are stretched to {}", bits,
                                               shown_bits)}));
      }
    }
  }
}

TEST_CASE("White as zero is turned round, whatever the bits") {
  for (const int bits : {1, 2, 3, 4, 6, 8, 10, 12, 16}) {
    CAPTURE(bits);
    const TiffPicture picture =
        tiff_picture({.photometric = PHOTOMETRIC_MINISWHITE, .bits = bits}, 37, 21);
    const Bytes file = write_with_libtiff({picture});
    const Pam shown = shown_by_imagemagick(converted(file, png::codec), "png", 16);
    // ImageMagick turns round those that it reads as whole bytes or as bits.
    if (bits == 1 || bits % 8 == 0) CHECK(shown == shown_by_imagemagick(file, "tiff", 16));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < picture.samples.size(); ++i) {
      std::uint64_t wanted = 65535 - stretched(picture.samples[i], bits);
      if (bits < 8) wanted = (65535 - 257 * ((stretched(picture.samples[i], bits) + 128) / 257));
      wrong += shown.samples[4 * i] != wanted;
    }
    CHECK(wrong == 0);
  }
  // 32 bits go to OpenEXR alone, and as they are.
  const TiffPicture wide = tiff_picture({.photometric = PHOTOMETRIC_MINISWHITE, .bits = 32}, 5, 3);
  const Decoded decoded(write_with_libtiff({wide}), tiff::codec, png::codec);
  const auto* samples = static_cast<const std::uint32_t*>(decoded.image.pages[0].pixels);
  for (std::size_t i = 0; i < wide.samples.size(); ++i) {
    CHECK(samples[i] == 0xFFFFFFFF - wide.samples[i]);
  }
}

TEST_CASE("A fax shows what ImageMagick shows of it") {
  for (const int compression : {COMPRESSION_CCITTRLE, COMPRESSION_CCITT_T4, COMPRESSION_CCITT_T6}) {
    for (const int photometric : {PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK}) {
      CAPTURE(compression, photometric);
      const Bytes file = write_with_libtiff({tiff_picture(
          {.photometric = photometric, .bits = 1, .compression = compression}, 41, 30)});
      CHECK(shown_by_imagemagick(converted(file, png::codec), "png") ==
            shown_by_imagemagick(file, "tiff"));
      CHECK(shown_by_imagemagick(converted(file, pnm::codec), "pnm") ==
            shown_by_imagemagick(file, "tiff"));
    }
  }
}

TEST_CASE("A palette's colours come out as their upper 8 bits, or as the 8 that they have") {
  for (const int bits : {1, 2, 3, 4, 8, 16}) {
    for (const bool small : {false, true}) {
      CAPTURE(bits, small);
      const TiffPicture picture =
          tiff_picture({.photometric = PHOTOMETRIC_PALETTE, .bits = bits}, 37, 21);
      const std::vector<std::uint8_t> colours = noise(std::size_t{3} << bits, 7);
      std::vector<std::uint64_t> map;
      for (const std::uint8_t colour : colours) map.push_back(small ? colour : colour * 257U);
      const Bytes file =
          with_field(write_with_libtiff({picture}, "wb"), u16_field(TIFFTAG_COLORMAP, map));
      const Pam shown = shown_by_imagemagick(converted(file, png::codec), "png");
      if (!small) CHECK(shown == shown_by_imagemagick(file, "tiff"));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < picture.samples.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          wrong += shown.samples[4 * i + k] != colours[(k << bits) + picture.samples[i]];
        }
      }
      CHECK(wrong == 0);
      CHECK(warnings_of(file).empty());
    }
  }
  // Values between are shown by their upper byte.
  const Bytes file =
      write_with_libtiff({tiff_picture({.photometric = PHOTOMETRIC_PALETTE, .bits = 1}, 2, 1)});
  const Bytes between =
      with_field(file, u16_field(TIFFTAG_COLORMAP, {0x6DFF, 0x6D00, 1, 0xFF, 0x100, 0xFFFF}));
  const Pam shown = shown_by_imagemagick(converted(between, png::codec), "png");
  for (std::size_t i = 0; i < shown.samples.size(); i += 4) {
    CHECK(shown.samples[i] == 0x6D);
    CHECK(shown.samples[i + 1] == 0);
  }
  CHECK(message_of(with_field(file, u16_field(TIFFTAG_COLORMAP, {1, 2, 3}))) ==
        "damaged: the colours of a TIFF's palette");
}

TEST_CASE("Colours of a JPEG inside a TIFF are those that ImageMagick shows") {
  for (const int photometric : {PHOTOMETRIC_YCBCR, PHOTOMETRIC_RGB}) {
    TiffPicture smooth = tiff_picture({.photometric = photometric,
                                       .samples = 3,
                                       .compression = COMPRESSION_JPEG,
                                       .rows_per_strip = 16},
                                      64, 48);
    for (std::size_t i = 0; i < smooth.samples.size(); ++i) {
      smooth.samples[i] = static_cast<unsigned>(i / 3 % 64 * 2 + i % 3 * 20);
    }
    const Bytes file = write_with_libtiff({smooth}, "wl", [&](TIFF* handle) {
      if (photometric != PHOTOMETRIC_YCBCR) return;
      TIFFSetField(handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      TIFFSetField(handle, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    });
    CHECK(shown_by_imagemagick(converted(file, png::codec), "png") ==
          shown_by_imagemagick(file, "tiff"));
    CHECK(warnings_of(file).empty());
  }
}

TEST_CASE("Alpha goes where it means the same, and nowhere else") {
  const auto picture = [](int samples, int bits) {
    return write_with_libtiff(
        {tiff_picture({.photometric = samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB,
                       .bits = bits,
                       .samples = samples,
                       .sample_format = bits == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT,
                       .extra_samples = samples % 2 == 0 ? 1 : 0},
                      9, 7)});
  };
  for (const int samples : {2, 4}) {
    const Bytes file = picture(samples, 8);
    CHECK(message_of(with_alpha(file, unassociated)) == "");
    CHECK(message_of(with_alpha(file, associated)) ==
          fmt::format("{} channels with premultiplied alpha cannot be kept in png", samples));
    CHECK(message_of(with_alpha(file, 0)) ==
          fmt::format("{} channels cannot be kept in png", samples));
  }
  const Codec& exr = *codec_of_name("exr");
  CHECK(message_of(with_alpha(picture(4, 32), associated), exr) == "");
  CHECK(message_of(with_alpha(picture(4, 32), unassociated), exr) ==
        "4 channels with alpha cannot be kept in openexr");
}

TEST_CASE("What no other format means is refused by name") {
  const auto message = [](const TiffKind& kind) {
    return message_of(write_with_libtiff({tiff_picture(kind, 9, 7)}));
  };
  const std::string nowhere = " of a TIFF cannot be kept in another format";
  CHECK(message({.photometric = PHOTOMETRIC_SEPARATED, .samples = 4}) == "CMYK" + nowhere);
  CHECK(message({.photometric = PHOTOMETRIC_CIELAB, .samples = 3}) == "Lab colours" + nowhere);
  CHECK(message({.photometric = PHOTOMETRIC_YCBCR, .samples = 3}) ==
        "YCbCr without JPEG compression" + nowhere);
  CHECK(message({.photometric = PHOTOMETRIC_MASK, .bits = 1}) == "a transparency mask" + nowhere);
  CHECK(message({.bits = 16, .sample_format = SAMPLEFORMAT_INT}) == "signed samples" + nowhere);
  CHECK(message({.bits = 8, .sample_format = SAMPLEFORMAT_INT}) == "signed samples" + nowhere);
  CHECK(message({.bits = 64, .sample_format = SAMPLEFORMAT_COMPLEXIEEEFP}) ==
        "complex samples" + nowhere);
  CHECK(message({.bits = 24}) == "samples of 24 bits" + nowhere);
  CHECK(message({.bits = 24, .sample_format = SAMPLEFORMAT_IEEEFP}) ==
        "floats of 24 bits" + nowhere);
  CHECK(message({.photometric = PHOTOMETRIC_MINISWHITE,
                 .bits = 32,
                 .sample_format = SAMPLEFORMAT_IEEEFP}) == "floats with white as zero" + nowhere);
  CHECK(message({.bits = 32, .sample_format = SAMPLEFORMAT_IEEEFP}) ==
        "samples of type float cannot be kept in png");
  const TiffPicture page = tiff_picture({}, 9, 7);
  CHECK(message_of(write_with_libtiff({page, page})) == "2 pages cannot be kept in png");
  CHECK_THAT(message_of(with_field(write_with_libtiff({page}), u16_field(34412, {1}))),
             ContainsSubstring("Zeiss LSM"));
}

TEST_CASE("A picture from another format becomes a TIFF that shows the same") {
  for (const int depth : {1, 2, 3, 4}) {
    for (const int largest : {255, 65535}) {
      CAPTURE(depth, largest);
      const Pam source = noise_pam(37, 70, depth, largest);
      const Bytes png = made_by("convert pam:in -define png:bit-depth=" +
                                    std::string(largest > 255 ? "16" : "8") + " png:out",
                                write_pam(source));
      const Decoded decoded(png, png::codec, tiff::codec);
      const Bytes file = tests::encode(decoded.image, Orientation::identity, tiff::codec);
      const int bits = largest > 255 ? 16 : 8;
      CHECK(shown_by_imagemagick(file, "tiff", bits) == shown_by_imagemagick(png, "png", bits));
      const TiffPicture read = read_with_libtiff(file).at(0);
      CHECK(read.kind.compression == COMPRESSION_ADOBE_DEFLATE);
      CHECK(read.kind.predictor == PREDICTOR_HORIZONTAL);
      CHECK(read.kind.rows_per_strip == 32);
      CHECK(read_tiff(file).pages[0].integer(tiff_tag::extra_samples, 0) ==
            (depth % 2 == 0 ? unassociated : 0U));
      CHECK(message_of(file) == "");
      CHECK(shown_by_imagemagick(converted(file, png::codec), "png", bits) ==
            shown_by_imagemagick(png, "png", bits));
    }
  }
}

TEST_CASE("What another format leaves behind of a TIFF is said") {
  const Bytes pages = write_with_libtiff({tiff_picture({}, 9, 7), tiff_picture({}, 5, 4)});
  TiffFile read = read_tiff(pages);
  read.pages[0].pictures = {read.pages[1]};
  read.pages[0].fields.push_back(u16_field(tiff_tag::geo_keys, {1, 1, 0, 0}));
  read.pages.resize(1);
  const std::span<const std::byte> parts[] = {pages, pages};
  CHECK(warnings_of(write_tiff(read, parts)) ==
        std::vector<std::string>{"pictures in sub-directories of the TIFF are left out",
                                 "its map coordinates (GeoTIFF) are left out"});
}

TEST_CASE("Fields of a TIFF go to another format in Exif, or one warning names them") {
  using std::string_view_literals::operator""sv;
  Bytes file = write_with_libtiff({tiff_picture({}, 9, 7)});
  const auto text_field = [](std::uint16_t tag) {
    return TiffField{.tag = tag, .type = tiff_type::ascii, .count = 5, .value = owned("text\0"sv)};
  };
  for (const std::uint16_t tag : {269, 285, 40091}) file = with_field(file, text_field(tag));
  file = with_field(file, u16_field(297, {2, 5}));
  CHECK(warnings_of(file).empty());
  const Bytes exif = Decoded(file, tiff::codec, png::codec).image.extras->metadata.exif;
  const TiffFile kept = read_tiff(exif, MissingPixels::are_left_out);
  for (const std::uint16_t tag : {269, 285, 297, 40091}) CHECK(kept.pages[0].find(tag));
  // How samples were stored is no loss.
  for (const std::uint16_t tag : {254, 281, 327}) file = with_field(file, u16_field(tag, {1}));
  CHECK(warnings_of(file).empty());

  file = with_field(file, u16_field(286, {1}));
  file = with_field(file, text_field(33723));
  for (std::uint16_t tag = 65000; tag < 65008; ++tag) file = with_field(file, text_field(tag));
  CHECK(warnings_of(file) ==
        std::vector<std::string>{
            "fields of the TIFF are left out: XPosition, IPTC, 65000, 65001, 65002, 65003, 65004, "
            "65005 and 2 more"});
}

}  // namespace tiff_shown_test
