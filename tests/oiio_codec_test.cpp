#include "src/oiio/codec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "src/tiff/directories.hpp"
#include "tests/codec_pictures.hpp"
#include "tests/oiio_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using OIIO::TypeDesc;

Bytes cut(const Bytes& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

struct Case {
  Format format;
  const char* plugin;
  int channels;
  TypeDesc::BASETYPE type;
  const char* compression = "";
};

// Each format with every kind of sample that it keeps.
constexpr Case cases[] = {
    {Format::png, "png", 1, TypeDesc::UINT8},
    {Format::png, "png", 2, TypeDesc::UINT8},
    {Format::png, "png", 3, TypeDesc::UINT8},
    {Format::png, "png", 4, TypeDesc::UINT8},
    {Format::png, "png", 1, TypeDesc::UINT16},
    {Format::png, "png", 4, TypeDesc::UINT16},
    {Format::tiff, "tiff", 1, TypeDesc::UINT8, "packbits"},
    {Format::tiff, "tiff", 3, TypeDesc::UINT8, "lzw"},
    {Format::tiff, "tiff", 4, TypeDesc::UINT8, "zip"},
    {Format::tiff, "tiff", 3, TypeDesc::UINT16, "none"},
    {Format::tiff, "tiff", 3, TypeDesc::INT16, "zip"},
    {Format::tiff, "tiff", 2, TypeDesc::UINT32, "none"},
    {Format::tiff, "tiff", 5, TypeDesc::UINT8, "zip"},
    {Format::tiff, "tiff", 3, TypeDesc::HALF, "zip"},
    {Format::tiff, "tiff", 1, TypeDesc::FLOAT, "zip"},
    {Format::tiff, "tiff", 3, TypeDesc::DOUBLE, "lzw"},
    {Format::openexr, "openexr", 3, TypeDesc::HALF, "piz"},
    {Format::openexr, "openexr", 4, TypeDesc::FLOAT, "zip"},
    {Format::openexr, "openexr", 1, TypeDesc::UINT32, "none"},
    {Format::bmp, "bmp", 3, TypeDesc::UINT8},
    {Format::bmp, "bmp", 4, TypeDesc::UINT8},
    {Format::tga, "targa", 3, TypeDesc::UINT8},
    {Format::tga, "targa", 4, TypeDesc::UINT8, "rle"},
#if OIIO_VERSION >= 30000
    {Format::webp, "webp", 3, TypeDesc::UINT8, "lossless"},
#endif
};

Bytes picture(const Case& kind, std::vector<std::uint8_t>& samples, int width = 33,
              int height = 18) {
  OIIO::ImageSpec spec = plain_spec(width, height, kind.channels, kind.type);
  if (*kind.compression) spec.attribute("compression", kind.compression);
  samples = samples_for(spec);
  return write_with_oiio(kind.plugin, spec, samples);
}

Bytes converted(const Bytes& file, Format format, Format target) {
  const Decoded decoded(file, format, target);
  return tests::encode(decoded.image, Orientation::identity, target);
}

std::string message_of(const Bytes& file, Format format, Format target) {
  try {
    converted(file, format, target);
  } catch (const ImageFileError& error) {
    return error.what();
  }
  return "";
}

// What a PNG made of the file shows.
std::vector<std::uint8_t> shown(const Bytes& file, Format format) {
  return read_with_oiio("png", converted(file, format, Format::png)).samples;
}

// 2 x 1 pixels of 32 bits, with a header as long as asked for.
Bytes bmp32(std::uint32_t header_bytes, std::uint32_t compression, std::uint32_t alpha_mask,
            std::string_view bgra) {
  std::string file = "BM";
  const auto put = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
  };
  put(22 + header_bytes, 4);
  put(0, 4);
  put(14 + header_bytes, 4);
  put(header_bytes, 4);
  put(2, 4);
  put(1, 4);
  put(1, 2);
  put(32, 2);
  put(compression, 4);
  file.resize(54);
  if (header_bytes > 40) {
    for (const std::uint32_t mask : {0xFF0000U, 0xFF00U, 0xFFU, alpha_mask}) put(mask, 4);
  }
  file.resize(14 + header_bytes);
  return owned(file.append(bgra));
}

}  // namespace

