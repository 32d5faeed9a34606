#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "src/formats/tiff/directories.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/formats/oiio_pictures.hpp"

namespace oiio_codec_test {

namespace {

using namespace qturn;
using namespace qturn::openexr;
using namespace qturn::tiff;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using OIIO::TypeDesc;

struct Case {
  const Codec* format = nullptr;
  const char* plugin;
  int channels;
  TypeDesc::BASETYPE type;
  const char* compression = "";
};

// Each format with every kind of sample that it keeps.
constexpr Case cases[] = {
    {&png::codec, "png", 1, TypeDesc::UINT8},
    {&png::codec, "png", 2, TypeDesc::UINT8},
    {&png::codec, "png", 3, TypeDesc::UINT8},
    {&png::codec, "png", 4, TypeDesc::UINT8},
    {&png::codec, "png", 1, TypeDesc::UINT16},
    {&png::codec, "png", 4, TypeDesc::UINT16},
    {&tiff::codec, "tiff", 1, TypeDesc::UINT8, "packbits"},
    {&tiff::codec, "tiff", 3, TypeDesc::UINT8, "lzw"},
    {&tiff::codec, "tiff", 4, TypeDesc::UINT8, "zip"},
    {&tiff::codec, "tiff", 3, TypeDesc::UINT16, "none"},
    {&tiff::codec, "tiff", 3, TypeDesc::INT16, "zip"},
    {&tiff::codec, "tiff", 2, TypeDesc::UINT32, "none"},
    {&tiff::codec, "tiff", 5, TypeDesc::UINT8, "zip"},
    {&tiff::codec, "tiff", 3, TypeDesc::HALF, "zip"},
    {&tiff::codec, "tiff", 1, TypeDesc::FLOAT, "zip"},
    {&tiff::codec, "tiff", 3, TypeDesc::DOUBLE, "lzw"},
    {&openexr::codec, "openexr", 3, TypeDesc::HALF, "piz"},
    {&openexr::codec, "openexr", 4, TypeDesc::FLOAT, "zip"},
    {&openexr::codec, "openexr", 1, TypeDesc::UINT32, "none"},
    {&bmp::codec, "bmp", 3, TypeDesc::UINT8},
    {&bmp::codec, "bmp", 4, TypeDesc::UINT8},
    {&tga::codec, "targa", 3, TypeDesc::UINT8},
    {&tga::codec, "targa", 4, TypeDesc::UINT8, "rle"},
};

Bytes picture(const Case& kind, std::vector<std::uint8_t>& samples, int width = 33,
              int height = 18) {
  OIIO::ImageSpec spec = plain_spec(width, height, kind.channels, kind.type);
  if (*kind.compression) spec.attribute("compression", kind.compression);
  samples = samples_for(spec);
  return write_with_oiio(kind.plugin, spec, samples);
}

std::string message_of(const Bytes& file, const Codec& format, const Codec& target) {
  return thrown_by([&] { return converted(file, format, target); });
}

// What a PNG made of the file shows.
std::vector<std::uint8_t> shown(const Bytes& file, const Codec& format) {
  return read_with_oiio("png", converted(file, format, png::codec)).samples;
}

}  // namespace

TEST_CASE("Every sample of every format and type is where it belongs, bit for bit") {
  const Case& kind = cases[GENERATE(range(0, static_cast<int>(std::size(cases))))];
  const auto orientation = GENERATE(from_range(all_orientations));
  INFO(kind.plugin << ", " << kind.channels << " channels, " << TypeDesc(kind.type).c_str());
  std::vector<std::uint8_t> samples;
  const Bytes file = picture(kind, samples);
  const Header header = kind.format->read_header(file);
  CHECK(header.width == 33);
  CHECK(header.height == 18);
  CHECK(header.storage_change.empty());
  CHECK(header.pixel_bytes_total == samples.size());

  const Bytes out = turn_file(file, *kind.format, orientation);
  const ReadByOiio read = read_with_oiio(kind.plugin, out);
  const OIIO::ImageSpec spec = plain_spec(33, 18, kind.channels, kind.type);
  const Size wanted = turned_size(orientation, {33, 18});
  REQUIRE(read.spec.width == wanted.width);
  REQUIRE(read.spec.height == wanted.height);
  REQUIRE(read.spec.nchannels == kind.channels);
  REQUIRE(read.spec.format == TypeDesc(kind.type));
  CHECK(read.samples == turned_samples(spec, samples, orientation));
  if (*kind.compression) {
    CHECK(read.spec.get_string_attribute("compression") == kind.compression);
  }
  CHECK(turn_file(file, *kind.format, orientation) == out);
}

TEST_CASE("Colours under a transparent pixel keep their bits") {
  for (const Case& kind : {Case{&png::codec, "png", 4, TypeDesc::UINT8},
                           Case{&tiff::codec, "tiff", 4, TypeDesc::UINT8, "zip"},
                           Case{&tga::codec, "targa", 4, TypeDesc::UINT8}}) {
    INFO(kind.plugin);
    OIIO::ImageSpec spec = plain_spec(4, 1, 4, TypeDesc::UINT8);
    const std::vector<std::uint8_t> samples = {10, 20, 30, 0,  255, 1, 254, 1,
                                               9,  8,  7,  77, 3,   2, 1,   255};
    const Bytes file = write_with_oiio(kind.plugin, spec, samples);
    const ReadByOiio read =
        read_with_oiio(kind.plugin, turn_file(file, *kind.format, Orientation::flop));
    CHECK(read.samples == turned_samples(spec, samples, Orientation::flop));
  }
}

TEST_CASE("Bytes after the pixels of a BMP, an HDR and a TIFF are not kept, with a warning") {
  struct Kind {
    const char* plugin;
    const Codec* format = nullptr;
    TypeDesc type;
    int width;
  };
  // A Radiance picture of 5 columns is written pixel by pixel, one of 16 by run lengths.
  for (const Kind& kind :
       {Kind{"bmp", &bmp::codec, TypeDesc::UINT8, 5}, Kind{"hdr", &hdr::codec, TypeDesc::FLOAT, 5},
        Kind{"hdr", &hdr::codec, TypeDesc::FLOAT, 16},
        Kind{"tiff", &tiff::codec, TypeDesc::UINT8, 5}}) {
    CAPTURE(kind.plugin, kind.width);
    const OIIO::ImageSpec spec = plain_spec(kind.width, 7, 3, kind.type);
    const Bytes file = write_with_oiio(kind.plugin, spec, samples_for(spec));
    const auto warnings = [&](std::string_view after, const Codec& target) {
      return Decoded(followed_by(file, after), *kind.format, target).warnings;
    };
    const Codec& other = kind.type == TypeDesc::UINT8 ? png::codec : openexr::codec;
    const std::vector<std::string> said = {"4 bytes after the picture are not kept"};
    for (const Codec* target : {kind.format, &other}) {
      CHECK(warnings("", *target).empty());
      CHECK(warnings(std::string_view("\0\0", 2), *target).empty());
      CHECK(warnings("tail", *target) == said);
    }
  }
}

TEST_CASE("A cut at any twentieth of a file is a failure") {
  for (const Case& kind : cases) {
    INFO(kind.plugin << ", " << kind.channels << " channels, " << TypeDesc(kind.type).c_str());
    std::vector<std::uint8_t> samples;
    const Bytes file = picture(kind, samples);
    // A TGA is complete without what may follow its pixels: texts, dates and a signature.
    const std::size_t all = kind.format == &tga::codec ? file.size() - 560 : file.size();
    for (std::size_t i = 0; i < 20; ++i) {
      INFO("cut at " << all * i / 20 << " of " << file.size());
      CHECK(refusal(cut(file, all * i / 20), *kind.format) != "");
    }
    CHECK(refusal(cut(file, all - 1), *kind.format) != "");
    CHECK(refusal(file, *kind.format) == "");
  }
}

TEST_CASE("TIFF keeps all its pages, each with its own size and text") {
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

  CHECK(tiff::codec.read_header(file).pages == 2);
  const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
  const ReadByOiio a = read_with_oiio("tiff", out, 0), b = read_with_oiio("tiff", out, 1);
  CHECK(a.samples == turned_samples(spec, samples, Orientation::rotate90));
  CHECK(b.samples == turned_samples(other, other_samples, Orientation::rotate90));
  CHECK(a.spec.get_string_attribute("ImageDescription") == "the first page");
  CHECK(b.spec.get_string_attribute("ImageDescription") == "the second page");
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(refusal(cut(file, file.size() * i / 20), tiff::codec) != "");
  }
  const Decoded decoded(file, tiff::codec, png::codec);
  CHECK_THROWS_WITH(tests::encode(decoded.image, Orientation::identity, png::codec),
                    ContainsSubstring("2 pages"));
}

