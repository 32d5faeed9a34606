#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

#include "src/formats/oiio/memory_files.hpp"
#include "src/picture/bytes.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/formats/oiio_pictures.hpp"

namespace oiio_rows_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using OIIO::TypeDesc;

struct Case {
  const Codec* format = nullptr;
  const char* plugin;
  int channels;
  TypeDesc::BASETYPE type;
  int bits = 0;
  const char* how = "";  ///< compression, or packing
};

constexpr Case cases[] = {
    {&oiio::dpx, "dpx", 3, TypeDesc::UINT8},
    {&oiio::dpx, "dpx", 4, TypeDesc::UINT8},
    {&oiio::dpx, "dpx", 3, TypeDesc::UINT16, 10, "Filled, method A"},
    {&oiio::dpx, "dpx", 3, TypeDesc::UINT16, 10, "Filled, method B"},
    {&oiio::dpx, "dpx", 4, TypeDesc::UINT16, 12, "Packed"},
    {&oiio::dpx, "dpx", 3, TypeDesc::UINT16, 16, "Packed"},
    {&oiio::dpx, "dpx", 1, TypeDesc::FLOAT},
    {&oiio::dpx, "dpx", 3, TypeDesc::DOUBLE},
    {&oiio::sgi, "sgi", 1, TypeDesc::UINT8},
    {&oiio::sgi, "sgi", 2, TypeDesc::UINT8, 0, "rle"},
    {&oiio::sgi, "sgi", 3, TypeDesc::UINT16, 0, "rle"},
    {&oiio::sgi, "sgi", 4, TypeDesc::UINT16},
    {&oiio::jpeg2000, "jpeg2000", 1, TypeDesc::UINT8},
    {&oiio::jpeg2000, "jpeg2000", 3, TypeDesc::UINT8},
    {&oiio::jpeg2000, "jpeg2000", 4, TypeDesc::UINT8},
    {&oiio::jpeg2000, "jpeg2000", 3, TypeDesc::UINT16, 16},
    {&oiio::jpeg2000, "jpeg2000", 3, TypeDesc::UINT16, 12},
    {&oiio::jpeg2000, "jpeg2000", 3, TypeDesc::UINT16, 10},
};

// Rows of a DPX are whole words.
Size size_of(const Case& kind) { return kind.format == &oiio::dpx ? Size{64, 40} : Size{65, 34}; }

OIIO::ImageSpec spec_of(const Case& kind) {
  const Size size = size_of(kind);
  OIIO::ImageSpec spec = plain_spec(static_cast<int>(size.width), static_cast<int>(size.height),
                                    kind.channels, kind.type);
  if (kind.bits != 0) spec.attribute("oiio:BitsPerSample", kind.bits);
  if (*kind.how)
    spec.attribute(kind.format == &oiio::dpx ? "dpx:Packing" : "compression", kind.how);
  return spec;
}

// Those that fewer bits can hold: their upper ones come again below them.
std::vector<std::uint8_t> samples_of(const Case& kind, const OIIO::ImageSpec& spec) {
  std::vector<std::uint8_t> bytes = samples_for(spec);
  for (std::size_t i = 0; kind.bits % 16 != 0 && i < bytes.size(); i += 2) {
    auto& sample = *reinterpret_cast<std::uint16_t*>(&bytes[i]);
    const unsigned upper = sample >> (16 - kind.bits) << (16 - kind.bits);
    sample = static_cast<std::uint16_t>(upper | upper >> kind.bits);
  }
  return bytes;
}

Bytes written(const Case& kind, const OIIO::ImageSpec& spec,
              const std::vector<std::uint8_t>& samples) {
  return write_with_oiio(kind.plugin, spec, samples, "x.jp2");
}

Turned turn(const Bytes& file, Orientation orientation, const TurnOptions& options = {}) {
  return qturn::turn(file.data(), file.size(), orientation, options);
}

Turned turn(const Bytes& file, Orientation orientation, const Codec& format) {
  return turn(file, orientation, {.suffix = std::string(format.suffixes[0])});
}

std::string refusal_of(const Bytes& file, Orientation orientation,
                       const TurnOptions& options = {}) {
  Turned result;
  const std::string thrown = thrown_by([&] { result = turn(file, orientation, options); });
  return thrown.empty() && result.bytes.empty() ? result.outcome.message : thrown;
}