TEST_CASE("Every sample of every format and type is where it belongs, bit for bit") {
  const Case& kind = cases[GENERATE(range(0, static_cast<int>(std::size(cases))))];
  const auto orientation =
      GENERATE(values({Orientation::identity, Orientation::flop, Orientation::rotate180,
                       Orientation::flip, Orientation::transpose, Orientation::rotate90,
                       Orientation::transverse, Orientation::rotate270}));
  INFO(kind.plugin << ", " << kind.channels << " channels, " << TypeDesc(kind.type).c_str());
  std::vector<std::uint8_t> samples;
  const Bytes file = picture(kind, samples);
  const Header header = read_header(file, kind.format);
  CHECK(header.width == 33);
  CHECK(header.height == 18);
  CHECK(header.storage_change.empty());
  CHECK(header.pixel_bytes_total == samples.size());

  const Bytes out = turn_file(file, kind.format, orientation);
  const ReadByOiio read = read_with_oiio(kind.plugin, out);
  const OIIO::ImageSpec spec = plain_spec(33, 18, kind.channels, kind.type);
  const Size wanted = turned_size(orientation, {33, 18});
  REQUIRE(read.spec.width == wanted.width);
  REQUIRE(read.spec.height == wanted.height);
  REQUIRE(read.spec.nchannels == kind.channels);
  REQUIRE(read.spec.format == TypeDesc(kind.type));
  CHECK(read.samples == turned_samples(spec, samples, orientation));
  // The reader of WebP does not tell.
  if (*kind.compression && kind.format != Format::webp) {
    CHECK(read.spec.get_string_attribute("compression") == kind.compression);
  }
  CHECK(turn_file(file, kind.format, orientation) == out);
}

TEST_CASE("Colours under a transparent pixel keep their bits") {
  for (const Case& kind : {Case{Format::png, "png", 4, TypeDesc::UINT8},
                           Case{Format::tiff, "tiff", 4, TypeDesc::UINT8, "zip"},
                           Case{Format::tga, "targa", 4, TypeDesc::UINT8}}) {
    INFO(kind.plugin);
    OIIO::ImageSpec spec = plain_spec(4, 1, 4, TypeDesc::UINT8);
    const std::vector<std::uint8_t> samples = {10, 20, 30, 0,  255, 1, 254, 1,
                                               9,  8,  7,  77, 3,   2, 1,   255};
    const Bytes file = write_with_oiio(kind.plugin, spec, samples);
    const ReadByOiio read =
        read_with_oiio(kind.plugin, turn_file(file, kind.format, Orientation::flop));
    CHECK(read.samples == turned_samples(spec, samples, Orientation::flop));
  }
}

TEST_CASE("HDR keeps its values and its header's lines") {
  using std::string_view_literals::operator""sv;
  OIIO::ImageSpec spec = plain_spec(16, 9, 3, TypeDesc::FLOAT);
  Bytes file = write_with_oiio("hdr", spec, samples_for(spec));
  const std::string_view added = "EXPOSURE=2.5\n# a comment\n"sv;
  const std::size_t line = text_of(file).find('\n') + 1;
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(line), bytes_of(added).begin(),
              bytes_of(added).end());
  const std::vector<std::uint8_t> stored = read_with_oiio("hdr", file).samples;
  const Bytes out = turn_file(file, Format::hdr, Orientation::rotate90);
  CHECK(read_with_oiio("hdr", out).samples == turned_samples(spec, stored, Orientation::rotate90));
  CHECK(contains(out, added));
  CHECK(turn_file(out, Format::hdr, Orientation::rotate270) == file);
}

