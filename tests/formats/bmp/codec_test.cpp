#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/turned_values.hpp"

namespace bmp_codec_test {

namespace {

using namespace qturn;
using namespace qturn::bmp;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

constexpr std::uint32_t plain = 0, run_lengths_8 = 1, run_lengths_4 = 2, by_masks = 3,
                        by_masks_with_alpha = 6;

// A picture as its file has it; write() puts the file together byte by byte.
struct Bmp {
  std::size_t header = 40;
  int bits = 24;
  std::uint32_t compression = plain;
  std::vector<std::uint32_t> masks = {};
  std::size_t colours = 0;  // in the palette
  bool top_down = false;
  std::int64_t width = 13, height = 7;
  std::uint32_t right = 11811, up = 5906;  // pixels a metre
  std::string gap = {};                    // before the pixels
  std::string profile = {};
  std::string colour_space = {};
  std::vector<std::uint32_t> pixels = {};  // from the top row down
};

std::string packed_rows(const Bmp& bmp) {
  std::string rows;
  for (std::int64_t y = 0; y < bmp.height; ++y) {
    const std::int64_t from = bmp.top_down ? y : bmp.height - 1 - y;
    std::string row;
    unsigned byte = 0;
    int filled = 0;
    for (std::int64_t x = 0; x < bmp.width; ++x) {
      const std::uint32_t pixel = bmp.pixels[static_cast<std::size_t>(from * bmp.width + x)];
      if (bmp.bits >= 8) {
        row += in_little_endian(pixel, bmp.bits / 8);
        continue;
      }
      byte = byte << bmp.bits | pixel;
      filled += bmp.bits;
      if (filled == 8) row += static_cast<char>(byte), byte = 0, filled = 0;
    }
    if (filled > 0) row += static_cast<char>(byte << (8 - filled));
    row.resize((row.size() + 3) / 4 * 4);
    rows += row;
  }
  return rows;
}

// `data`: run lengths in place of the rows.
std::string write(const Bmp& bmp, std::string_view data = {}) {
  std::string header(bmp.header, '\0');
  const auto put = [&](std::size_t at, const std::string& value) {
    if (at - 14 + value.size() <= bmp.header) header.replace(at - 14, value.size(), value);
  };
  const std::string rows = data.empty() ? packed_rows(bmp) : std::string(data);
  put(14, in_little_endian(bmp.header, 4));
  if (bmp.header == 12) {
    put(18, in_little_endian(static_cast<std::uint64_t>(bmp.width), 2));
    put(20, in_little_endian(static_cast<std::uint64_t>(bmp.height), 2));
    put(22, in_little_endian(1, 2) + in_little_endian(static_cast<std::uint64_t>(bmp.bits), 2));
  } else {
    put(18, in_little_endian(static_cast<std::uint64_t>(bmp.width), 4));
    put(22,
        in_little_endian(static_cast<std::uint64_t>(bmp.top_down ? -bmp.height : bmp.height), 4));
    put(26, in_little_endian(1, 2) + in_little_endian(static_cast<std::uint64_t>(bmp.bits), 2));
    put(30, in_little_endian(bmp.compression, 4));
    put(34, in_little_endian(rows.size(), 4));
    put(38, in_little_endian(bmp.right, 4));
    put(42, in_little_endian(bmp.up, 4));
    put(46, in_little_endian(bmp.colours, 4));
  }
  std::string after;
  for (std::size_t i = 0; i < bmp.masks.size(); ++i) {
    put(54 + 4 * i, in_little_endian(bmp.masks[i], 4));
    if (bmp.header == 40) after += in_little_endian(bmp.masks[i], 4);
  }
  const std::vector<std::uint8_t> colours = noise(bmp.colours * (bmp.header == 12 ? 3 : 4), 7);
  after.append(colours.begin(), colours.end());
  after += bmp.gap;
  const std::size_t pixels_at = 14 + header.size() + after.size();
  if (!bmp.profile.empty()) {
    put(70, bmp.colour_space);
    put(126, in_little_endian(pixels_at + rows.size() - 14, 4));
    put(130, in_little_endian(bmp.profile.size(), 4));
  }
  const std::string rest = header + after + rows + bmp.profile;
  return "BM" + in_little_endian(14 + rest.size(), 4) + in_little_endian(0, 4) +
         in_little_endian(pixels_at, 4) + rest;
}

Bmp with_noise(Bmp bmp) {
  const auto count = static_cast<std::size_t>(bmp.width * bmp.height);
  const std::vector<std::uint8_t> bytes = noise(4 * count);
  const std::uint64_t values =
      bmp.bits <= 8 && bmp.colours > 0 ? bmp.colours : std::uint64_t{1} << bmp.bits;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t any = little_endian(std::as_bytes(std::span(bytes)), 4 * i, 4);
    bmp.pixels.push_back(static_cast<std::uint32_t>(any % values));
  }
  return bmp;
}

Bmp turned(const Bmp& bmp, Orientation orientation) {
  Bmp result = bmp;
  const Size size{bmp.width, bmp.height}, to = turned_size(orientation, size);
  result.width = to.width;
  result.height = to.height;
  if (swaps_axes(orientation)) std::swap(result.right, result.up);
  result.pixels = turned_values(bmp.pixels, size, orientation);
  return result;
}

std::string turn(std::string_view file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), bmp::codec, orientation)));
}