TEST_CASE("A TIFF without a field for its bits has one bit per sample") {
  OIIO::ImageSpec spec = plain_spec(21, 5, 1, TypeDesc::UINT8);
  spec.attribute("oiio:BitsPerSample", 1);
  spec.attribute("Software", "any field that is not needed");
  std::vector<std::uint8_t> samples = samples_for(spec);
  for (std::uint8_t& sample : samples) sample = sample < 128 ? 0 : 255;
  const Bytes said = write_with_oiio("tiff", spec, samples);
  const bool bare = GENERATE(false, true);  // as Pillow writes it: no field is left that could go
  const Bytes file = with_page(said, [&](TiffDirectory& page) {
    std::erase_if(page.fields, [&](const TiffField& field) {
      constexpr std::array<std::uint16_t, 8> needed = {256, 257, 259, 262, 273, 278, 279, 284};
      return field.tag == tiff_tag::bits_per_sample ||
             (bare && std::find(needed.begin(), needed.end(), field.tag) == needed.end());
    });
  });
  REQUIRE(read_tiff(file).pages[0].find(tiff_tag::bits_per_sample) == nullptr);
  const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
  // On its own, OpenImageIO would take the pixels for bytes.
  const Decoded read(out, tiff::codec, bmp::codec);
  const std::vector<std::uint8_t> wanted = turned_samples(spec, samples, Orientation::rotate90);
  CHECK(std::ranges::equal(pixels_of(read.image.pages[0]), std::as_bytes(std::span(wanted))));
  CHECK(read_tiff(out).pages[0].find(tiff_tag::bits_per_sample) == nullptr);
  CHECK(tiff::codec.read_header(file).storage_change == "");
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
      read_with_oiio("tiff", turn_file(file, tiff::codec, Orientation::transverse));
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
  constexpr std::uint16_t user_comment = 37510;
  const Bytes file = with_page(plain, [](TiffDirectory& page) {
    page.children[tiff_tag::exif].fields = {
        {user_comment, tiff_type::undefined, 13, owned("ASCII a remar")}};
  });
  CHECK(tiff::codec.read_header(file).stored == Orientation::rotate90);
  const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
  CHECK(tiff::codec.read_header(out).stored == Orientation::identity);
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
       {std::tuple{&tiff::codec, "tiff", TypeDesc::UINT8},
        std::tuple{&openexr::codec, "openexr", TypeDesc::HALF}}) {
    OIIO::ImageSpec spec = plain_spec(8, 8, 3, type);
    std::vector<std::uint8_t> samples = samples_for(spec);
    const Image image = image_of(samples, 8, 8, 3, bmp::codec,
                                 type == TypeDesc::HALF ? SampleFormat::f16 : SampleFormat::u8);
    const Bytes file = tests::encode(image, Orientation::identity, *format);
    CHECK(read_with_oiio(plugin, file).spec.get_string_attribute("DateTime") == "");
    const Bytes again = turn_file(file, *format, Orientation::identity);
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
  const Decoded decoded(file, tiff::codec);
  CHECK(text_of(pixels_of(decoded.image.pages[0])) ==
        std::string_view(reinterpret_cast<const char*>(samples.data()), samples.size()));
  const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
  CHECK(read_tiff(out).pages[0].integer(tiff_tag::photometric, 0) == 5);
  CHECK(turn_file(out, tiff::codec, Orientation::rotate270) ==
        turn_file(file, tiff::codec, Orientation::identity));
  CHECK_THAT(message_of(file, tiff::codec, png::codec), ContainsSubstring("CMYK"));
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
      read_with_oiio("openexr", turn_file(file, openexr::codec, Orientation::rotate90)).spec;
  // Clockwise, the left gap (8) comes to the top, the bottom gap (20 + 4 - 6) to the left.
  CHECK(turned.full_width == 20);
  CHECK(turned.full_height == 40);
  CHECK(turned.full_x == 2);
  CHECK(turned.full_y == -5);
  CHECK(turned.x == 2 + 18);
  CHECK(turned.y == -5 + 8);
  const OIIO::ImageSpec flopped =
      read_with_oiio("openexr", turn_file(file, openexr::codec, Orientation::flop)).spec;
  CHECK(flopped.x == -5 + 40 - 8 - 10);
  CHECK(flopped.y == -2);
}