TEST_CASE("Bytes behind the pixels of a BMP, an HDR and a TIFF are not kept, and it is said") {
  struct Kind {
    const char* plugin;
    Format format;
    TypeDesc type;
    int width;
  };
  // A Radiance picture of 5 columns is written pixel by pixel, one of 16 by run lengths.
  for (const Kind& kind :
       {Kind{"bmp", Format::bmp, TypeDesc::UINT8, 5}, Kind{"hdr", Format::hdr, TypeDesc::FLOAT, 5},
        Kind{"hdr", Format::hdr, TypeDesc::FLOAT, 16},
        Kind{"tiff", Format::tiff, TypeDesc::UINT8, 5}}) {
    CAPTURE(kind.plugin, kind.width);
    const OIIO::ImageSpec spec = plain_spec(kind.width, 7, 3, kind.type);
    const Bytes file = write_with_oiio(kind.plugin, spec, samples_for(spec));
    const auto warnings = [&](std::string_view behind, Format target) {
      Bytes longer = file;
      longer.insert(longer.end(), bytes_of(behind).begin(), bytes_of(behind).end());
      return Decoded(longer, kind.format, target).warnings;
    };
    const Format other = kind.type == TypeDesc::UINT8 ? Format::png : Format::openexr;
    const std::vector<std::string> said = {"4 bytes behind the picture are not kept"};
    for (const Format target : {kind.format, other}) {
      CHECK(warnings("", target).empty());
      CHECK(warnings(std::string_view("\0\0", 2), target).empty());
      CHECK(warnings("tail", target) == said);
    }
  }
}

TEST_CASE("The resolution of a BMP changes places with the axes") {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view resolution = "\x23\x2E\0\0\x13\x0B\0\0"sv,
                             exchanged = "\x13\x0B\0\0\x23\x2E\0\0"sv;
  const OIIO::ImageSpec spec = plain_spec(5, 7, 3, TypeDesc::UINT8);
  Bytes file = write_with_oiio("bmp", spec, samples_for(spec));
  std::ranges::copy(bytes_of(resolution), file.begin() + 38);
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    const Bytes out = turn_file(file, Format::bmp, each);
    CHECK(text_of(out).substr(38, 8) == (swaps_axes(each) ? exchanged : resolution));
  }
}

TEST_CASE("A cut at any twentieth of a file is a failure") {
  for (const Case& kind : cases) {
    INFO(kind.plugin << ", " << kind.channels << " channels, " << TypeDesc(kind.type).c_str());
    std::vector<std::uint8_t> samples;
    const Bytes file = picture(kind, samples);
    // A TGA is complete without what may follow its pixels: texts, dates and a signature.
    const std::size_t all = kind.format == Format::tga ? file.size() - 560 : file.size();
    for (std::size_t i = 0; i < 20; ++i) {
      INFO("cut at " << all * i / 20 << " of " << file.size());
      CHECK(refusal(cut(file, all * i / 20), kind.format) != "");
    }
    CHECK(refusal(cut(file, all - 1), kind.format) != "");
    CHECK(refusal(file, kind.format) == "");
  }
  OIIO::ImageSpec spec = plain_spec(20, 30, 3, TypeDesc::FLOAT);
  const Bytes hdr = write_with_oiio("hdr", spec, samples_for(spec));
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(refusal(cut(hdr, hdr.size() * i / 20), Format::hdr) != "");
}

TEST_CASE("TIFF keeps all its pages, each with its own size and text") {
  // OpenImageIO 2.4 cannot append a page in memory: a copy of the first page's directory will do.
  OIIO::ImageSpec spec = plain_spec(20, 10, 3, TypeDesc::UINT8);
  spec.attribute("ImageDescription", "the first page");
  const std::vector<std::uint8_t> samples = samples_for(spec);
  const Bytes first = write_with_oiio("tiff", spec, samples);
  OIIO::ImageSpec other = plain_spec(7, 5, 1, TypeDesc::UINT16);
  other.attribute("ImageDescription", "the second page");
  const std::vector<std::uint8_t> other_samples = samples_for(other, 2);
  const Bytes second = write_with_oiio("tiff", other, other_samples);
  TiffFile both = read_tiff(first);
  both.pages.push_back(read_tiff(second).pages.front());
  const std::span<const std::byte> parts[] = {first, second};
  const Bytes file = write_tiff(both, parts);

  CHECK(read_header(file, Format::tiff).pages == 2);
  const Bytes out = turn_file(file, Format::tiff, Orientation::rotate90);
  const ReadByOiio a = read_with_oiio("tiff", out, 0), b = read_with_oiio("tiff", out, 1);
  CHECK(a.samples == turned_samples(spec, samples, Orientation::rotate90));
  CHECK(b.samples == turned_samples(other, other_samples, Orientation::rotate90));
  CHECK(a.spec.get_string_attribute("ImageDescription") == "the first page");
  CHECK(b.spec.get_string_attribute("ImageDescription") == "the second page");
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(refusal(cut(file, file.size() * i / 20), Format::tiff) != "");
  }
  const Decoded decoded(file, Format::tiff, Format::png);
  CHECK_THROWS_WITH(tests::encode(decoded.image, Orientation::identity, Format::png),
                    ContainsSubstring("2 pages"));
}

