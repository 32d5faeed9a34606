#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "src/check/check.hpp"
#include "src/formats/gif/blocks.hpp"
#include "src/picture/file_limits.hpp"
#include "src/turn/picture_turn.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace gif_codec_test {

namespace {

using namespace qturn;
using namespace qturn::gif;
using namespace qturn::tests;
using namespace std::string_view_literals;
using Catch::Matchers::ContainsSubstring;

std::string u16(int value) { return in_little_endian(static_cast<std::uint64_t>(value), 2); }

std::string palette(std::uint32_t seed) {
  const auto colours = noise(std::size_t{3} * 128, seed);
  return {colours.begin(), colours.end()};
}

// Data in parts of at most 255 bytes.
std::string parts(std::string_view data) {
  std::string text;
  for (; !data.empty(); data.remove_prefix(std::min<std::size_t>(255, data.size()))) {
    const std::string_view part = data.substr(0, 255);
    text += static_cast<char>(part.size());
    text += part;
  }
  return text + '\0';
}

std::string screen(int width, int height, char aspect = 0) {
  return "GIF89a" + u16(width) + u16(height) + "\xE6\x05" + aspect + palette(1);
}

std::string control(int disposal, int delay, int transparent = -1) {
  const char flags = static_cast<char>(disposal << 2 | (transparent >= 0 ? 1 : 0));
  return "\x21\xF9\x04" + std::string(1, flags) + u16(delay) +
         static_cast<char>(std::max(transparent, 0)) + '\0';
}

// Indices of 7 bits, whose codes are bytes as long as the table is cleared in time.
std::string frame(const FramePlace& place, std::uint32_t seed, bool interlaced = false,
                  const std::string& own_palette = "") {
  const char flags = static_cast<char>((own_palette.empty() ? 0 : 0x86) | (interlaced ? 0x40 : 0));
  std::string codes;
  const auto count = static_cast<std::size_t>(place.width * place.height);
  const auto indices = noise(count, seed);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 100 == 0) codes += '\x80';
    codes += static_cast<char>(indices[i] & 127);
  }
  codes += '\x81';
  std::string text = ",";
  for (const auto value : {place.x, place.y, place.width, place.height}) {
    text += u16(static_cast<int>(value));
  }
  return text + flags + own_palette + '\x07' + parts(codes);
}

std::string comment(std::string_view text) { return "\x21\xFE" + parts(text); }

std::string xmp(std::string_view packet) { return std::string(text_of(gif_xmp_extension(packet))); }

constexpr int frames_of_animation = 4;

// Frames of all kinds: with places, transparency, disposal, an own palette, interlaced.
Bytes animation() {
  return owned(screen(24, 14) + "\x21\xFF\x0BNETSCAPE2.0\x03\x01\x05" + std::string(2, '\0') +
               comment("by hand") + control(1, 7) + frame({0, 0, 24, 14}, 1) + control(3, 11, 9) +
               frame({3, 2, 9, 5}, 2, true, palette(2)) + control(2, 300) +
               frame({20, 6, 4, 8}, 3) + frame({0, 13, 24, 1}, 4) + comment("the end") + ';');
}

std::string refusal_of_writing(const Bytes& file, const Codec& format, const Codec& target) {
  return thrown_by([&] { return converted(file, format, target); });
}

}  // namespace

TEST_CASE("Every frame of an animated GIF is turned, as ImageMagick shows it") {
  const Bytes file = animation();
  const Pam shown = frames_shown_by_imagemagick(file, "gif");
  REQUIRE(shown.height == 14 * frames_of_animation);
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    CHECK(frames_shown_by_imagemagick(turn_file(file, codec, each), "gif") ==
          each_turned(shown, frames_of_animation, each));
  }
}

TEST_CASE("Everything in a GIF but pixels and places is kept byte for byte") {
  const Bytes file = animation();
  const GifBlocks before = gif_blocks(file);
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    const Bytes out = turn_file(file, codec, each);
    const GifBlocks after = gif_blocks(out);
    CHECK(after.canvas == turned_size(each, before.canvas));
    CHECK(std::ranges::equal(after.palette, before.palette));
    CHECK(text_of(after.head.subspan(10, 3)) == text_of(before.head.subspan(10, 3)));
    REQUIRE(after.blocks.size() == before.blocks.size());
    for (std::size_t i = 0; i < after.blocks.size(); ++i) {
      const GifBlock &a = before.blocks[i], &b = after.blocks[i];
      REQUIRE(a.is_frame == b.is_frame);
      if (a.is_frame) {
        CHECK(b.place == turned(a.place, each, before.canvas));
        CHECK(b.interlaced == a.interlaced);
        CHECK(std::ranges::equal(b.palette, a.palette));
        CHECK(b.lzw[0] == a.lzw[0]);
      } else {
        CHECK(std::ranges::equal(b.whole, a.whole));
      }
    }
    // There and back are the same indices.
    const Decoded source(file, codec), back(turn_file(out, codec, inverse(each)), codec);
    for (std::size_t i = 0; i < source.image.pages.size(); ++i) {
      CHECK(pixels_of(back.image.pages[i]) == pixels_of(source.image.pages[i]));
    }
  }
}