// What another format gets.
struct Shown {
  int channels;
  SampleFormat type;
  std::vector<std::uint32_t> samples;
  std::vector<std::string> warnings;
};
Shown shown(std::string_view file) {
  const Decoded decoded(bytes_of(file), bmp::codec, png::codec);
  const Page& page = decoded.image.pages.front();
  Shown result{page.channels, page.type, {}, decoded.warnings};
  const auto bytes = pixels_of(page);
  const auto step = static_cast<std::size_t>(sample_bytes(page.type));
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    result.samples.push_back(static_cast<std::uint32_t>(little_endian(bytes, at, step)));
  }
  return result;
}

// Every header with every depth that it can have, and masks of all kinds.
std::vector<Bmp> cases() {
  std::vector<Bmp> all;
  for (const std::size_t header : {12, 16, 24, 36, 40, 42, 46, 48, 52, 56, 60, 64, 108, 124}) {
    for (const int bits : {1, 2, 4, 8, 16, 24, 32}) {
      Bmp bmp{.header = header, .bits = bits};
      if (bits <= 8) bmp.colours = std::size_t{1} << bits;
      all.push_back(bmp);
      bmp.top_down = header != 12;
      bmp.gap = "a gap";
      if (bits <= 8 && header >= 36) bmp.colours -= 1;
      all.push_back(bmp);
    }
  }
  for (const std::vector<std::uint32_t>& masks :
       {std::vector<std::uint32_t>{0xF800, 0x07E0, 0x001F},
        {0x30, 0x0E, 0x01},
        {0x7C00, 0x3E0, 0x1F},
        {0x0F00, 0x00F0, 0x000F, 0xF000}}) {
    for (const std::size_t header : {40, 52, 56, 108, 124}) {
      const bool alpha = masks.size() == 4;
      if (alpha && header == 52) continue;
      all.push_back({.header = header,
                     .bits = 16,
                     .compression = alpha && header == 40 ? by_masks_with_alpha : by_masks,
                     .masks = masks});
    }
  }
  for (const std::vector<std::uint32_t>& masks :
       {std::vector<std::uint32_t>{0xFF000000, 0xFF0000, 0xFF00, 0xFF},
        {0xFF000000, 0xFF0000, 0xFF00, 0},
        {0xFF, 0xFF00, 0xFF0000, 0},
        {0xFFE00000, 0x1FFC00, 0x3FF, 0},
        {0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000}}) {
    for (const std::size_t header : {40, 56, 108, 124}) {
      all.push_back({.header = header,
                     .bits = 32,
                     .compression = header == 40 ? by_masks_with_alpha : by_masks,
                     .masks = masks});
    }
  }
  all.push_back({.header = 124, .profile = "a profile of odd length", .colour_space = "DEBM"});
  all.push_back({.header = 124, .bits = 8, .profile = "C:\\a.icc", .colour_space = "KNIL"});
  return all;
}

}  // namespace

