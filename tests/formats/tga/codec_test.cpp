#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/turned_values.hpp"

namespace tga_codec_test {

namespace {

using namespace qturn;
using namespace qturn::tga;
using namespace qturn::tests;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

constexpr int colour_map = 1, colours = 2, grey = 3, run_lengths = 8;
constexpr int right_to_left = 0x10, top_down = 0x20;

using Pixels = std::vector<std::uint32_t>;

// A picture as its file has it; write() puts the file together byte by byte.
struct Tga {
  int type = colours;
  int bits = 24;
  int descriptor = 0;
  int first_colour = 0, map_colours = 0, colour_bits = 0;
  Position origin = {11, 22};  // on a screen
  std::int64_t width = 6, height = 4;
  Pixels pixels = {};  // as shown, from the top left on
  bool footer = false;
  int alpha_type = -1;  // else there is an extension area
  std::uint64_t aspect_width = 0, aspect_height = 0;
  std::int64_t stamp_width = 3, stamp_height = 2;
  Pixels stamp = {};
  bool developer = false, scan_lines = false;
};

// In the order of the file, without run lengths.
std::string plain_rows(const Tga& tga, const Pixels& pixels, std::int64_t width,
                       std::int64_t height) {
  std::string rows;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t row = (tga.descriptor & top_down) != 0 ? y : height - 1 - y;
      const std::int64_t column = (tga.descriptor & right_to_left) != 0 ? width - 1 - x : x;
      rows += in_little_endian(pixels[static_cast<std::size_t>(row * width + column)],
                               (tga.bits + 7) / 8);
    }
  }
  return rows;
}

std::string header(const Tga& tga) {
  std::string text = in_little_endian(4, 1) + in_little_endian(tga.map_colours > 0 ? 1 : 0, 1);
  const auto field = [&](int value, int bytes) {
    text += in_little_endian(static_cast<std::uint64_t>(value), bytes);
  };
  field(tga.type, 1);
  field(tga.first_colour, 2);
  field(tga.map_colours, 2);
  field(tga.colour_bits, 1);
  field(static_cast<int>(tga.origin.x), 2);
  field(static_cast<int>(tga.origin.y), 2);
  field(static_cast<int>(tga.width), 2);
  field(static_cast<int>(tga.height), 2);
  field(tga.bits, 1);
  field(tga.descriptor, 1);
  const std::vector<std::uint8_t> map =
      noise(static_cast<std::size_t>(tga.map_colours * ((tga.colour_bits + 7) / 8)), 7);
  return text + "name" + std::string(map.begin(), map.end());
}

// `data`: run lengths in place of the rows.
std::string write(const Tga& tga, std::string_view data = {}) {
  std::string file = header(tga);
  file += data.empty() ? plain_rows(tga, tga.pixels, tga.width, tga.height) : std::string(data);
  std::size_t extension = 0, developer = 0;
  if (tga.alpha_type >= 0) {
    const std::size_t correction = file.size();
    file += std::string(2048, 'c');
    const std::size_t stamp = file.size();
    if (!tga.stamp.empty()) {
      file += in_little_endian(static_cast<std::uint64_t>(tga.stamp_width), 1) +
              in_little_endian(static_cast<std::uint64_t>(tga.stamp_height), 1) +
              plain_rows(tga, tga.stamp, tga.stamp_width, tga.stamp_height);
    }
    const std::size_t lines = file.size();
    file += "scan lines";
    extension = file.size();
    std::string area(495, 'e');
    const auto put = [&](std::size_t at, const std::string& value) {
      area.replace(at, value.size(), value);
    };
    put(0, in_little_endian(area.size(), 2));
    put(474, in_little_endian(tga.aspect_width, 2) + in_little_endian(tga.aspect_height, 2));
    put(482, in_little_endian(correction, 4));
    put(486, in_little_endian(tga.stamp.empty() ? 0 : stamp, 4));
    put(490, in_little_endian(tga.scan_lines ? lines : 0, 4));
    put(494, in_little_endian(static_cast<std::uint64_t>(tga.alpha_type), 1));
    file += area;
  }
  if (tga.developer) {
    const std::size_t field = file.size();
    file += "a field";
    developer = file.size();
    file += in_little_endian(2, 2) + in_little_endian(1, 2) + in_little_endian(field, 4) +
            in_little_endian(7, 4) + in_little_endian(2, 2) + in_little_endian(0, 4) +
            in_little_endian(0, 4);
  }
  if (tga.footer) {
    file +=
        in_little_endian(extension, 4) + in_little_endian(developer, 4) + "TRUEVISION-XFILE.\0"s;
  }
  return file;
}

