// Formats whose tests elsewhere read with the library that they are turned with: here other
// programs write the pictures, and say what the turned ones show.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/fixtures/exr_file.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace other_programs_test {

namespace {

using namespace qturn;
using namespace qturn::tests;

struct Case {
  const char* format;   ///< as qturn names it
  const char* magick;   ///< as ImageMagick does
  const char* options;  ///< of ImageMagick's writer
  int depth, largest;
};

constexpr Case cases[] = {
    {"bmp", "bmp3", "", 3, 255},
    {"bmp", "bmp", "-type TrueColor", 3, 255},
    {"tga", "tga", "", 3, 255},
    {"tga", "tga", "", 4, 255},
    {"tga", "tga", "-compress RLE", 3, 255},
    {"tga", "tga", "-compress RLE", 4, 255},
    {"tga", "tga", "-type Grayscale", 1, 255},
    {"pnm", "ppm", "", 3, 255},
    {"pnm", "ppm", "", 3, 65535},
    {"pnm", "pgm", "", 1, 255},
    {"pnm", "pgm", "", 1, 65535},
    {"pnm", "pbm", "", 1, 1},
    {"pnm", "ppm", "-compress none", 3, 255},
    {"png", "png", "", 3, 65535},
    {"png", "png", "", 4, 255},
    {"tiff", "tiff", "-compress lzw", 3, 65535},
    {"tiff", "tiff", "-compress zip", 4, 255},
    {"sgi", "sgi", "-compress RLE", 3, 255},
    {"sgi", "sgi", "-compress none", 4, 65535},
    {"sgi", "sgi", "-type Grayscale", 1, 255},
    {"jpeg2000", "jp2", "-quality 100", 3, 255},
    {"jpeg2000", "jp2", "-quality 100", 3, 65535},
    {"jpeg2000", "j2k", "-quality 100", 1, 255},
    {"dpx", "dpx", "", 3, 255},
    {"dpx", "dpx", "", 3, 65535},
};

}  // namespace

TEST_CASE("ImageMagick sees each pixel of its own pictures where the orientation puts it") {
  for (const Case& each : cases) {
    INFO(each.magick << " " << each.options << ", " << each.depth << " channels to "
                     << each.largest);
    const Codec& codec = *codec_of_name(each.format);
    const std::string name = codec.name == "jpeg2000" ? each.magick : each.format;
    // Rows of a DPX are whole words.
    const int width = codec.name == "dpx" ? 36 : 33, height = codec.name == "dpx" ? 40 : 34;
    const Pam source = noise_pam(width, height, each.depth, each.largest);
    const std::string bits = each.largest > 255 ? "16" : "8";
    const Bytes file =
        made_by("convert pam:in -depth " + bits + " " + each.options + " " + each.magick + ":out",
                write_pam(source));
    const int shown_bits = each.largest > 255 ? 16 : 8;
    const Pam shown = shown_by_imagemagick(file, name, shown_bits);
    REQUIRE(shown.width == width);
    REQUIRE(shown.height == height);
    Pam wanted = as_rgba(source);
    if (each.largest == 1) {
      for (std::uint16_t& sample : wanted.samples)
        sample = static_cast<std::uint16_t>(sample * 255);
      wanted.largest = 255;
    }
    // It writes a TGA from the top row on, and the header says from the bottom row on.
    // It takes the samples of a DPX for linear.
    if (codec.name != "dpx")
      REQUIRE(shown == (codec.name == "tga" ? turned(wanted, Orientation::flip) : wanted));
    for (const Orientation orientation : all_orientations) {
      CAPTURE(orientation);
      const Bytes out = turn_file(file, codec, orientation);
      CHECK((shown_by_imagemagick(out, name, shown_bits) == turned(shown, orientation)));
    }
  }
}

TEST_CASE("OpenEXR's own program finds each sample's bits where the orientation puts them") {
  for (const int type : {0, 1, 2}) {
    for (const char* compression : {"none", "rle", "zip", "piz", "pxr24"}) {
      CAPTURE(type, compression);
      // PXR24 keeps 24 of a float's 32 bits.
      if (type == 2 && compression == std::string("pxr24")) continue;
      Exr source{33, 18, type, {}};
      const std::vector<std::uint8_t> noise_bytes = noise(4 * 3 * 33 * 18);
      std::size_t next = 0;
      for (const char* name : {"B", "G", "R"}) {
        for (int i = 0; i < 33 * 18; ++i, next += 4) {
          const std::uint32_t bits = noise_bytes[next] | noise_bytes[next + 1] << 8 |
                                     noise_bytes[next + 2] << 16 |
                                     std::uint32_t{noise_bytes[next + 3]} << 24;
          // Finite numbers: the largest exponent is not among them.
          source.planes[name].push_back(type == 0   ? bits
                                        : type == 1 ? bits & 0xBBFF
                                                    : bits & 0xBFFFFFFF);
        }
      }
      const Bytes plain = write_exr(source);
      REQUIRE(read_exr(plain, source) == source);
      const Bytes tiled =
          made_by(std::string("exrmaketiled -o -t 16 8 -z ") + compression + " in out", plain);
      const Codec& exr = *codec_of_name("exr");
      for (const Orientation orientation : all_orientations) {
        CAPTURE(orientation);
        const Exr wanted = turned(source, orientation);
        CHECK(read_exr(turn_file(plain, exr, orientation), wanted) == wanted);
        CHECK(read_exr(turn_file(tiled, exr, orientation), wanted) == wanted);
      }
    }
  }
}

TEST_CASE("OpenEXR's own program takes each part out of a turned file as it was put in") {
  Exr exr{33, 18, 1, {}};
  for (const char* name : {"B", "G", "R"}) {
    for (std::uint32_t i = 0; i < 33 * 18; ++i) exr.planes[name].push_back(0x3000 + 7 * i);
  }
  const Bytes file = made_by(
      "exrmaketiled -o -t 16 8 -z piz in tiled && "
      "exrmultipart -combine -i in tiled in -o out >combined",
      write_exr(exr));
  for (const Orientation orientation : all_orientations) {
    const Bytes out = turn_file(file, *codec_of_name("exr"), orientation);
    for (const char* part : {"1", "2", "3"}) {
      CAPTURE(orientation, part);
      const Bytes taken = made_by("exrmultipart -separate -i in -o part >separated && mv part." +
                                      std::string(part) + ".exr out",
                                  out);
      CHECK(read_exr(taken, turned(exr, orientation)) == turned(exr, orientation));
    }
  }
}

}  // namespace other_programs_test