TEST_CASE("Every kind of BMP turns to the same kind, each pixel's bits in their place") {
  for (const Bmp& kind : cases()) {
    const Bmp source = with_noise(kind);
    const std::string file = write(source);
    CAPTURE(kind.header, kind.bits, kind.compression, kind.masks, kind.top_down);
    CHECK(codec_of_content(bytes_of(file), "") == &bmp::codec);
    CHECK(bmp::codec.read_header(bytes_of(file)).storage_change == "");
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      CHECK(turn(file, each) == write(turned(source, each)));
    }
    CHECK(Decoded(bytes_of(file), bmp::codec).warnings.empty());
  }
}

TEST_CASE("Another format gets a BMP's channels scaled and rounded, in the order of its masks") {
  const auto of = [](std::vector<std::uint32_t> masks, int bits, std::uint32_t pixel) {
    return shown(write({.header = 108,
                        .bits = bits,
                        .compression = by_masks,
                        .masks = std::move(masks),
                        .width = 1,
                        .height = 1,
                        .pixels = {pixel}}));
  };
  using Samples = std::vector<std::uint32_t>;
  CHECK(of({0xF800, 0x07E0, 0x001F, 0}, 16, 1 << 11 | 62 << 5 | 30).samples ==
        Samples{8, 251, 247});
  CHECK(of({0x0F00, 0x00F0, 0x000F, 0xF000}, 16, 0x7F01).samples == Samples{255, 0, 17, 119});
  CHECK(of({0xFF, 0xFF00, 0xFF0000, 0}, 32, 0x99030201).samples == Samples{1, 2, 3});
  const Shown wide = of({0xFFE00000, 0x1FFC00, 0x3FF, 0}, 32, 2047U << 21 | 1 << 10 | 1023);
  CHECK(wide.type == SampleFormat::u16);
  CHECK(wide.samples == Samples{65535, 32, 65535});
  CHECK(of({0xF0, 0, 0x0F, 0}, 16, 0xF7).samples == Samples{255, 0, 119});
  CHECK_THROWS_WITH(of({0xFFFFFF00, 0, 0xFF, 0}, 32, 0), ContainsSubstring("more than 16 bits"));
  CHECK_THROWS_WITH(of({0xF00F, 0, 0xF0, 0}, 32, 0), ContainsSubstring("apart"));
  // Without masks: five bits, and a fourth byte that means nothing.
  CHECK(shown(write({.bits = 16, .width = 1, .height = 1, .pixels = {0xFC1F}})).samples ==
        Samples{255, 0, 255});
  const auto undeclared = [](std::uint32_t pixel) {
    return shown(write({.bits = 32, .width = 1, .height = 1, .pixels = {pixel}}));
  };
  CHECK(undeclared(0x07030201).samples == Samples{3, 2, 1});
  CHECK(undeclared(0x07030201).warnings ==
        std::vector<std::string>{"its header does not declare the fourth byte, which is not kept"});
  CHECK(undeclared(0xFF030201).warnings.empty());
}