void put(Bytes& file, std::size_t at, std::string_view text) {
  std::ranges::copy(bytes_of(text), file.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string_view part(const Bytes& file, std::size_t at, std::size_t size) {
  return text_of(file).substr(at, size);
}

/// A JPEG 2000 with more boxes before its picture.
Bytes with_boxes(const Bytes& file, const std::string& boxes) {
  std::string text(text_of(file));
  text.insert(text.find("jp2c") - 4, boxes);
  return owned(text);
}

/// With more boxes in its header.
Bytes with_header_boxes(const Bytes& file, const std::string& boxes) {
  std::string text(text_of(file));
  const std::size_t at = text.find("jp2h") - 4;
  const auto size = static_cast<std::size_t>(big_endian(file, at, 4));
  text.insert(at + size, boxes);
  text.replace(at, 4, in_big_endian(size + boxes.size(), 4));
  return owned(text);
}

Bytes plain_picture(const Codec& format) {
  const Case& kind = *std::ranges::find(cases, &format, &Case::format);
  const OIIO::ImageSpec spec = spec_of(kind);
  return written(kind, spec, samples_of(kind, spec));
}

}  // namespace

TEST_CASE("Every sample of what OpenImageIO writes is where it belongs, bit for bit") {
  const Case& kind = cases[GENERATE(range(0, static_cast<int>(std::size(cases))))];
  INFO(kind.plugin << ", " << kind.channels << " channels, " << TypeDesc(kind.type).c_str() << " "
                   << kind.bits << " " << kind.how);
  const OIIO::ImageSpec spec = spec_of(kind);
  const std::vector<std::uint8_t> samples = samples_of(kind, spec);
  const Bytes file = written(kind, spec, samples);
  const ReadByOiio source = read_with_oiio(kind.plugin, file);
  REQUIRE(source.samples == samples);
  for (const Orientation orientation : all_orientations) {
    CAPTURE(orientation);
    const Turned result = turn(file, orientation, *kind.format);
    CHECK(result.warnings == std::vector<std::string>());
    const ReadByOiio read = read_with_oiio(kind.plugin, result.bytes);
    const Size wanted = turned_size(orientation, size_of(kind));
    CHECK(read.spec.width == wanted.width);
    CHECK(read.spec.height == wanted.height);
    CHECK(read.spec.channelnames == source.spec.channelnames);
    CHECK((read.samples == turned_samples(spec, samples, orientation)));
    for (const OIIO::ParamValue& each : source.spec.extra_attribs) {
      CAPTURE(each.name());
      CHECK(read.spec.get_string_attribute(each.name()) == each.get_string());
    }
    CHECK((turn(result.bytes, inverse(orientation), *kind.format).bytes == file));
  }
}

TEST_CASE("A stored orientation is honoured, aspect and scanned size go with the axes") {
  const Case& kind = cases[0];
  OIIO::ImageSpec spec = spec_of(kind);
  spec.attribute("PixelAspectRatio", 2.0F);
  spec.attribute("dpx:XScannedSize", 3.5F);
  spec.attribute("dpx:YScannedSize", 7.0F);
  const std::vector<std::uint8_t> samples = samples_of(kind, spec);
  Bytes file = written(kind, spec, samples);
  put(file, 768, "\3\0"s);  // from the right to the left, from the bottom to the top
  put(file, 1440, "what no attribute tells");
  const ReadByOiio read = read_with_oiio("dpx", turn(file, Orientation::rotate270).bytes);
  CHECK(read.spec.get_int_attribute("Orientation") == 1);
  CHECK(read.spec.get_float_attribute("PixelAspectRatio") == 0.5F);
  CHECK(read.spec.get_float_attribute("dpx:XScannedSize") == 7.0F);
  CHECK(read.spec.get_float_attribute("dpx:YScannedSize") == 3.5F);
  CHECK((read.samples == turned_samples(spec, samples, Orientation::rotate90)));
  CHECK(part(turn(file, Orientation::identity).bytes, 1432, 100) == part(file, 1432, 100));
  Bytes by_columns = file;
  put(by_columns, 768, "\5\0"s);
  CHECK_THAT(refusal_of(by_columns, Orientation::flip), ContainsSubstring("stored by columns"));

  CHECK(turn(file, Orientation::flip).warnings.empty());
  put(file, 1416, "\x42\x10\0\0\x42\x10\0\0"s);
  CHECK(turn(file, Orientation::flip).warnings ==
        std::vector{"its centre on the original is left out"s});
}

TEST_CASE("Headers stay as they were, byte for byte, where they do not depend on the turn") {
  for (const auto& [format, at, text] : {std::tuple{&oiio::sgi, 12, "\0\0\0\5\0\0\1\0dummy name"s},
                                         {&oiio::sgi, 200, "reserved"s},
                                         {&oiio::dpx, 700, "reserved"s},
                                         {&oiio::dpx, 1900, "reserved"s}}) {
    CAPTURE(format->name, at);
    Bytes file = plain_picture(*format);
    put(file, static_cast<std::size_t>(at), text);
    const Bytes result = turn(file, Orientation::rotate90, *format).bytes;
    CHECK(part(result, static_cast<std::size_t>(at), text.size()) == text);
  }
}

TEST_CASE("Bytes after an SGI without run lengths are left out with a warning") {
  const Case& kind = *std::ranges::find(cases, &oiio::sgi, &Case::format);
  const Bytes file = written(kind, spec_of(kind), samples_of(kind, spec_of(kind)));
  CHECK(turn(followed_by(file, "four"), Orientation::flop).warnings ==
        std::vector{"4 bytes after the picture are not kept"s});
}

TEST_CASE("Boxes and comments of a JPEG 2000 stay, its size and resolutions turn") {
  const Bytes plain = plain_picture(oiio::jpeg2000);
  const std::string captured = "\0\x96\0\1\1\x2c\0\1\2\3"s, turned = "\1\x2c\0\1\0\x96\0\1\3\2"s;
  Bytes file = with_header_boxes(plain, iso_box("res ", iso_box("resc", captured)));
  file = with_boxes(file, iso_box("xml ", "<a/>") + iso_box("uuid", "sixteen letters.and more"));
  std::string text(text_of(file));
  const std::size_t comment = text.find("\xff\x64");
  REQUIRE(comment != std::string::npos);
  text.insert(comment, "\xff\x64\0\x0b\0\1remark!"s);
  // Its box reaches to the end of the file.
  text.replace(text.find("jp2c") - 4, 4, in_big_endian(0, 4));
  file = owned(text);
  const Turned turned_file = turn(file, Orientation::rotate90);
  const Bytes& result = turned_file.bytes;
  CHECK(turned_file.outcome.kept_unknown ==
        std::vector{"JPEG 2000 xml"s, "JPEG 2000 uuid 7369787465656e206c6574746572732e"s});
  CHECK(turn(plain, Orientation::rotate90).outcome.kept_unknown.empty());
  CHECK(contains(result, iso_box("res ", iso_box("resc", turned))));
  CHECK(contains(result, iso_box("xml ", "<a/>") + iso_box("uuid", "sixteen letters.and more")));
  CHECK(contains(result, "\xff\x64\0\x0b\0\1remark!"s));
  CHECK(contains(result, "ihdr" + in_big_endian(65, 4) + in_big_endian(34, 4)));
  CHECK(contains(turn(file, Orientation::flop).bytes, iso_box("res ", iso_box("resc", captured))));

  const std::string geo = "\xb1\x4b\xf8\xbd\x08\x3d\x4b\x43\xa5\xae\x8c\xd7\xd5\xa6\xce\x03"s;
  CHECK(turn(with_boxes(plain, iso_box("uuid", geo + "tiff")), Orientation::flip)
            .outcome.stale_metadata == std::vector{"its map coordinates (GeoJP2)"s});
}

TEST_CASE("Exif and XMP in a JPEG 2000 turn with it; those with an orientation are refused") {
  const Bytes plain = plain_picture(oiio::jpeg2000);
  const auto with_exif = [&](Orientation orientation) {
    return with_boxes(
        plain, iso_box("uuid", "JpgTiffExif->JP2" + std::string(text_of(exif_with(orientation)))));
  };
  CHECK(contains(turn(with_exif(Orientation::identity), Orientation::rotate90).bytes, "Cam"));
  CHECK_THAT(refusal_of(with_exif(Orientation::rotate90), Orientation::flip),
             ContainsSubstring("an orientation in the metadata"));
  const std::string xmp = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"s +
                          xmp_packet_with("exif:PixelXDimension='65' exif:PixelYDimension='34'");
  CHECK(contains(turn(with_boxes(plain, iso_box("uuid", xmp)), Orientation::rotate90).bytes,
                 "exif:PixelXDimension='34'"));
}

TEST_CASE("What a JPEG 2000 does not keep is refused by name") {
  const Bytes plain = plain_picture(oiio::jpeg2000);
  std::string text(text_of(plain));
  const std::size_t stream = text.find("\xff\x4f\xff\x51");
  const auto changed = [&](std::size_t at, const std::string& bytes) {
    Bytes file = plain;
    put(file, stream + at, bytes);
    return refusal_of(file, Orientation::flip);
  };
  CHECK_THAT(changed(16, in_big_endian(1, 4)), ContainsSubstring("does not begin at 0, 0"));
  CHECK_THAT(changed(43, "\2"), ContainsSubstring("1 to 16 bits, the same in all"));
  CHECK_THAT(changed(40, "\0\2"s), ContainsSubstring("2 components"));
  CHECK_THAT(changed(8, in_big_endian(0, 4)), ContainsSubstring("damaged: the size"));
  CHECK_THAT(changed(text.find("\xff\x52") - stream, "\xff\x50"),
             ContainsSubstring("high-throughput"));
  CHECK_THAT(refusal_of(with_header_boxes(plain, iso_box("pclr", "colours")), Orientation::flip),
             ContainsSubstring("palette"));
  text.replace(text.find("colr") + 10, 1, "\x12");
  CHECK_THAT(refusal_of(owned(text), Orientation::flip), ContainsSubstring("YCC"));

  const std::size_t box_at = stream - 8;
  CHECK_THAT(refusal_of(with_boxes(plain, text.substr(box_at)), Orientation::flip),
             ContainsSubstring("several pictures"));

  // The other wavelet: what is decoded comes out without loss, if that is permitted.
  Bytes lossy = plain;
  put(lossy, text.find("\xff\x52") + 13, "\0"s);
  CHECK_THAT(refusal_of(lossy, Orientation::flip),
             ContainsSubstring("its lossy compression becomes lossless"));
}

TEST_CASE("Whatever a plugin would change is found, and named") {
  const Case& kind = cases[2];
  OIIO::ImageSpec spec = spec_of(kind);
  std::vector<std::uint8_t> samples = samples_of(kind, spec);
  Bytes file = written(kind, spec, samples);
  spec = read_with_oiio("dpx", file).spec;
  const auto found = [&](const OIIO::ImageSpec& wanted) {
    const std::atomic<bool> never = false;
    const Page page{.pixels = samples.data(),
                    .width = 64,
                    .height = 40,
                    .channels = 3,
                    .type = SampleFormat::u16};
    return thrown_by(
        [&] { oiio::prove_written("dpx", file, page, wanted, oiio::Attributes::count, never); });
  };
  CHECK(found(spec) == "");
  samples.back() ^= 0x80;
  CHECK_THAT(found(spec), ContainsSubstring("pixels would differ"));
  samples.back() ^= 0x80;
  const auto with = [&](auto change) {
    OIIO::ImageSpec other = spec;
    change(other);
    return found(other);
  };
  CHECK_THAT(with([](auto& other) { other.attribute("dpx:Packing", "Packed"); }),
             ContainsSubstring("its attribute dpx:Packing"));
  CHECK_THAT(with([](auto& other) { other.erase_attribute("Software"); }),
             ContainsSubstring("its attribute Software"));
  CHECK_THAT(with([](auto& other) { other.attribute("Owner", "x"); }),
             ContainsSubstring("its attribute Owner"));
  CHECK_THAT(with([](auto& other) { other.channelnames[0] = "X"; }),
             ContainsSubstring("what its channels mean"));
  CHECK_THAT(with([](auto& other) { other.alpha_channel = 2; }),
             ContainsSubstring("what its channels mean"));
  CHECK_THAT(with([](auto& other) { other.x = 1; }), ContainsSubstring("its place"));
  CHECK_THAT(with([](auto& other) { other.format = TypeDesc::UINT8; }),
             ContainsSubstring("its samples"));
  file.resize(file.size() / 2);
  CHECK_THAT(found(spec), ContainsSubstring("the result could not be read again"));
}

TEST_CASE("A JPEG 2000 too small for its plugin, which says that it wrote it, is refused") {
  const OIIO::ImageSpec spec = plain_spec(35, 21, 3, TypeDesc::UINT8);
  const Bytes png = write_with_oiio("png", spec, samples_for(spec));
  CHECK_THAT(refusal_of(png, Orientation::flip, {.format = "jp2"}),
             ContainsSubstring("32 rows and columns or more"));
}

TEST_CASE("A DPX that the plugin or others would misread is refused") {
  const Bytes file = plain_picture(oiio::dpx);
  const auto refused = [&](std::size_t at, const std::string& text, const char* why) {
    Bytes other = file;
    put(other, at, text);
    CHECK_THAT(refusal_of(other, Orientation::flop), ContainsSubstring(why));
  };
  refused(772, "\x42\0\0\0"s, "not whole words");
  refused(803, "\x0c"s, "filled 12 bits");
  refused(803, "\x0a\0\0"s, "packed 10 bits");
  // The turn may make such rows.
  const Case& kind = cases[0];
  const OIIO::ImageSpec spec = plain_spec(64, 34, 3, TypeDesc::UINT8);
  const Bytes low = written(kind, spec, samples_for(spec));
  CHECK(refusal_of(low, Orientation::flop) == "");
  CHECK_THAT(refusal_of(low, Orientation::rotate90), ContainsSubstring("not whole words"));
}

TEST_CASE("Other formats become these, and these others, where they can hold the samples") {
  const OIIO::ImageSpec spec = plain_spec(64, 40, 3, TypeDesc::UINT8);
  const std::vector<std::uint8_t> samples = samples_for(spec);
  const Bytes png = write_with_oiio("png", spec, samples);
  for (const auto& [name, plugin] :
       {std::pair{"dpx", "dpx"}, {"sgi", "sgi"}, {"jp2", "jpeg2000"}}) {
    CAPTURE(name);
    const Bytes made = turn(png, Orientation::rotate90, {.format = name}).bytes;
    CHECK(read_with_oiio(plugin, made).samples ==
          turned_samples(spec, samples, Orientation::rotate90));
    CHECK((turn(png, Orientation::rotate90, {.format = name}).bytes == made));
    const Bytes back = turn(made, Orientation::rotate270, {.format = "png"}).bytes;
    CHECK((read_with_oiio("png", back).samples == samples));
  }
  const OIIO::ImageSpec clear = plain_spec(65, 34, 4, TypeDesc::UINT8);
  CHECK_THAT(refusal_of(write_with_oiio("png", clear, samples_for(clear)), Orientation::flip,
                        {.format = "jp2"}),
             ContainsSubstring("4 channels with alpha cannot be kept in jpeg2000"));
  const Case four{&oiio::jpeg2000, "jpeg2000", 4, TypeDesc::UINT8};
  const OIIO::ImageSpec unnamed = spec_of(four);
  const Bytes file = written(four, unnamed, samples_of(four, unnamed));
  CHECK_THAT(refusal_of(file, Orientation::flip, {.format = "png"}),
             ContainsSubstring("does not say what its fourth component means"));
  const std::string alpha = iso_box("cdef",
                                    "\0\4"
                                    "\0\0\0\0\0\1"
                                    "\0\1\0\0\0\2"
                                    "\0\2\0\0\0\3"
                                    "\0\3\0\1\0\0"s);
  CHECK(read_with_oiio(
            "png",
            turn(with_header_boxes(file, alpha), Orientation::identity, {.format = "png"}).bytes)
            .samples == samples_of(four, unnamed));
}

TEST_CASE("Samples of fewer bits than another format has become the nearest of its values") {
  for (const Case& kind : cases) {
    if (kind.bits % 16 == 0 || kind.channels != 3) continue;
    INFO(kind.plugin << " " << kind.bits << " " << kind.how);
    const OIIO::ImageSpec spec = spec_of(kind);
    std::vector<std::uint8_t> samples = samples_of(kind, spec);
    const Bytes file = written(kind, spec, samples);
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      auto& sample = *reinterpret_cast<std::uint16_t*>(&samples[i]);
      const double part = (sample >> (16 - kind.bits)) / (std::exp2(kind.bits) - 1);
      sample = static_cast<std::uint16_t>(std::lround(65535 * part));
    }
    const Bytes png = turn(file, Orientation::identity, {.format = "png"}).bytes;
    CHECK((read_with_oiio("png", png).samples == samples));
  }
}

}  // namespace oiio_rows_test