TEST_CASE("A TIFF that says nothing of its bits has one a sample") {
  OIIO::ImageSpec spec = plain_spec(21, 5, 1, TypeDesc::UINT8);
  spec.attribute("oiio:BitsPerSample", 1);
  spec.attribute("Software", "any field that is not needed");
  std::vector<std::uint8_t> samples = samples_for(spec);
  for (std::uint8_t& sample : samples) sample = sample < 128 ? 0 : 255;
  const Bytes said = write_with_oiio("tiff", spec, samples);
  TiffFile unsaid = read_tiff(said);
  const bool bare = GENERATE(false, true);  // as Pillow writes it: no field is left that could go
  std::erase_if(unsaid.pages[0].fields, [&](const TiffField& field) {
    constexpr std::array<std::uint16_t, 8> needed = {256, 257, 259, 262, 273, 278, 279, 284};
    return field.tag == tiff_tag::bits_per_sample ||
           (bare && std::find(needed.begin(), needed.end(), field.tag) == needed.end());
  });
  REQUIRE(unsaid.pages[0].find(tiff_tag::bits_per_sample) == nullptr);
  const std::span<const std::byte> parts[] = {said};
  const Bytes file = write_tiff(unsaid, parts);
  const Bytes out = turn_file(file, Format::tiff, Orientation::rotate90);
  // On its own, OpenImageIO would take the pixels for bytes.
  const Decoded read(out, Format::tiff, Format::bmp);
  const std::vector<std::uint8_t> wanted = turned_samples(spec, samples, Orientation::rotate90);
  CHECK(std::ranges::equal(pixels_of(read.image.pages[0]), std::as_bytes(std::span(wanted))));
  CHECK(read_tiff(out).pages[0].find(tiff_tag::bits_per_sample) == nullptr);
  CHECK(read_header(file, Format::tiff).storage_change == "");
}

TEST_CASE("Tiles turn with the axes, planes stay apart, resolutions change places") {
  OIIO::ImageSpec spec = plain_spec(100, 40, 3, TypeDesc::UINT16);
  spec.tile_width = 32;
  spec.tile_height = 16;
  spec.attribute("planarconfig", "separate");
  spec.attribute("XResolution", 300.0F);
  spec.attribute("YResolution", 150.0F);
  spec.attribute("PixelAspectRatio", 0.5F);
  spec.attribute("ResolutionUnit", "in");
  const std::vector<std::uint8_t> samples = samples_for(spec);
  const Bytes file = write_with_oiio("tiff", spec, samples);
  const ReadByOiio out =
      read_with_oiio("tiff", turn_file(file, Format::tiff, Orientation::transverse));
  CHECK(out.samples == turned_samples(spec, samples, Orientation::transverse));
  CHECK(out.spec.tile_width == 16);
  CHECK(out.spec.tile_height == 32);
  CHECK(out.spec.get_string_attribute("planarconfig") == "separate");
  CHECK(out.spec.get_float_attribute("XResolution") == 150.0F);
  CHECK(out.spec.get_float_attribute("YResolution") == 300.0F);
}