TEST_CASE("Another format gets the colours of a BMP's palette") {
  const Bmp source = with_noise({.bits = 4, .colours = 11});
  const std::vector<std::uint8_t> palette = noise(44, 7);
  std::vector<std::uint32_t> wanted;
  for (const std::uint32_t index : source.pixels) {
    for (const std::size_t k : {2, 1, 0}) wanted.push_back(palette[4 * index + k]);
  }
  CHECK(shown(write(source)).samples == wanted);
  Bmp beyond = source;
  beyond.pixels.back() = 11;
  CHECK_THROWS_WITH(shown(write(beyond)), ContainsSubstring("no colour in the palette"));
  CHECK(turn(write(beyond), Orientation::flip) == write(turned(beyond, Orientation::flip)));
  // 1 bit, black and white.
  std::string grey = write({.bits = 1, .colours = 2, .width = 2, .height = 1, .pixels = {1, 0}});
  grey.replace(54, 8, "\0\0\0\0\xFF\xFF\xFF\0"sv);
  CHECK(shown(grey).channels == 1);
  CHECK(shown(grey).samples == std::vector<std::uint32_t>{255, 0});
}

TEST_CASE("A BMP's colour profile goes to another format; one in another file does not") {
  const auto metadata = [](std::string_view colour_space) {
    const std::string file = write(with_noise(
        {.header = 124, .profile = "the profile", .colour_space = std::string(colour_space)}));
    const Decoded decoded(bytes_of(file), bmp::codec, png::codec);
    return std::pair(std::string(text_of(decoded.image.extras->metadata.icc)), decoded.warnings);
  };
  CHECK(metadata("DEBM") == std::pair("the profile"s, std::vector<std::string>{}));
  CHECK(metadata("KNIL") ==
        std::pair(""s, std::vector{"its colour profile, another file, is not kept"s}));
}

TEST_CASE("Run lengths of a BMP become plain pixels") {
  struct Case {
    std::uint32_t compression;
    std::string data;
    std::vector<std::uint32_t> rows;  // from the top row down
    bool leaves_out = false;
    bool top_down = false;
  };
  // 5 x 2 pixels.
  const std::vector<std::uint32_t> wanted = {6, 6, 6, 7, 8, 1, 1, 2, 3, 4};
  for (const Case& each : {
           Case{run_lengths_8, "\2\1\0\3\2\3\4\0\0\0\3\6\1\7\1\x08\0\0\0\1"s, wanted},
           // No marker after the last row, no end, or neither.
           Case{run_lengths_8, "\2\1\0\3\2\3\4\0\0\0\3\6\1\7\1\x08\0\1"s, wanted},
           Case{run_lengths_8, "\2\1\0\3\2\3\4\0\0\0\3\6\1\7\1\x08\0\0"s, wanted},
           Case{run_lengths_8, "\2\1\0\3\2\3\4\0\0\0\3\6\1\7\1\x08"s, wanted},
           // Rows that are filled up to whole words.
           Case{run_lengths_8, "\2\1\0\3\2\3\4\0\3\x63\0\0\3\6\1\7\4\x08\0\1"s, wanted},
           Case{run_lengths_8,
                "\2\1\0\3\2\3\4\0\0\0\3\6\1\7\1\x08\0\0\0\1"s,
                {1, 1, 2, 3, 4, 6, 6, 6, 7, 8},
                false,
                true},
           Case{run_lengths_4,
                "\2\x11\0\3\x23\x40\0\0\4\x66\2\x78\0\1"s,
                {6, 6, 6, 6, 7, 1, 1, 2, 3, 4}},
           Case{
               run_lengths_4, "\5\x12\0\0\0\5\x67\x89\xA0\0\0\1"s, {6, 7, 8, 9, 10, 1, 2, 1, 2, 1}},
           // A move to the right and up, and an early end.
           Case{run_lengths_8, "\1\1\0\2\2\1\1\5\0\1"s, {0, 0, 0, 5, 0, 1, 0, 0, 0, 0}, true},
       }) {
    CAPTURE(each.data, each.compression);
    Bmp bmp{.bits = each.compression == run_lengths_8 ? 8 : 4,
            .compression = each.compression,
            .colours = 16,
            .top_down = each.top_down,
            .width = 5,
            .height = 2};
    const std::string file = write(bmp, each.data);
    CHECK(bmp::codec.read_header(bytes_of(file)).storage_change ==
          "run lengths become plain pixels");
    bmp.compression = plain;
    bmp.pixels = each.rows;
    for (const Orientation orientation : all_orientations) {
      CHECK(turn(file, orientation) == write(turned(bmp, orientation)));
    }
    const std::vector<std::string> warnings = Decoded(bytes_of(file), bmp::codec).warnings;
    REQUIRE(warnings.size() == (each.leaves_out ? 1 : 0));
    if (each.leaves_out) {
      CHECK(warnings.front() ==
            "8 pixels that its run lengths leave out get the palette's first colour");
    }
  }
}