TEST_CASE("The header of a GIF tells its canvas and its frames") {
  const Header header = codec.read_header(animation());
  CHECK(header.size() == Size{24, 14});
  CHECK(header.pages == frames_of_animation);
  CHECK(header.pixels_total == 24 * 14 + 9 * 5 + 4 * 8 + 24);
  CHECK(header.storage_change == "");
}

TEST_CASE("GIFs of 1 to 8 bits that another program made are turned exactly") {
  for (const int colours : {2, 3, 4, 16, 17, 200, 256}) {
    CAPTURE(colours);
    const Bytes file =
        made_by("convert pam:in -colors " + std::to_string(colours) + " -interlace GIF gif:out",
                write_pam(noise_pam(37, 29, 3)));
    const Pam shown = shown_by_imagemagick(file, "gif");
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      CHECK(shown_by_imagemagick(turn_file(file, codec, each), "gif") == turned(shown, each));
    }
  }
}

TEST_CASE("A GIF with one frame becomes a PNG of its colours, with alpha where there are none") {
  const std::string opaque = screen(24, 14) + frame({0, 0, 24, 14}, 1) + ';';
  const std::string transparent =
      screen(24, 14) + control(0, 0, 9) + frame({0, 0, 24, 14}, 1) + ';';
  const std::string smaller =
      screen(24, 14) + control(0, 0, 9) + frame({3, 2, 9, 5}, 1, true, palette(2)) + ';';
  for (const std::string& text : {opaque, transparent, smaller}) {
    const Bytes file = owned(text);
    const Decoded decoded(file, codec, png::codec);
    CHECK(decoded.image.pages.front().channels == (text == opaque ? 3 : 4));
    CHECK(codec.read_header(file).shown_bytes_total == decoded.image.pages.front().bytes());
    CHECK(codec.read_header(file).pixels_total == 24 * 14);
    const Pam shown = frames_shown_by_imagemagick(file, "gif");
    const Pam made = shown_by_imagemagick(
        tests::encode(decoded.image, Orientation::identity, png::codec), "png");
    REQUIRE(made.samples.size() == shown.samples.size());
    for (std::size_t i = 0; i < made.samples.size(); i += 4) {
      CAPTURE(i);
      CHECK(made.samples[i + 3] == shown.samples[i + 3]);
      for (std::size_t k = 0; shown.samples[i + 3] != 0 && k < 3; ++k) {
        CHECK(made.samples[i + k] == shown.samples[i + k]);
      }
    }
  }
}

TEST_CASE("What cannot be kept is refused by name") {
  CHECK(refusal_of_writing(animation(), codec, png::codec) ==
        "an animation of 4 frames can only stay a GIF");
  const Bytes png = made_by("convert pam:in png:out", write_pam(noise_pam(3, 2, 3)));
  CHECK(refusal_of_writing(png, png::codec, codec) ==
        "only a GIF can be written as gif: other pictures may have more than its 256 colours");
  const std::string text = "\x21\x01" + parts(std::string(12, '\1')) + parts("text").substr(0);
  CHECK(refusal(owned(screen(4, 4) + text + frame({0, 0, 4, 4}, 1) + ';'), codec) ==
        "a GIF with a text to draw (a plain text extension) is not supported");
  const std::string no_palette = "GIF89a" + u16(4) + u16(4) + std::string(3, '\0');
  const Bytes colourless = owned(no_palette + frame({0, 0, 4, 4}, 1) + ';');
  CHECK(refusal(colourless, codec) == "");
  CHECK(refusal_of_writing(colourless, codec, png::codec) ==
        "a GIF without a palette has no colours to keep");
}

TEST_CASE("A GIF without its end is read with a warning, unless a frame is announced") {
  const std::string ended = std::string(text_of(animation()));
  const Bytes file = owned(ended.substr(0, ended.size() - 1));
  const std::vector<std::string> fault = {
      "the end of the GIF is missing, and frames before it may be missing too"};
  CHECK(codec.read_header(file).faults == fault);
  PictureTurn turn(file, "", {});
  CHECK(turn.plan(Orientation::identity).route == Route::copied);
  CHECK(turn.warnings() == fault);
  CHECK(check_metadata(file, codec, Limits{}).findings() == fault);
  CHECK(turn_file(file, codec, Orientation::rotate90) ==
        turn_file(owned(ended), codec, Orientation::rotate90));
  CHECK(refusal(followed_by(file, control(1, 7)), codec) ==
        "truncated: the end of the GIF is missing");
  CHECK(refusal(owned(screen(4, 4) + comment("no frame")), codec) ==
        "truncated: the end of the GIF is missing");
}