TEST_CASE("TIFF's orientation is honoured and comes out as 1, its fields as they were") {
  OIIO::ImageSpec spec = plain_spec(20, 10, 3, TypeDesc::UINT8);
  spec.attribute("Orientation", 6);
  spec.attribute("Artist", "A. Painter");
  const std::vector<std::uint8_t> profile = noise(200);
  spec.attribute("ICCProfile", TypeDesc(TypeDesc::UINT8, 200), profile.data());
  const Bytes plain = write_with_oiio("tiff", spec, samples_for(spec));
  TiffFile with_exif = read_tiff(plain);
  constexpr std::uint16_t user_comment = 37510;
  with_exif.pages[0].children[tiff_tag::exif].fields = {
      {user_comment, tiff_type::undefined, 13, owned("ASCII a remark")}};
  with_exif.pages[0].children[tiff_tag::exif].fields[0].value.resize(13);
  const std::span<const std::byte> parts[] = {plain};
  const Bytes file = write_tiff(with_exif, parts);
  CHECK(read_header(file, Format::tiff).stored == Orientation::rotate90);
  const Bytes out = turn_file(file, Format::tiff, Orientation::rotate90);
  CHECK(read_header(out, Format::tiff).stored == Orientation::identity);
  const OIIO::ImageSpec after = read_with_oiio("tiff", out).spec;
  CHECK(after.get_int_attribute("Orientation") == 1);
  CHECK(after.get_string_attribute("Artist") == "A. Painter");
  CHECK(after.get_string_attribute("DateTime") == "2020:01:02 03:04:05");
  const TiffDirectory exif = read_tiff(out).pages[0].children.at(tiff_tag::exif);
  REQUIRE(exif.find(user_comment));
  CHECK(text_of(exif.find(user_comment)->value) == "ASCII a remar");
  REQUIRE(after.find_attribute("ICCProfile"));
  CHECK(std::memcmp(after.find_attribute("ICCProfile")->data(), profile.data(), 200) == 0);
}

TEST_CASE("The time of writing is nowhere in a file") {
  for (const auto& [format, plugin, type] :
       {std::tuple{Format::tiff, "tiff", TypeDesc::UINT8},
        std::tuple{Format::openexr, "openexr", TypeDesc::HALF}}) {
    OIIO::ImageSpec spec = plain_spec(8, 8, 3, type);
    std::vector<std::uint8_t> samples = samples_for(spec);
    Image image{.format = Format::bmp, .pages = {}, .extras = {}};
    image.pages.push_back({.pixels = samples.data(),
                           .width = 8,
                           .height = 8,
                           .channels = 3,
                           .type = type == TypeDesc::HALF ? SampleFormat::f16 : SampleFormat::u8});
    const Bytes file = tests::encode(image, Orientation::identity, format);
    CHECK(read_with_oiio(plugin, file).spec.get_string_attribute("DateTime") == "");
    const Bytes again = turn_file(file, format, Orientation::identity);
    CHECK(read_with_oiio(plugin, again).spec.get_string_attribute("DateTime") == "");
  }
}

TEST_CASE("CMYK stays CMYK in a TIFF and goes nowhere else") {
  OIIO::ImageSpec spec = plain_spec(9, 6, 4, TypeDesc::UINT8);
  spec.attribute("tiff:ColorSpace", "CMYK");
  spec.channelnames = {"C", "M", "Y", "K"};
  spec.alpha_channel = -1;
  const std::vector<std::uint8_t> samples = samples_for(spec);
  const Bytes file = write_with_oiio("tiff", spec, samples);
  const Decoded decoded(file, Format::tiff);
  CHECK(text_of(pixels_of(decoded.image.pages[0])) ==
        std::string_view(reinterpret_cast<const char*>(samples.data()), samples.size()));
  const Bytes out = turn_file(file, Format::tiff, Orientation::rotate90);
  CHECK(read_tiff(out).pages[0].integer(tiff_tag::photometric, 0) == 5);
  CHECK(turn_file(out, Format::tiff, Orientation::rotate270) ==
        turn_file(file, Format::tiff, Orientation::identity));
  const Decoded to_png(file, Format::tiff, Format::png);
  CHECK_THROWS_WITH(tests::encode(to_png.image, Orientation::identity, Format::png),
                    ContainsSubstring("CMYK"));
}