TEST_CASE("Run lengths of a BMP that lead out of it or end too early are damage") {
  const auto of = [](std::string_view data) {
    return refusal(
        bytes_of(
            write({.bits = 8, .compression = run_lengths_8, .colours = 16, .width = 4, .height = 2},
                  data)),
        bmp::codec);
  };
  CHECK(of("\4\1\0\0\4\2\0\1"sv) == "");
  CHECK(of("\5\1\0\0\4\2\0\1"sv) == "damaged: run lengths lead out of row 0");
  CHECK(of("\4\1\1\1\0\0\4\2\0\1"sv) == "damaged: run lengths lead out of row 0");
  CHECK(of("\4\1\0\2\0\3\0\1"sv) == "damaged: run lengths lead out of row 0");
  CHECK(of("\4\1\0\2\1\0\0\1"sv) == "damaged: run lengths lead out of row 0");
  CHECK(of("\4\1\0\0\0\5\2\2\2\2\2\0\0\1"sv) == "damaged: run lengths lead out of row 1");
  CHECK(of("\4\1\0\0"sv) == "truncated after 1 of 2 rows");
  CHECK(of("\4\1\0\0\0\4\2"sv) == "truncated after 1 of 2 rows");
  CHECK(of("\4"sv) == "truncated after 0 of 2 rows");
  const std::string vast = write(
      {.bits = 4, .compression = run_lengths_4, .colours = 16, .width = 131168, .height = 4096},
      std::string(5000, '\0'));
  CHECK(refusal(bytes_of(vast), bmp::codec) ==
        "damaged: 131168 x 4096 pixels from 5000 bytes of run lengths");
}

TEST_CASE("A BMP that cannot be turned is refused by name") {
  const auto changed = [](const Bmp& bmp, std::size_t at, std::string_view bytes) {
    return refusal(bytes_of(write(with_noise(bmp)).replace(at, bytes.size(), bytes)), bmp::codec);
  };
  const Bmp any;
  CHECK(changed(any, 30, "\4"sv) == "a BMP with OS/2's run lengths of 24 bits is not supported");
  CHECK(changed({.bits = 1, .colours = 2}, 30, "\3"sv) ==
        "a BMP with OS/2's Huffman compression is not supported");
  CHECK(changed({.header = 64, .bits = 1, .colours = 2}, 30, "\3"sv) ==
        "a BMP with OS/2's Huffman compression is not supported");
  CHECK(changed({.bits = 8}, 30, "\4"sv) == "a JPEG inside a BMP is not supported");
  CHECK(changed(any, 30, "\5"sv) == "a PNG inside a BMP is not supported");
  CHECK(changed(any, 30, "\x0B"sv) == "a BMP with compression 11 is not supported");
  CHECK(changed(any, 30, "\1"sv) == "damaged: run lengths of 24 bits per pixel");
  CHECK(changed(any, 28, "\x30\x75"sv) == "a BMP of 30000 bits per pixel is not supported");
  CHECK(changed(any, 26, "\2"sv) == "a BMP of 2 planes is not supported");
  CHECK(changed(any, 14, "\x42"sv) == "a BMP with a header of 66 bytes is not supported");
  CHECK(changed(any, 18, "\xF3\xFF\xFF\xFF"sv) == "damaged: a BMP of -13 x 7 pixels");
  CHECK(changed(any, 18, in_little_endian(0, 4)) == "damaged: a BMP of 0 x 7 pixels");
  CHECK(changed(any, 22, in_little_endian(0, 4)) == "damaged: a BMP of 13 x 0 pixels");
  CHECK(changed(any, 22, in_little_endian(0x80000000, 4)) ==
        "truncated after 7 of 2147483648 rows");
  CHECK(changed(any, 18, in_little_endian(0x7FFFFFFF, 4)) == "truncated after 0 of 7 rows");
  CHECK(changed(any, 10, in_little_endian(53, 4)) ==
        "damaged: the pixels of the BMP begin within its header");
  CHECK(changed(any, 10, in_little_endian(99999, 4)) == "truncated: the pixels are missing");
  CHECK(changed({.bits = 8, .colours = 9}, 46, in_little_endian(305402420, 4)) ==
        "damaged: a palette of 305402420 colours");
  const Bmp profile{.header = 124, .profile = "a profile", .colour_space = "DEBM"};
  CHECK(changed(profile, 130, in_little_endian(99999, 4)) ==
        "truncated: the file ends within the colour profile");
  CHECK(changed(profile, 126, in_little_endian(200, 4)) ==
        "damaged: the colour profile lies within the pixels");
}