Pixels random_pixels(const Tga& tga, std::int64_t count, std::uint32_t seed) {
  const std::vector<std::uint8_t> bytes = noise(static_cast<std::size_t>(4 * count), seed);
  Pixels pixels;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto any =
        static_cast<std::uint32_t>(little_endian(std::as_bytes(std::span(bytes)), 4 * i, 4));
    if (tga.map_colours > 0) {
      pixels.push_back(static_cast<std::uint32_t>(tga.first_colour) +
                       any % static_cast<std::uint32_t>(tga.map_colours));
    } else {
      pixels.push_back(tga.bits == 32 ? any : any & ((1U << (tga.bits + 7) / 8 * 8) - 1));
    }
  }
  return pixels;
}

Tga with_noise(Tga tga) {
  tga.pixels = random_pixels(tga, tga.width * tga.height, 1);
  return tga;
}

Tga turned(Tga tga, Orientation orientation) {
  tga.pixels = turned_values(tga.pixels, {tga.width, tga.height}, orientation);
  if (!tga.stamp.empty()) {
    tga.stamp = turned_values(tga.stamp, {tga.stamp_width, tga.stamp_height}, orientation);
  }
  if (orientation == Orientation::transverse) {
    std::swap(tga.origin.x, tga.origin.y);
  } else if (orientation != Orientation::identity) {
    tga.origin = {0, 0};
  }
  if (swaps_axes(orientation)) {
    std::swap(tga.width, tga.height);
    std::swap(tga.aspect_width, tga.aspect_height);
    std::swap(tga.stamp_width, tga.stamp_height);
  }
  tga.scan_lines = false;
  return tga;
}

std::string turn(std::string_view file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), tga::codec, orientation)));
}

std::string refused(std::string_view file) { return refusal(bytes_of(file), tga::codec); }

// What another format gets.
struct Shown {
  int channels;
  std::vector<std::uint8_t> samples;
  std::vector<std::string> warnings;
  Meaning meaning;
};
Shown shown(std::string_view file) {
  const Decoded decoded(bytes_of(file), tga::codec, png::codec);
  const Page& page = decoded.image.pages.front();
  const auto* samples = static_cast<const std::uint8_t*>(page.pixels);
  return {page.channels,
          {samples, samples + page.bytes()},
          decoded.warnings,
          *decoded.image.extras->meaning};
}
Shown shown_pixel(Tga tga, std::uint32_t pixel) {
  tga.width = tga.height = 1;
  tga.pixels = {pixel};
  return shown(write(tga));
}

std::vector<Tga> cases() {
  std::vector<Tga> all;
  for (const int order : {0, top_down, right_to_left, top_down | right_to_left}) {
    for (const int bits : {15, 16, 24, 32}) {
      all.push_back({.bits = bits, .descriptor = order});
      all.push_back({.type = colour_map,
                     .bits = 8,
                     .descriptor = order,
                     .map_colours = 9,
                     .colour_bits = bits});
    }
    all.push_back({.bits = 32, .descriptor = order | 8});
    all.push_back({.bits = 16, .descriptor = order | 1});
    all.push_back({.type = grey, .bits = 8, .descriptor = order});
    all.push_back({.type = grey, .bits = 16, .descriptor = order | 8});
    all.push_back({.type = colour_map,
                   .bits = 16,
                   .descriptor = order,
                   .first_colour = 300,
                   .map_colours = 70,
                   .colour_bits = 24});
    // A map that no pixel needs.
    all.push_back({.bits = 24, .descriptor = order, .map_colours = 3, .colour_bits = 24});
    all.push_back({.bits = 24,
                   .descriptor = order,
                   .footer = true,
                   .alpha_type = 0,
                   .aspect_width = 3,
                   .aspect_height = 2,
                   .stamp = random_pixels({.bits = 24}, 6, 5),
                   .developer = true,
                   .scan_lines = true});
    all.push_back({.type = grey, .bits = 8, .descriptor = order, .footer = true});
  }
  return all;
}

}  // namespace

TEST_CASE("Every kind of TGA turns to the same kind, with all that stands around its pixels") {
  for (const Tga& kind : cases()) {
    const Tga source = with_noise(kind);
    const std::string file = write(source);
    CAPTURE(kind.type, kind.bits, kind.descriptor, kind.colour_bits, kind.footer);
    CHECK(codec_of_content(bytes_of(file), ".tga") == &tga::codec);
    CHECK(tga::codec.read_header(bytes_of(file)).storage_change == "");
    CHECK(tga::codec.read_header(bytes_of(file)).stored == Orientation::identity);
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      CHECK(turn(file, each) == write(turned(source, each)));
    }
  }
}

