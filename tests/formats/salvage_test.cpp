// Codec::salvage: of a whole picture it gives what decoding does; of a cut one, what comes before
// the cut.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/other_programs.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace salvage_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::tests;

const std::atomic<bool> never = false;

// Small pictures of every kind: those that fuzzing begins with; PNGs by another program.
template <typename Visit>
void for_each_picture(const Codec& codec, Visit visit) {
  if (&codec == &png::codec) {
    const Bytes source = write_pam(noise_pam(37, 29, 4));
    for (const char* kind :
         {"png24:out", "-interlace PNG png24:out", "-colors 9 png8:out",
          "-colors 9 -interlace PNG png8:out", "-monochrome png:out", "-depth 16 png48:out",
          "-interlace PNG png64:out", "-colorspace Gray -alpha off png:out"}) {
      INFO(kind);
      visit(made_by("convert pam:in " + std::string(kind), source));
    }
    return;
  }
  const auto path = qturn::tests::sources() / "tests/fuzz" / codec.name;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    INFO(entry.path().filename());
    visit(owned(content_of(entry.path())));
  }
}

// How many pictures were salvaged, and were the same as decoded.
int salvaged_alike(const Codec& codec) {
  const Codec& other = &codec == &png::codec ? pnm::codec : png::codec;
  int alike = 0;
  for_each_picture(codec, [&](const Bytes& file) {
    if (!refusal(file, codec, other).empty()) return;
    const Decoded decoded(file, codec, other);
    PixelArena arena;
    std::vector<std::string> warnings;
    const Image image = codec.salvage(file, arena, never, warnings);
    CHECK(image.format == nullptr);
    CHECK(image.stored == decoded.image.stored);
    REQUIRE(image.pages.size() == decoded.image.pages.size());
    for (std::size_t i = 0; i < image.pages.size(); ++i) {
      CHECK(image.pages[i].width == decoded.image.pages[i].width);
      CHECK(pixels_of(image.pages[i]) == pixels_of(decoded.image.pages[i]));
    }
    ++alike;
  });
  return alike;
}

}  // namespace

TEST_CASE("A whole picture of any kind is salvaged as it is decoded") {
  CHECK(salvaged_alike(jpeg::codec) > 20);
  CHECK(salvaged_alike(png::codec) == 8);
  CHECK(salvaged_alike(tiff::codec) > 8);
}

TEST_CASE("Of a cut picture of any kind, something is salvaged, or it fails") {
  for (const Codec* codec : {&jpeg::codec, &png::codec}) {
    int salvaged = 0;
    for_each_picture(*codec, [&](const Bytes& file) {
      for (const std::size_t percent : {1, 20, 50, 70, 90, 99}) {
        const auto cut = std::span(file).first(file.size() * percent / 100);
        PixelArena arena;
        std::vector<std::string> warnings;
        try {
          salvaged += codec->salvage(cut, arena, never, warnings).pages.empty() ? 0 : 1;
        } catch (const ImageFileError&) {
        }
      }
    });
    INFO(codec->name);
    CHECK(salvaged > 10);
  }
}

TEST_CASE("Where there are colours, an empty palette is damage, and a PNG is salvaged without it") {
  const auto made = [](const std::string& kind) {
    return made_by("convert pam:in " + kind, write_pam(noise_pam(7, 5, 3)));
  };
  const auto with_palette = [](const Bytes& png) {
    constexpr std::ptrdiff_t after_header = 33;
    Bytes file(png.begin(), png.begin() + after_header);
    append_png_chunk(file, "PLTE", {});
    file.insert(file.end(), png.begin() + after_header, png.end());
    return file;
  };
  const Bytes whole = made("png24:out"), damaged = with_palette(whole);
  CHECK(refusal(damaged, png::codec) == "damaged: a PNG with an empty palette");
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image = png::codec.salvage(damaged, arena, never, warnings);
  CHECK(pixels_of(image.pages.at(0)) == pixels_of(Decoded(whole, png::codec).image.pages.at(0)));
  CHECK(refusal(with_palette(made("-colorspace Gray png:out")), png::codec) == "");
}

TEST_CASE(
    "Of a cut TIFF, the strips before the cut and the beginning of a plain one are salvaged") {
  const ByteOrder order{true};
  ExifDirectory page;
  for (const auto& [tag, value] :
       {std::pair(256U, 8U), {257, 8}, {258, 8}, {259, 1}, {262, 1}, {277, 1}, {278, 4}}) {
    page.add_short(tag, value, order);
  }
  // Two strips of four rows, after the directory.
  const std::size_t at = 8 + page.bytes() + 2 * (12 + 8);
  page.entries.push_back({273, 4, 2, order.u32(at) + order.u32(at + 32)});
  page.entries.push_back({279, 4, 2, order.u32(32) + order.u32(32)});
  const std::string file =
      "II" + order.u16(42) + order.u32(8) + page.at(8, 0, order) + std::string(64, 'x');
  const Bytes cut = owned(std::string_view(file).substr(0, at + 48));
  CHECK(refusal(cut, tiff::codec) != "");
  CHECK(tiff::codec.read_damaged_header(cut).height == 8);
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image = tiff::codec.salvage(cut, arena, never, warnings);
  CHECK(warnings == std::vector<std::string>{"1 of 2 strips or tiles are missing or damaged"});
  CHECK(text_of(pixels_of(image.pages.front())) == std::string(48, 'x') + std::string(16, '\0'));
}

TEST_CASE(
    "Compressed by every method, a stream gives what was compressed, and cut, its beginning") {
  std::vector<std::uint8_t> data = noise(3000);
  for (std::size_t i = 0; i < 40'000; ++i) data.push_back(static_cast<std::uint8_t>(i / 97));
  const std::vector<std::uint8_t> few = noise(50, 7);
  for (const auto& bytes : {data, few, std::vector<std::uint8_t>(500'000, 3)}) {
    for (const int level : {0, 1, 6, 12}) {
      CAPTURE(level, bytes.size());
      const Deflater deflater(level);
      Bytes stream(deflater.largest(bytes.size()));
      stream.resize(deflater.deflate(bytes, stream.data()));
      std::vector<std::uint8_t> got(bytes.size());
      CHECK(inflate_beginning(stream, got) == bytes.size());
      CHECK(got == bytes);
      std::size_t before = 0;
      for (const std::size_t size : {std::size_t{0}, std::size_t{2}, stream.size() / 3,
                                     stream.size() * 2 / 3, stream.size() - 5}) {
        std::ranges::fill(got, std::uint8_t{0xEE});
        const std::size_t written = inflate_beginning(std::span(stream).first(size), got);
        CHECK(written >= before);
        CHECK(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(written),
                         bytes.begin()));
        before = written;
      }
      CHECK(before > bytes.size() / 2);
    }
  }
}

}  // namespace salvage_test