TEST_CASE("A GIF whose first frame reaches beyond its canvas is as large as viewers show it") {
  const std::string frames = frame({2, 1, 9, 5}, 1) + frame({0, 0, 11, 6}, 2) + ';';
  const Bytes file = owned(screen(4, 14) + frames), whole = owned(screen(11, 14) + frames);
  CHECK(codec.read_header(file).size() == Size{11, 14});
  for (const Orientation each : all_orientations) {
    CHECK(turn_file(file, codec, each) == turn_file(whole, codec, each));
  }
  CHECK(
      codec.read_header(file).faults ==
      std::vector<std::string>{"its first frame reaches beyond its canvas; viewers show 11 x 14"});
  CHECK(codec.read_header(whole).faults.empty());
  // Viewers do not agree about a later one.
  CHECK(refusal(owned(screen(4, 14) + frame({0, 0, 4, 4}, 1) + frames), codec) ==
        "damaged: a frame of 9 x 5 pixels at 2, 1 in a GIF of 4 x 14");
}

TEST_CASE("A frame that does not lie within its GIF is damage") {
  for (const FramePlace& place :
       {FramePlace{1, 0, 4, 4}, FramePlace{0, 1, 4, 4}, FramePlace{0, 0, 0, 4},
        FramePlace{0, 0, 4, 0}, FramePlace{65535, 0, 1, 1}}) {
    const Bytes file = owned(screen(4, 4) + frame({0, 0, 4, 4}, 1) + frame(place, 1) + ';');
    CHECK_THAT(refusal(file, codec), ContainsSubstring("damaged: a frame of "));
  }
  for (const FramePlace& place :
       {FramePlace{0, 0, 0, 4}, FramePlace{0, 0, 4, 0}, FramePlace{65535, 0, 1, 1}}) {
    CHECK_THAT(refusal(owned(screen(4, 4) + frame(place, 1) + ';'), codec),
               ContainsSubstring("damaged: a frame of "));
  }
}

TEST_CASE("A cut at any byte of a GIF is a failure, and so are too few pixels") {
  const Bytes file = animation();
  REQUIRE(refusal(file, codec) == "");
  const GifBlocks whole = gif_blocks(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    const bool any_may_end = std::ranges::any_of(whole.blocks, [&](const GifBlock& block) {
      const auto end = static_cast<std::size_t>(&block.whole.back() - file.data()) + 1;
      return end == size && (block.is_frame || &block == &whole.blocks.back());
    });
    if (any_may_end) continue;
    CHECK(refusal(cut(file, size), codec) != "");
  }
  // A frame with the pixels of a smaller one.
  std::string few = frame({0, 0, 4, 4}, 1);
  few[7] = 5;
  CHECK(refusal(owned(screen(4, 5) + few + ';'), codec) ==
        "damaged: the pixels of a GIF after 4 of 5 rows");
}

TEST_CASE("A code that nothing stands for is damage") {
  constexpr std::size_t second_code = 14;  // after a clear code and an index
  const auto with_code = [&](std::size_t at, char code) {
    std::string one = frame({0, 0, 4, 4}, 1);
    one[at] = code;
    return refusal(owned(screen(4, 4) + one + ';'), codec);
  };
  CHECK(with_code(second_code, '\x82') == "");  // the next free one: the string before, and more
  CHECK(with_code(second_code, '\x83') == "damaged: the pixels of a GIF after 0 of 4 rows");
  CHECK(with_code(second_code - 1, '\x82') == "damaged: the pixels of a GIF after 0 of 4 rows");
  CHECK(with_code(second_code, '\x81') == "damaged: the pixels of a GIF after 0 of 4 rows");
}

TEST_CASE("A GIF whose codes begin with 12 bits is read, and written with 9") {
  const auto file_with = [](int index) {
    std::string codes;
    std::uint32_t held = 0;
    int bits = 0;
    const auto put = [&](int code) {
      held |= static_cast<std::uint32_t>(code) << bits;
      for (bits += 12; bits >= 8; bits -= 8, held >>= 8) codes += static_cast<char>(held & 255);
    };
    put(2048);
    for (const int each : {7, 9, 100, index, 1, 2}) put(each);
    put(2049);
    const std::string place = u16(0) + u16(0) + u16(3) + u16(2);
    return owned(screen(3, 2) + "," + place + '\0' + '\x0B' + parts(codes) + ';');
  };
  const Bytes file = file_with(127);
  CHECK(text_of(pixels_of(Decoded(file, codec).image.pages[0])) == "\x07\x09\x64\x7F\x01\x02");
  const Bytes out = turn_file(file, codec, Orientation::rotate180);
  CHECK(text_of(pixels_of(Decoded(out, codec).image.pages[0])) == "\x02\x01\x7F\x64\x09\x07");
  CHECK(made_by("convert gif:in rgb:out", out) ==
        made_by("convert gif:in rgb:out", turn_file(out, codec, Orientation::identity)));
  CHECK(refusal(file_with(256), codec) == "damaged: the pixels of a GIF after 1 of 2 rows");
}