TEST_CASE("The place of a TGA on a screen is turned where it can be, or left out with a warning") {
  using Warnings = std::vector<std::string>;
  const auto origin = [](const Tga& tga, Orientation orientation, Warnings& warnings) {
    const std::string file = write(with_noise(tga));
    const Bytes made = turn_file(bytes_of(file), tga::codec, orientation, warnings);
    return Position{static_cast<std::int64_t>(little_endian(made, 8, 2)),
                    static_cast<std::int64_t>(little_endian(made, 10, 2))};
  };
  Warnings warnings;
  // 6 x 4 pixels that fill the screen: the corner where they begin.
  for (const auto& [order, before, after] :
       {std::tuple{0, Position{0, 0}, Position{0, 0}},
        {top_down, Position{0, 0}, Position{0, 0}},
        {top_down, Position{0, 4}, Position{0, 6}},
        {right_to_left, Position{6, 0}, Position{4, 0}},
        {top_down | right_to_left, Position{6, 4}, Position{4, 6}}}) {
    CHECK(origin({.descriptor = order, .origin = before}, Orientation::rotate90, warnings) ==
          after);
    CHECK(origin({.descriptor = order, .origin = before}, Orientation::rotate180, warnings) ==
          before);
  }
  const Tga placed{.origin = {11, 22}};
  CHECK(origin(placed, Orientation::identity, warnings) == Position{11, 22});
  CHECK(origin(placed, Orientation::transverse, warnings) == Position{22, 11});
  CHECK(warnings == Warnings{});
  CHECK(origin(placed, Orientation::rotate90, warnings) == Position{0, 0});
  CHECK(warnings == Warnings{"its place on a screen (11, 22) is not kept, because the size of the "
                             "screen is not known"});
}

TEST_CASE("A TGA with run lengths has run lengths again") {
  // Four pixels in a run, two as they are.
  const Tga source{
      .type = grey | run_lengths, .bits = 8, .origin = {0, 0}, .width = 3, .height = 2};
  const std::string file = write(source, "\x83\5\1\1\2"sv);  // the run goes on in the next row
  const auto with = [&](std::int64_t width, std::int64_t height, std::string_view data) {
    Tga tga = source;
    tga.width = width;
    tga.height = height;
    return write(tga, data);
  };
  CHECK(turn(file, Orientation::identity) == with(3, 2, "\x82\5\2\5\1\2"sv));
  CHECK(turn(file, Orientation::flop) == with(3, 2, "\x82\5\2\2\1\5"sv));
  CHECK(turn(file, Orientation::flip) == with(3, 2, "\2\5\1\2\x82\5"sv));
  CHECK(turn(file, Orientation::rotate90) == with(2, 3, "\1\5\2\1\5\1\1\5\5"sv));
  // Longer than a packet, in pixels of all sizes.
  for (const int bits : {8, 16, 24, 32}) {
    CAPTURE(bits);
    Tga wide{.type = bits == 8 ? grey : colours, .bits = bits, .width = 700, .height = 3};
    wide.pixels = random_pixels(wide, 2100, 3);
    std::fill_n(wide.pixels.begin() + 100, 400, wide.pixels[99]);
    std::fill_n(wide.pixels.begin() + 1500, 2, wide.pixels[1499]);
    Tga runs = wide;
    runs.type |= run_lengths;
    std::string data;  // each pixel a packet of its own
    const std::string plain = plain_rows(wide, wide.pixels, wide.width, wide.height);
    const auto step = static_cast<std::size_t>(bits / 8);
    for (std::size_t at = 0; at < plain.size(); at += step) data += "\0"s + plain.substr(at, step);
    const std::string written = turn(write(runs, data), Orientation::rotate90);
    CHECK(written.size() < write(wide).size() + 2100 / 128 + 700);
    CHECK(turn(turn(written, Orientation::rotate270), Orientation::flop).size() <
          write(wide).size());
    const Decoded a(bytes_of(written), tga::codec), b(bytes_of(write(wide)), tga::codec);
    PixelArena arena;
    CHECK(pixels_of(a.image.pages[0]) ==
          pixels_of(tests::turned(b.image, Orientation::rotate90, arena).pages[0]));
  }
}