TEST_CASE("An OpenEXR file with lossy compression becomes ZIP, with the pixels that it shows") {
  for (const std::string compression : {"dwaa", "dwab", "b44", "b44a", "pxr24"}) {
    for (const auto type : {TypeDesc::HALF, TypeDesc::FLOAT}) {
      for (const int tile : {0, 16}) {
        CAPTURE(compression, TypeDesc(type).c_str(), tile);
        OIIO::ImageSpec spec = plain_spec(41, 37, 3, type);
        spec.attribute("compression", compression);
        spec.attribute("openexr:dwaCompressionLevel", 50.0F);
        spec.tile_width = spec.tile_height = tile;
        const Bytes file = write_with_oiio("openexr", spec, samples_for(spec));
        const auto shown_by_it = read_with_oiio("openexr", file).samples;
        const bool is_kept = compression == "pxr24";
        const Header header = openexr::codec.read_header(file);
        CHECK(header.storage_change ==
              (is_kept ? "" : "its lossy compression (" + compression + ") becomes ZIP"));
        CHECK(header.changes_only_if_allowed);
        const ReadByOiio read =
            read_with_oiio("openexr", turn_file(file, openexr::codec, Orientation::rotate90));
        CHECK(read.spec.get_string_attribute("compression") == (is_kept ? "pxr24" : "zip"));
        CHECK((read.samples == turned_samples(spec, shown_by_it, Orientation::rotate90)));
      }
    }
  }
}