TEST_CASE("The data window of an OpenEXR file turns inside its display window") {
  OIIO::ImageSpec spec = plain_spec(10, 6, 3, TypeDesc::HALF);
  spec.x = 3;
  spec.y = -2;
  spec.full_x = -5;
  spec.full_y = 2;
  spec.full_width = 40;
  spec.full_height = 20;
  const std::vector<std::uint8_t> samples = samples_for(spec);
  const Bytes file = write_with_oiio("openexr", spec, samples);
  const OIIO::ImageSpec turned =
      read_with_oiio("openexr", turn_file(file, Format::openexr, Orientation::rotate90)).spec;
  // Clockwise, the left gap (8) comes to the top, the bottom gap (20 + 4 - 6) to the left.
  CHECK(turned.full_width == 20);
  CHECK(turned.full_height == 40);
  CHECK(turned.full_x == 2);
  CHECK(turned.full_y == -5);
  CHECK(turned.x == 2 + 18);
  CHECK(turned.y == -5 + 8);
  const OIIO::ImageSpec flopped =
      read_with_oiio("openexr", turn_file(file, Format::openexr, Orientation::flop)).spec;
  CHECK(flopped.x == -5 + 40 - 8 - 10);
  CHECK(flopped.y == -2);
}

TEST_CASE("What cannot be kept of an OpenEXR file is refused by name") {
  OIIO::ImageSpec spec = plain_spec(16, 16, 3, TypeDesc::HALF);
  spec.attribute("compression", "dwaa");
  CHECK_THAT(refusal(write_with_oiio("openexr", spec, samples_for(spec)), Format::openexr),
             ContainsSubstring("lossy OpenEXR compression (dwaa)"));
  spec = plain_spec(16, 16, 2, TypeDesc::HALF);
  spec.channelformats = {TypeDesc::HALF, TypeDesc::FLOAT};
  CHECK_THAT(refusal(write_with_oiio("openexr", spec, samples_for(spec)), Format::openexr),
             ContainsSubstring("different types"));
}