TEST_CASE("A GIF that claims more pixels than its bytes can hold is damage") {
  std::string few = frame({0, 0, 4, 4}, 1);
  few[6] = few[8] = '\x10';
  CHECK_THAT(refusal(owned(screen(4096 + 4, 4096 + 4) + few + ';'), codec),
             ContainsSubstring("damaged: 4100 x 4100 pixels cannot come from "));
}

TEST_CASE("Bytes after a GIF are left out with a warning") {
  const Bytes file = followed_by(animation(), "more");
  CHECK(Decoded(file, codec).warnings ==
        std::vector<std::string>{"4 bytes after the picture are not kept"});
  CHECK(check_metadata(file, codec, Limits{}).findings() ==
        std::vector<std::string>{"4 bytes after the picture"});
}

TEST_CASE("The XMP packet of a GIF is turned with the picture, and other formats get it") {
  const std::string packet = xmp_packet_with("tiff:ImageWidth='24' tiff:ImageLength='14'", "", 0);
  const Bytes file = owned(screen(24, 14) + xmp(packet) + frame({3, 2, 9, 5}, 1) + ';');
  const Bytes out = turn_file(file, codec, Orientation::rotate90);
  const GifBlocks after = gif_blocks(out);
  REQUIRE(is_gif_xmp(after.blocks.front()));
  CHECK_THAT(std::string(gif_xmp(after.blocks.front())),
             ContainsSubstring("tiff:ImageWidth='14' tiff:ImageLength='24'"));
  CHECK(check_metadata(out, codec, Limits{}).findings().empty());
  CHECK(Decoded(file, codec, png::codec).image.extras->metadata.xmp == packet);
}

TEST_CASE("Comments and a colour profile of a GIF go to other formats") {
  const Bytes file =
      owned(screen(4, 4) + comment("one, ") + comment("two") + "\x21\xFF\x0B" + "ICCRGBG1012" +
            parts(std::string(300, 'p')) + frame({0, 0, 4, 4}, 1) + ';');
  const Decoded decoded(file, codec, png::codec);
  CHECK(decoded.image.extras->metadata.comment == "one, two");
  CHECK(decoded.image.extras->metadata.icc == owned(std::string(300, 'p')));
}

TEST_CASE("The shape of a GIF's pixels is turned with the axes") {
  // (n + 15) / 64: 113 is two to one, 17 one to two, 49 square.
  const auto aspect_of = [](char aspect, Orientation each, std::vector<std::string>& warnings) {
    const Bytes file = owned(screen(4, 4, aspect) + frame({0, 0, 4, 4}, 1) + ';');
    return std::to_integer<int>(turn_file(file, codec, each, warnings)[12]);
  };
  std::vector<std::string> warnings;
  CHECK(aspect_of(113, Orientation::rotate90, warnings) == 17);
  CHECK(aspect_of(17, Orientation::transpose, warnings) == 113);
  CHECK(aspect_of(113, Orientation::rotate180, warnings) == 113);
  CHECK(aspect_of(49, Orientation::rotate90, warnings) == 49);
  CHECK(aspect_of(0, Orientation::rotate90, warnings) == 0);
  CHECK(warnings.empty());
  CHECK(aspect_of(100, Orientation::rotate90, warnings) == 21);
  CHECK(warnings.size() == 1);
}

TEST_CASE("A GIF's frames and metadata are counted before they are read") {
  const Bytes file = animation();
  const auto message = [&](const Limits& limits) {
    return thrown_by([&] { codec.check_limits(file, limits); });
  };
  CHECK(message({.metadata_count = 3, .directories = 4}) == "");
  CHECK(message({.directories = 3}) == "4 directories, more than the limit of 3");
  CHECK(message({.metadata_count = 2}) == "3 pieces of metadata, more than the limit of 2");
  std::string controls = screen(24, 14);
  for (int i = 0; i < 10; ++i) controls += control(0, 0, 9);
  const Bytes many = owned(controls + frame({0, 0, 24, 14}, 1) + ';');
  CHECK_NOTHROW(codec.check_limits(many, {.metadata_count = 9}));
  CHECK_THROWS_AS(codec.check_limits(many, {.metadata_count = 8}), LimitError);
}

TEST_CASE("GIF stops when asked to") { CHECK(stops(animation(), codec)); }

}  // namespace gif_codec_test