TEST_CASE("Another format gets a TGA's colours, alpha among them where it may be alpha") {
  using Samples = std::vector<std::uint8_t>;
  const std::vector<std::string> none = {};
  CHECK(shown_pixel({.bits = 24}, 0x030201).samples == Samples{3, 2, 1});
  CHECK(shown_pixel({.type = grey, .bits = 8}, 7).samples == Samples{7});
  CHECK(shown_pixel({.type = grey, .bits = 16, .descriptor = 8}, 0x0907).samples == Samples{7, 9});
  CHECK(shown_pixel({.type = grey, .bits = 16}, 0x0007).samples == Samples{7});
  CHECK(shown_pixel({.type = grey, .bits = 16}, 0xFF07).samples == Samples{7, 255});
  const Shown grey_alpha = shown_pixel({.type = grey, .bits = 16}, 0x0907);
  CHECK(grey_alpha.samples == Samples{7, 9});
  CHECK(grey_alpha.warnings == std::vector{"its header does not declare the second byte, which is "
                                           "taken for alpha"s});
  CHECK(shown_pixel({.type = grey, .bits = 16, .footer = true, .alpha_type = 0}, 0x0907).samples ==
        Samples{7});
  CHECK(shown_pixel({.bits = 15}, 0xFC01).samples == Samples{255, 0, 8});
  CHECK(shown_pixel({.bits = 16}, 0xFC01).samples == Samples{255, 0, 8});
  CHECK(shown_pixel({.bits = 16, .descriptor = 1}, 0x7C01).samples == Samples{255, 0, 8, 0});
  CHECK(shown_pixel({.bits = 16, .descriptor = 1}, 0xFC01).samples == Samples{255, 0, 8, 255});
  CHECK(shown_pixel({.bits = 32, .descriptor = 8}, 0x00030201).samples == Samples{3, 2, 1, 0});

  // Not declared.
  CHECK(shown_pixel({.bits = 32}, 0x00030201).samples == Samples{3, 2, 1});
  CHECK(shown_pixel({.bits = 32}, 0xFF030201).samples == Samples{3, 2, 1, 255});
  CHECK(shown_pixel({.bits = 32}, 0xFF030201).warnings == none);
  const Shown undeclared = shown_pixel({.bits = 32}, 0x07030201);
  CHECK(undeclared.samples == Samples{3, 2, 1, 7});
  CHECK(undeclared.warnings == std::vector{"its header does not declare the fourth byte, which is "
                                           "taken for alpha"s});
  CHECK(undeclared.meaning.alpha == Meaning::Alpha::unassociated);

  // As the extension area declares it.
  const auto declared = [](int alpha_type, int bits_of_alpha) {
    return shown_pixel(
        {.bits = 32, .descriptor = bits_of_alpha, .footer = true, .alpha_type = alpha_type},
        0x07030201);
  };
  CHECK(declared(0, 0).channels == 3);
  CHECK(declared(1, 8).channels == 3);
  CHECK(declared(3, 8).samples == Samples{3, 2, 1, 7});
  CHECK(declared(3, 8).meaning.alpha == Meaning::Alpha::unassociated);
  CHECK(declared(4, 8).meaning.alpha == Meaning::Alpha::associated);
}

TEST_CASE("Another format gets the colours of a TGA's map, which may begin with any number") {
  const Tga source = with_noise({.type = colour_map,
                                 .bits = 16,
                                 .descriptor = top_down,
                                 .first_colour = 300,
                                 .map_colours = 70,
                                 .colour_bits = 24});
  const std::vector<std::uint8_t> map = noise(210, 7);
  std::vector<std::uint8_t> wanted;
  for (const std::uint32_t index : source.pixels) {
    for (const std::size_t k : {2, 1, 0}) wanted.push_back(map[3 * (index - 300) + k]);
  }
  CHECK(shown(write(source)).samples == wanted);
  for (const std::uint32_t index : {299U, 370U}) {
    for (const int packets : {0, run_lengths}) {
      Tga bad = source;
      bad.type |= packets;
      bad.width = bad.height = 1;
      const std::string data =
          packets == 0 ? in_little_endian(index, 2) : "\0"s + in_little_endian(index, 2);
      CHECK(refused(write(bad, data)) ==
            "damaged: colour " + std::to_string(index) + " of a colour map of 300 to 369");
    }
  }
}