TEST_CASE("A picture goes to a format that holds its samples as they are, or nowhere") {
  const auto message = [](int channels, TypeDesc::BASETYPE type, Format target) -> std::string {
    OIIO::ImageSpec spec = plain_spec(6, 5, channels, type);
    const Bytes file = write_with_oiio("tiff", spec, samples_for(spec));
    Decoded decoded(file, Format::tiff, target);
    try {
      tests::encode(decoded.image, Orientation::identity, target);
    } catch (const ImageFileError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message(3, TypeDesc::UINT8, Format::png) == "");
  CHECK(message(4, TypeDesc::UINT16, Format::png) == "");
  CHECK(message(3, TypeDesc::UINT8, Format::bmp) == "");
  CHECK(message(4, TypeDesc::UINT8, Format::bmp) == "4 channels with alpha cannot be kept in bmp");
  CHECK(message(3, TypeDesc::UINT16, Format::pnm) == "");
  CHECK(message(3, TypeDesc::FLOAT, Format::openexr) == "");
  CHECK(message(3, TypeDesc::UINT8, Format::jpeg) == "");
  CHECK_THAT(message(3, TypeDesc::FLOAT, Format::png), ContainsSubstring("float cannot be kept"));
  CHECK_THAT(message(3, TypeDesc::UINT16, Format::bmp), ContainsSubstring("cannot be kept in bmp"));
  CHECK_THAT(message(3, TypeDesc::UINT8, Format::openexr), ContainsSubstring("openexr"));
  CHECK_THAT(message(4, TypeDesc::UINT8, Format::pnm), ContainsSubstring("alpha"));
  CHECK_THAT(message(4, TypeDesc::UINT8, Format::jpeg), ContainsSubstring("transparency"));
  CHECK_THAT(message(1, TypeDesc::UINT8, Format::webp), ContainsSubstring("webp"));
  CHECK_THAT(message(3, TypeDesc::FLOAT, Format::hdr), ContainsSubstring("hdr"));
  CHECK_THAT(message(3, TypeDesc::INT16, Format::png), ContainsSubstring("signed"));
  CHECK_THAT(message(5, TypeDesc::UINT8, Format::png), ContainsSubstring("5 channels"));
}

TEST_CASE("A WebP with transparency keeps its colours, or is refused by name") {
  OIIO::ImageSpec spec = plain_spec(6, 5, 4, TypeDesc::UINT8);
  std::vector<std::uint8_t> samples = samples_for(spec);
  for (std::size_t i = 3; i < samples.size(); i += 4) samples[i] |= 1;  // none that has no colour
  spec.attribute("compression", "lossless");
  const Bytes file = write_with_oiio("webp", spec, samples);
#if OIIO_VERSION >= 30100
  CHECK(shown(file, Format::webp) == samples);
  CHECK(read_with_oiio("tiff", converted(file, Format::webp, Format::tiff)).samples == samples);
  const Bytes out = turn_file(file, Format::webp, Orientation::rotate90);
  CHECK(shown(out, Format::webp) == turned_samples(spec, samples, Orientation::rotate90));
#else
  for (const Format target : {Format::webp, Format::tiff, Format::png}) {
    CHECK(message_of(file, Format::webp, target) ==
          "OpenImageIO 2.4 changes the colours of a WebP with transparency (3.1 keeps them)");
  }
  // Read back multiplied, these samples would seem to be what was written.
  const std::vector<std::uint8_t> flat(120, 128);
  OIIO::ImageSpec png = plain_spec(6, 5, 4, TypeDesc::UINT8);
  CHECK_THAT(message_of(write_with_oiio("png", png, flat), Format::png, Format::webp),
             ContainsSubstring("without loss"));
#endif
}

TEST_CASE("A BMP's fourth byte is alpha where a mask says so, and nothing elsewhere") {
  using std::string_view_literals::operator""sv;
  using Samples = std::vector<std::uint8_t>;
  constexpr std::uint32_t plain = 0, bit_fields = 3;
  constexpr std::string_view zero = "\x0A\x14\x1E\0\x28\x32\x3C\0"sv;
  constexpr std::string_view some = "\x0A\x14\x1E\x07\x28\x32\x3C\x09"sv;
  const Samples colours = {30, 20, 10, 60, 50, 40};
  for (const std::string_view bgra : {zero, some}) {
    CHECK(shown(bmp32(40, plain, 0, bgra), Format::bmp) == colours);
    CHECK(shown(bmp32(108, bit_fields, 0, bgra), Format::bmp) == colours);
    const Bytes file = bmp32(40, plain, 0, bgra);
    CHECK(read_with_oiio("tiff", converted(file, Format::bmp, Format::tiff)).samples == colours);
    CHECK(contains(turn_file(file, Format::bmp, Orientation::rotate180),
                   std::string(bgra.substr(4)).append(bgra.substr(0, 4))));
  }
  const Bytes masked = bmp32(108, bit_fields, 0xFF000000, some);
  CHECK(shown(masked, Format::bmp) == Samples{30, 20, 10, 7, 60, 50, 40, 9});
  CHECK(message_of(masked, Format::bmp, Format::bmp) ==
        "a BMP with alpha cannot be written; --format png can keep it");
}

TEST_CASE("A TGA's alpha is kept if its header declares it, or if it is opaque") {
  OIIO::ImageSpec spec = plain_spec(6, 5, 4, TypeDesc::UINT8);
  std::vector<std::uint8_t> samples = samples_for(spec);
  Bytes file = write_with_oiio("targa", spec, samples);
  CHECK(shown(file, Format::tga) == samples);
  constexpr std::size_t attributes = 17, end_of_signature = 26;
  const auto undeclared = [&](Bytes tga) {
    tga.resize(tga.size() - end_of_signature);  // which leads to a second declaration
    tga[attributes] &= std::byte{0xF0};
    return tga;
  };
  for (const Format target : {Format::tga, Format::tiff, Format::png}) {
    CHECK_THAT(message_of(undeclared(file), Format::tga, target),
               ContainsSubstring("not declared in its header"));
  }
  for (std::size_t i = 3; i < samples.size(); i += 4) samples[i] = 255;
  CHECK(shown(undeclared(write_with_oiio("targa", spec, samples)), Format::tga) == samples);
}

TEST_CASE("Alpha beside grey is declared in a TIFF") {
  const OIIO::ImageSpec spec = plain_spec(6, 5, 2, TypeDesc::UINT8);
  const std::vector<std::uint8_t> samples = samples_for(spec);
  for (const auto& [format, plugin] :
       {std::pair{Format::png, "png"}, std::pair{Format::tga, "targa"}}) {
    const Bytes file = write_with_oiio(plugin, spec, samples);
    const Bytes out = converted(file, format, Format::tiff);
    constexpr std::uint64_t unassociated = 2;
    CHECK(read_tiff(out).pages[0].integer(tiff_tag::extra_samples, 99) == unassociated);
    CHECK(read_with_oiio("tiff", out).samples == samples);
    CHECK(shown(file, format) == samples);
  }
}

TEST_CASE("A palette TIFF's colours come out as their upper 8 bits, or as the 8 that they have") {
  const OIIO::ImageSpec spec = plain_spec(3, 1, 1, TypeDesc::UINT8);
  const Bytes grey = write_with_oiio("tiff", spec, {0, 1, 2});
  const bool little = GENERATE(true, false), big = GENERATE(false, true);
  const auto with_map = [&](std::initializer_list<std::uint32_t> reds) {
    TiffFile tiff = read_tiff(grey);
    tiff.little = little;
    tiff.big = big;
    std::vector<std::uint64_t> map(768);
    std::copy(reds.begin(), reds.end(), map.begin());
    constexpr std::uint16_t colour_map = 320;
    std::erase_if(tiff.pages[0].fields, [](const TiffField& field) {
      return field.tag == tiff_tag::photometric || field.tag == colour_map;
    });
    tiff.pages[0].fields.push_back(tiff_integers(tiff_tag::photometric, tiff_type::u16, {{3}}));
    tiff.pages[0].fields.push_back(tiff_integers(colour_map, tiff_type::u16, map));
    const std::span<const std::byte> parts[] = {grey};
    return write_tiff(tiff, parts);
  };
  const Bytes whole = with_map({109});
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(refusal(cut(whole, whole.size() * i / 20), Format::tiff, Format::png) != "");
  }
  using Samples = std::vector<std::uint8_t>;
  CHECK(shown(with_map({109 << 8, 109 * 257, 0xFF00}), Format::tiff) ==
        Samples{109, 0, 0, 109, 0, 0, 255, 0, 0});
  CHECK(shown(with_map({109, 7, 255}), Format::tiff) == Samples{109, 0, 0, 7, 0, 0, 255, 0, 0});
}

TEST_CASE("Reading and writing stop when asked to") {
  for (const Case& kind : {Case{Format::png, "png", 3, TypeDesc::UINT8},
                           Case{Format::tiff, "tiff", 3, TypeDesc::UINT8, "zip"}}) {
    std::vector<std::uint8_t> samples;
    const Bytes file = picture(kind, samples);
    PixelArena arena;
    std::vector<std::string> warnings;
    const std::atomic<bool> stop = true;
    CHECK_THROWS_AS(decode(file, kind.format, kind.format, arena, stop, warnings), Interrupted);
    const Decoded decoded(file, kind.format);
    CHECK_THROWS_AS(encode(decoded.image, Orientation::identity, kind.format, stop, warnings),
                    Interrupted);
  }
}

TEST_CASE("Text named like a picture is a failure in every format") {
  for (const Format format : {Format::png, Format::tiff, Format::openexr, Format::webp, Format::bmp,
                              Format::tga, Format::hdr, Format::pnm}) {
    CHECK(refusal(owned("this is text, and more of it, but no picture at all"), format) != "");
    CHECK(refusal({}, format) != "");
  }
}