TEST_CASE("Pixels that begin within the palette of a BMP are refused; a shorter palette is not") {
  Bmp bmp = with_noise({.bits = 8, .colours = 200});
  std::string file = write(bmp);
  file.replace(10, 4, in_little_endian(14 + 40 + 199 * 4, 4));
  CHECK_THROWS_WITH(turn(file, Orientation::flip), ContainsSubstring("within its palette"));
  file = write(bmp);
  file.replace(46, 4, in_little_endian(0, 4));  // 256, but the pixels begin after 200
  CHECK_NOTHROW(turn(file, Orientation::flip));
}

TEST_CASE("A BMP that is cut anywhere is a failure") {
  for (const Bmp& kind : cases()) {
    const std::string file = write(with_noise(kind));
    CAPTURE(kind.header, kind.bits, kind.compression);
    for (std::size_t size = 0; size < file.size(); size += 1 + size / 16) {
      CHECK(refusal(bytes_of(file.substr(0, size)), bmp::codec) != "");
    }
    CHECK(refusal(bytes_of(file.substr(0, file.size() - 1)), bmp::codec) != "");
  }
}

TEST_CASE("Bytes after a BMP are not kept, with a warning, also after run lengths") {
  const std::vector<std::string> said = {"4 bytes after the picture are not kept"};
  const std::string file = write(with_noise({}));
  CHECK(Decoded(bytes_of(file + "tail"), bmp::codec).warnings == said);
  CHECK(turn(file + "tail", Orientation::identity) == file);
  const std::string runs =
      write({.bits = 8, .compression = run_lengths_8, .colours = 16, .width = 4, .height = 1},
            "\4\1\0\1"sv);
  CHECK(Decoded(bytes_of(runs + "tail"), bmp::codec).warnings == said);
}

TEST_CASE("A BMP from another format has grey in a palette, 24 bits, or alpha by its masks") {
  for (const int channels : {1, 3, 4}) {
    CAPTURE(channels);
    std::vector<std::uint8_t> samples = noise(static_cast<std::size_t>(5 * 3 * channels));
    const Bytes file =
        tests::encode(image_of(samples, 5, 3, channels), Orientation::identity, bmp::codec);
    CHECK(file.size() == little_endian(file, 2, 4));
    const Shown read = shown(text_of(file));
    CHECK(read.channels == channels);
    CHECK(std::vector<std::uint8_t>(read.samples.begin(), read.samples.end()) == samples);
    CHECK(turn(text_of(file), Orientation::identity) == text_of(file));
  }
}

}  // namespace bmp_codec_test