TEST_CASE("A TGA that cannot be turned is refused by name") {
  const auto changed = [](const Tga& tga, std::size_t at, std::string_view bytes) {
    return refused(write(with_noise(tga)).replace(at, bytes.size(), bytes));
  };
  CHECK(changed({}, 2, "\0"sv) == "a TGA of type 0 with 24 bits per pixel is not supported");
  CHECK(changed({}, 2, "\x20"sv) == "a TGA of type 32 with 24 bits per pixel is not supported");
  CHECK(changed({}, 16, "\x08"sv) == "a TGA of type 2 with 8 bits per pixel is not supported");
  CHECK(changed({}, 17, "\x40"sv) == "a TGA with interleaved rows is not supported");
  CHECK(changed({}, 12, "\0\0"sv) == "a TGA without pixels");
  CHECK(changed({}, 14, "\xFF\xFF"sv) == "truncated after 4 of 65535 rows");
  CHECK(changed({.type = grey, .bits = 8}, 2, "\1"sv) ==
        "a TGA with a colour map of 0 colours of 0 bits is not supported");

  const Tga whole = with_noise({.footer = true,
                                .alpha_type = 0,
                                .stamp = random_pixels({.bits = 24}, 6, 5),
                                .developer = true});
  const std::string file = write(whole);
  const std::size_t footer = file.size() - 26, extension = little_endian(bytes_of(file), footer, 4),
                    developer = little_endian(bytes_of(file), footer + 4, 4),
                    stamp = little_endian(bytes_of(file), extension + 486, 4);
  const auto damaged = [&](std::size_t at, std::string_view bytes) {
    return refused(std::string(file).replace(at, bytes.size(), bytes));
  };
  CHECK(damaged(0, file.substr(0, 4)) == "");
  CHECK(damaged(footer, in_little_endian(30, 4)) ==
        "damaged: the extension area of the TGA is not after its pixels");
  CHECK(damaged(footer + 4, in_little_endian(file.size() - 1, 4)) ==
        "damaged: the developer area of the TGA is not after its pixels");
  CHECK(damaged(extension, in_little_endian(60000, 2)) ==
        "truncated: the file ends within the TGA's extension area");
  CHECK(damaged(extension + 482, in_little_endian(file.size() - 2000, 4)) ==
        "damaged: the colour correction table of the TGA is not after its pixels");
  CHECK(damaged(stamp, "\xFF\xFF"sv) == "truncated: the file ends within the TGA's postage stamp");
  // Otherwise the stamp's size would change when the aspect ratio before it is turned.
  std::string shared = file;
  shared.replace(extension + 474, 4, "\1\1\xFF\xFF"sv);
  shared.replace(extension + 486, 4, in_little_endian(extension + 474, 4));
  CHECK(refused(shared) == "damaged: two areas after the pixels of the TGA overlap");
  CHECK(damaged(developer, in_little_endian(50, 2)) ==
        "truncated: the file ends within the TGA's developer area");
  CHECK(damaged(developer + 4, in_little_endian(file.size() - 6, 4)) ==
        "damaged: the developer area of the TGA is not after its pixels");
}

TEST_CASE("A TGA whose pixels are cut anywhere is a failure") {
  for (Tga kind : cases()) {
    kind.footer = false;
    kind.alpha_type = -1;
    kind.developer = false;
    const std::string file = write(with_noise(kind));
    for (std::size_t size = 0; size < file.size(); ++size) {
      CHECK(refused(file.substr(0, size)) != "");
    }
    const std::string rest = "tail";
    const Decoded decoded(bytes_of(file + rest), tga::codec);
    CHECK(decoded.warnings == std::vector{"4 bytes after the picture are not kept"s});
    CHECK(turn(file + rest, Orientation::identity) == file);
  }
  const Tga runs{.type = grey | run_lengths, .bits = 8, .width = 300, .height = 2};
  std::string file = write(runs, "\xFF\1\xFF\2\xAB\3\xFF\1\xFF\2\xAB\3"sv);
  CHECK(refused(file) == "");
  for (std::size_t size = 0; size < file.size(); ++size) {
    CHECK(refused(file.substr(0, size)) != "");
  }
  file[file.size() - 2] = '\xAC';
  CHECK(refused(file) == "damaged: run lengths lead out of the picture");
}

TEST_CASE("A TGA from another format has its channels, and declares its alpha") {
  for (const int channels : {1, 2, 3, 4}) {
    CAPTURE(channels);
    std::vector<std::uint8_t> samples = noise(static_cast<std::size_t>(5 * 3 * channels));
    const Bytes file =
        tests::encode(image_of(samples, 5, 3, channels), Orientation::identity, tga::codec);
    const Shown read = shown(text_of(file));
    CHECK(read.channels == channels);
    CHECK(read.samples == samples);
    CHECK(read.warnings.empty());
    CHECK(turn(text_of(file), Orientation::identity) == text_of(file));
  }
}

}  // namespace tga_codec_test