TEST_CASE("A picture goes to a format that holds its samples as they are, or nowhere") {
  const auto message = [](int channels, TypeDesc::BASETYPE type,
                          const Codec& target) -> std::string {
    OIIO::ImageSpec spec = plain_spec(6, 5, channels, type);
    const Bytes file = write_with_oiio("tiff", spec, samples_for(spec));
    return message_of(file, tiff::codec, target);
  };
  CHECK(message(3, TypeDesc::UINT8, png::codec) == "");
  CHECK(message(4, TypeDesc::UINT16, png::codec) == "");
  CHECK(message(3, TypeDesc::UINT8, bmp::codec) == "");
  CHECK(message(4, TypeDesc::UINT8, bmp::codec) == "");
  CHECK(message(3, TypeDesc::UINT16, pnm::codec) == "");
  CHECK(message(3, TypeDesc::FLOAT, openexr::codec) == "");
  CHECK(message(3, TypeDesc::UINT8, jpeg::codec) == "");
  CHECK_THAT(message(3, TypeDesc::FLOAT, png::codec), ContainsSubstring("float cannot be kept"));
  CHECK_THAT(message(3, TypeDesc::UINT16, bmp::codec), ContainsSubstring("cannot be kept in bmp"));
  CHECK_THAT(message(3, TypeDesc::UINT8, openexr::codec), ContainsSubstring("openexr"));
  CHECK_THAT(message(4, TypeDesc::UINT8, pnm::codec), ContainsSubstring("alpha"));
  CHECK(message(4, TypeDesc::UINT8, jpeg::codec) == "4 channels with alpha cannot be kept in jpeg");
  CHECK_THAT(message(3, TypeDesc::INT8, jpeg::codec), ContainsSubstring("signed"));
  CHECK_THAT(message(1, TypeDesc::UINT8, webp::codec), ContainsSubstring("webp"));
  CHECK_THAT(message(3, TypeDesc::FLOAT, hdr::codec), ContainsSubstring("hdr"));
  CHECK_THAT(message(3, TypeDesc::INT16, png::codec), ContainsSubstring("signed"));
  CHECK_THAT(message(5, TypeDesc::UINT8, png::codec), ContainsSubstring("5 channels"));
}

TEST_CASE("Alpha beside grey is declared in a TIFF") {
  const OIIO::ImageSpec spec = plain_spec(6, 5, 2, TypeDesc::UINT8);
  const std::vector<std::uint8_t> samples = samples_for(spec);
  for (const auto& [format, plugin] :
       {std::pair{&png::codec, "png"}, std::pair{&tga::codec, "targa"}}) {
    const Bytes file = write_with_oiio(plugin, spec, samples);
    const Bytes out = converted(file, *format, tiff::codec);
    constexpr std::uint64_t unassociated = 2;
    CHECK(read_tiff(out).pages[0].integer(tiff_tag::extra_samples, 99) == unassociated);
    CHECK(read_with_oiio("tiff", out).samples == samples);
    CHECK(shown(file, *format) == samples);
  }
}

TEST_CASE("Reading and writing stop when asked to") {
  for (const Case& kind : {Case{&png::codec, "png", 3, TypeDesc::UINT8},
                           Case{&tiff::codec, "tiff", 3, TypeDesc::UINT8, "zip"}}) {
    std::vector<std::uint8_t> samples;
    CHECK(stops(picture(kind, samples), *kind.format));
  }
}

TEST_CASE("Text named like a picture is a failure in every format") {
  for (const Codec* format : {&png::codec, &tiff::codec, &openexr::codec, &webp::codec, &bmp::codec,
                              &tga::codec, &hdr::codec, &pnm::codec}) {
    CHECK(refusal(owned("this is text, and more of it, but no picture at all"), *format) != "");
    CHECK(refusal({}, *format) != "");
  }
}

}  // namespace oiio_codec_test
