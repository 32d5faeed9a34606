// PNG in every form it can be stored in, against LodePNG, which writes the sources and reads the
// results: another program's idea of rows, filters, passes and bits.
#include "src/formats/png/codec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <lodepng.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/rows.hpp"
#include "src/formats/table.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/turned_values.hpp"

namespace png_codec_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

// How a PNG is stored: what it must still be after a turn.
struct Form {
  LodePNGColorType colour;
  unsigned depth;
  bool interlaced = false;

  int channels() const { return static_cast<int>(lodepng_get_channels(std::array{mode()}.data())); }
  unsigned bits() const { return lodepng_get_bpp(std::array{mode()}.data()); }
  LodePNGColorMode mode() const { return lodepng_color_mode_make(colour, depth); }
};

constexpr Form forms[] = {
    {LCT_GREY, 1},    {LCT_GREY, 2},       {LCT_GREY, 4},        {LCT_GREY, 8},    {LCT_GREY, 16},
    {LCT_RGB, 8},     {LCT_RGB, 16},       {LCT_PALETTE, 1},     {LCT_PALETTE, 2}, {LCT_PALETTE, 4},
    {LCT_PALETTE, 8}, {LCT_GREY_ALPHA, 8}, {LCT_GREY_ALPHA, 16}, {LCT_RGBA, 8},    {LCT_RGBA, 16},
};

// A picture as a list of samples, 16 bits each, whatever the file has.
struct FileSamples {
  unsigned width = 0, height = 0;
  int channels = 1;
  std::vector<std::uint16_t> values;

  bool operator==(const FileSamples&) const = default;
};

FileSamples turned(const FileSamples& picture, Orientation orientation) {
  const Size from{picture.width, picture.height}, to = turned_size(orientation, from);
  return {static_cast<unsigned>(to.width), static_cast<unsigned>(to.height), picture.channels,
          turned_values(picture.values, from, orientation, picture.channels)};
}

FileSamples random_samples(const Form& form, unsigned width, unsigned height) {
  FileSamples picture{width, height, form.channels(), {}};
  const auto random = noise(2 * width * height * static_cast<unsigned>(picture.channels));
  for (std::size_t i = 0; i < random.size(); i += 2) {
    picture.values.push_back(
        static_cast<std::uint16_t>((random[i] << 8 | random[i + 1]) & ((1 << form.depth) - 1)));
  }
  return picture;
}

// LodePNG's raw pictures: big-endian, pixels of few bits packed without regard to rows.
std::vector<unsigned char> packed(const FileSamples& picture, unsigned depth) {
  std::vector<unsigned char> bytes((picture.values.size() * depth + 7) / 8);
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    for (unsigned bit = 0; bit < depth; ++bit) {
      const std::size_t at = i * depth + bit;
      const bool set = picture.values[i] >> (depth - 1 - bit) & 1;
      bytes[at / 8] |= static_cast<unsigned char>(set << (7 - at % 8));
    }
  }
  return bytes;
}

FileSamples unpacked(const std::vector<unsigned char>& bytes, unsigned width, unsigned height,
                     int channels, unsigned depth) {
  FileSamples picture{width, height, channels, {}};
  picture.values.resize(std::size_t{width} * height * static_cast<unsigned>(channels));
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    for (unsigned bit = 0; bit < depth; ++bit) {
      const std::size_t at = i * depth + bit;
      picture.values[i] =
          static_cast<std::uint16_t>(picture.values[i] << 1 | (bytes[at / 8] >> (7 - at % 8) & 1));
    }
  }
  return picture;
}

void add_palette(LodePNGColorMode& mode) {
  if (mode.colortype != LCT_PALETTE) return;
  for (unsigned i = 0; i < 1U << mode.bitdepth; ++i) {
    lodepng_palette_add(&mode, static_cast<unsigned char>(i * 37), static_cast<unsigned char>(i),
                        static_cast<unsigned char>(255 - i),
                        static_cast<unsigned char>(i % 5 == 0 ? 100 : 255));
  }
}

Bytes written_by_lodepng(const FileSamples& picture, const Form& form,
                         LodePNGFilterStrategy filters = LFS_MINSUM) {
  lodepng::State state;
  state.encoder.auto_convert = 0;
  state.encoder.filter_palette_zero = 0;
  state.encoder.filter_strategy = filters;
  state.info_raw.colortype = state.info_png.color.colortype = form.colour;
  state.info_raw.bitdepth = state.info_png.color.bitdepth = form.depth;
  add_palette(state.info_raw);
  add_palette(state.info_png.color);
  state.info_png.interlace_method = form.interlaced;
  std::vector<unsigned char> file;
  REQUIRE(lodepng::encode(file, packed(picture, form.depth), picture.width, picture.height,
                          state) == 0);
  const auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

// Also requires that the file is in this form.
FileSamples read_by_lodepng(const Bytes& file, const Form& form) {
  lodepng::State state;
  state.decoder.color_convert = 0;
  std::vector<unsigned char> raw;
  unsigned width = 0, height = 0;
  REQUIRE(lodepng::decode(raw, width, height, state,
                          reinterpret_cast<const unsigned char*>(file.data()), file.size()) == 0);
  CHECK(state.info_png.color.colortype == form.colour);
  CHECK(state.info_png.color.bitdepth == form.depth);
  CHECK(state.info_png.interlace_method == (form.interlaced ? 1U : 0U));
  return unpacked(raw, width, height, form.channels(), form.depth);
}

// The samples in memory, which must be those in the file.
FileSamples in_memory(const Page& page) {
  FileSamples picture{
      static_cast<unsigned>(page.width), static_cast<unsigned>(page.height), page.channels, {}};
  if (page.type == SampleFormat::u16) {
    const auto* samples = static_cast<const std::uint16_t*>(page.pixels);
    picture.values.assign(samples, samples + page.bytes() / 2);
  } else {
    const auto* samples = static_cast<const std::uint8_t*>(page.pixels);
    picture.values.assign(samples, samples + page.bytes());
  }
  return picture;
}

std::string_view chunk_data(const Bytes& file, std::string_view type) {
  const auto chunks = png_chunks(file);
  const PngChunk* chunk = find_chunk(chunks, type);
  return chunk ? text_of(chunk->data) : "none";
}

// The file with other compressed pixels, in so many chunks.
Bytes with_pixels(const Bytes& file, std::span<const std::byte> stream, std::size_t parts = 1) {
  std::string result(text_of(file).substr(0, 8)), pixels;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t from = stream.size() * i / parts, to = stream.size() * (i + 1) / parts;
    pixels += png_chunk("IDAT", text_of(stream.subspan(from, to - from)));
  }
  for (const PngChunk& chunk : png_chunks(file)) {
    result += chunk.type == "IDAT" ? std::exchange(pixels, "") : text_of(chunk.whole);
  }
  return owned(result);
}

Bytes stream_of(const std::vector<std::uint8_t>& data) {
  const Deflater deflater(6);
  Bytes stream(deflater.largest(data.size()));
  stream.resize(deflater.deflate(data, stream.data()));
  return stream;
}

}  // namespace

TEST_CASE("Every form of PNG keeps its form and every sample, in all orientations") {
  Form form = forms[GENERATE(range(0, static_cast<int>(std::size(forms))))];
  form.interlaced = GENERATE(false, true);
  INFO("colour type " << form.colour << ", " << form.depth << " bits, interlaced "
                      << form.interlaced);
  // Rows that end within a byte, passes that are empty, and one row or column.
  for (const auto& [width, height] : {std::pair{1U, 1U},
                                      {1U, 9U},
                                      {9U, 1U},
                                      {2U, 3U},
                                      {4U, 4U},
                                      {5U, 2U},
                                      {7U, 8U},
                                      {8U, 7U},
                                      {15U, 17U},
                                      {33U, 18U}}) {
    INFO(width << " x " << height);
    const FileSamples picture = random_samples(form, width, height);
    const Bytes file = written_by_lodepng(picture, form);
    const Header header = codec.read_header(file);
    CHECK(header.width == width);
    CHECK(header.height == height);
    CHECK(header.storage_change == "");
    const Decoded decoded(file, codec);
    CHECK(in_memory(decoded.image.pages[0]) == picture);
    CHECK(header.pixel_bytes_total == decoded.image.pages[0].bytes());
    CHECK(decoded.warnings.empty());
    for (const Orientation orientation : all_orientations) {
      INFO(name(orientation));
      const Bytes out = turn_file(file, codec, orientation);
      CHECK(read_by_lodepng(out, form) == turned(picture, orientation));
      CHECK(chunk_data(out, "PLTE") == chunk_data(file, "PLTE"));
      CHECK(chunk_data(out, "tRNS") == chunk_data(file, "tRNS"));
    }
  }
}

TEST_CASE("Rows of every filter are read") {
  Form form = forms[GENERATE(range(0, static_cast<int>(std::size(forms))))];
  form.interlaced = GENERATE(false, true);
  const FileSamples picture = random_samples(form, 29, 23);
  for (const auto filters : {LFS_ZERO, LFS_ONE, LFS_TWO, LFS_THREE, LFS_FOUR}) {
    INFO("colour type " << form.colour << ", " << form.depth << " bits, filter " << filters);
    const Decoded decoded(written_by_lodepng(picture, form, filters), codec);
    CHECK(in_memory(decoded.image.pages[0]) == picture);
  }
}

TEST_CASE("The writer chooses the filter by the picture, and another program reads it") {
  const Form form{LCT_GREY, 8};
  constexpr unsigned side = 256;
  const auto steps = noise(side * side);
  const auto step = [&](unsigned x, unsigned y) { return steps[y * side + x] % 4; };
  // After a quarter turn: two colours at random; rows that wander, each on its own; columns that
  // do.
  const auto filters_of = [&](auto&& value) {
    FileSamples picture{side, side, 1, {}};
    for (unsigned y = 0; y < side; ++y) {
      for (unsigned x = 0; x < side; ++x) {
        picture.values.push_back(static_cast<std::uint16_t>(value(picture, x, y) & 0xFF));
      }
    }
    const Bytes out = turn_file(written_by_lodepng(picture, form), codec, Orientation::rotate90);
    CHECK(read_by_lodepng(out, form) == turned(picture, Orientation::rotate90));
    const auto rows = bytes_of_zlib(bytes_of(chunk_data(out, "IDAT")), 1 << 20);
    REQUIRE(rows);
    REQUIRE(rows->size() == side * (side + 1));
    return std::pair{(*rows)[side + 1], (*rows)[100 * (side + 1)]};
  };
  const auto both = [](PngFilter filter) {
    return std::pair{static_cast<std::byte>(filter), static_cast<std::byte>(filter)};
  };
  CHECK(filters_of([&](const FileSamples&, unsigned x, unsigned y) {
          return step(x, y) < 2 ? 17U : 200U;
        }) == both(PngFilter::none));
  CHECK(filters_of([&](const FileSamples& picture, unsigned x, unsigned y) {
          return y == 0 ? steps[x] : picture.values[(y - 1) * side + x] + step(x, y);
        }) == both(PngFilter::sub));
  CHECK(filters_of([&](const FileSamples& picture, unsigned x, unsigned y) {
          return x == 0 ? steps[y] : picture.values.back() + step(x, y);
        }) == both(PngFilter::up));
}

TEST_CASE("For another format there are colours, at least 8 bits, and alpha") {
  Form form = forms[GENERATE(range(0, static_cast<int>(std::size(forms))))];
  form.interlaced = GENERATE(false, true);
  INFO("colour type " << form.colour << ", " << form.depth << " bits");
  const FileSamples picture = random_samples(form, 13, 11);
  const Bytes file = written_by_lodepng(picture, form);
  const bool transparent = chunk_data(file, "tRNS") != "none";
  const Decoded decoded(file, codec, tiff::codec);
  const FileSamples got = in_memory(decoded.image.pages[0]);

  Form wanted = form;
  if (form.colour == LCT_PALETTE) wanted.colour = transparent ? LCT_RGBA : LCT_RGB;
  wanted.depth = std::max(8U, form.depth);
  std::vector<unsigned char> raw;
  unsigned width = 0, height = 0;
  REQUIRE(lodepng::decode(raw, width, height, reinterpret_cast<const unsigned char*>(file.data()),
                          file.size(), wanted.colour, wanted.depth) == 0);
  CHECK(got == unpacked(raw, width, height, wanted.channels(), wanted.depth));

  if (form.colour == LCT_RGBA || form.depth == 16) return;  // BMP has neither
  const Bytes bmp =
      tests::encode(decoded.image, Orientation::identity,
                    form.colour == LCT_GREY_ALPHA || transparent ? codec : bmp::codec);
  CHECK(bmp.size() > 100);
}

TEST_CASE("A transparent colour becomes an alpha channel in another format") {
  for (const unsigned depth : {2U, 8U, 16U}) {
    for (const LodePNGColorType colour : {LCT_GREY, LCT_RGB}) {
      if (colour == LCT_RGB && depth < 8) continue;
      const Form form{colour, depth};
      const FileSamples picture = random_samples(form, 6, 5);
      lodepng::State state;
      state.encoder.auto_convert = 0;
      state.info_raw.colortype = state.info_png.color.colortype = colour;
      state.info_raw.bitdepth = state.info_png.color.bitdepth = depth;
      for (auto* mode : {&state.info_raw, &state.info_png.color}) {
        mode->key_defined = 1;
        mode->key_r = picture.values[0];
        mode->key_g = picture.values[colour == LCT_RGB ? 1 : 0];
        mode->key_b = picture.values[colour == LCT_RGB ? 2 : 0];
      }
      std::vector<unsigned char> file, raw;
      REQUIRE(lodepng::encode(file, packed(picture, depth), 6, 5, state) == 0);
      const Decoded decoded(std::as_bytes(std::span(file)), codec, tiff::codec);
      // LodePNG makes no grey with alpha of it.
      const unsigned wanted_depth = std::max(8U, depth);
      unsigned width = 0, height = 0;
      REQUIRE(lodepng::decode(raw, width, height, file, LCT_RGBA, wanted_depth) == 0);
      const FileSamples wanted = unpacked(raw, 6, 5, 4, wanted_depth);
      FileSamples got = in_memory(decoded.image.pages[0]);
      CHECK(got.channels == (colour == LCT_RGB ? 4 : 2));
      if (colour == LCT_GREY) {
        FileSamples colours{6, 5, 4, {}};
        for (std::size_t i = 0; i < got.values.size(); i += 2) {
          const std::uint16_t grey = got.values[i];
          colours.values.insert(colours.values.end(), {grey, grey, grey, got.values[i + 1]});
        }
        got = colours;
      }
      CHECK(got == wanted);
      CHECK(got.values[3] == 0);
    }
  }
}

TEST_CASE("The colour profile goes along to another format, and a damaged one is left out") {
  const Form form{LCT_RGB, 8};
  const std::vector<std::uint8_t> profile = noise(200'000);
  const Bytes plain = written_by_lodepng(random_samples(form, 4, 4), form);
  auto extras = std::make_shared<Extras>();
  const auto bytes = std::as_bytes(std::span(profile));
  extras->metadata.icc.assign(bytes.begin(), bytes.end());
  const Decoded decoded(plain, codec, tiff::codec);
  Image image = decoded.image;
  image.format = &tiff::codec;
  image.extras = extras;
  const Bytes with_profile = tests::encode(image, Orientation::identity, codec);
  CHECK(Decoded(with_profile, codec, tiff::codec).image.extras->metadata.icc ==
        extras->metadata.icc);

  std::string damaged(text_of(with_profile));
  damaged[damaged.find("iCCP") + 100] ^= 1;
  lodepng_chunk_generate_crc(
      reinterpret_cast<unsigned char*>(damaged.data() + damaged.find("iCCP") - 4));
  const Decoded without(bytes_of(damaged), codec, tiff::codec);
  CHECK(without.image.extras->metadata.icc.empty());
  REQUIRE(without.warnings.size() == 1);
  CHECK_THAT(without.warnings[0], ContainsSubstring("colour profile"));
  // A PNG keeps the bytes, whatever they mean.
  CHECK(chunk_data(turn_file(bytes_of(damaged), codec, Orientation::flop), "iCCP") ==
        chunk_data(owned(damaged), "iCCP"));
}

TEST_CASE("Pixels in many chunks, empty ones among them, are the same picture") {
  const Form form{LCT_RGB, 8};
  const Bytes file = written_by_lodepng(random_samples(form, 9, 9), form);
  const auto stream = bytes_of(chunk_data(file, "IDAT"));
  CHECK(turn_file(with_pixels(file, stream, 7), codec, Orientation::flip) ==
        turn_file(file, codec, Orientation::flip));
  CHECK(turn_file(with_pixels(file, stream, 2 * stream.size()), codec, Orientation::flip) ==
        turn_file(file, codec, Orientation::flip));
}

TEST_CASE("Damage under correct checksums of the chunks is a failure") {
  const Form form = GENERATE(Form{LCT_GREY, 8}, Form{LCT_GREY, 2}, Form{LCT_RGB, 16, true});
  const Bytes file = written_by_lodepng(random_samples(form, 12, 10), form);
  const Bytes stream = owned(chunk_data(file, "IDAT"));
  REQUIRE(refusal(with_pixels(file, stream), codec) == "");
  for (std::size_t size = 0; size < stream.size(); ++size) {
    CHECK(refusal(with_pixels(file, std::span(stream).first(size)), codec) != "");
  }
  for (std::size_t at = 0; at < stream.size(); ++at) {
    // Of the first two bytes some say nothing about the data.
    if (at < 2) continue;
    Bytes changed = stream;
    changed[at] ^= std::byte{0x10};
    INFO("byte " << at);
    const Bytes damaged = with_pixels(file, changed);
    if (refusal(damaged, codec) != "") continue;
    // A bit between the last code and the checksum.
    CHECK(at == stream.size() - 5);
    CHECK(turn_file(damaged, codec, Orientation::flop) ==
          turn_file(file, codec, Orientation::flop));
  }
}

TEST_CASE("Too few and too many pixels are failures, bytes after them a warning") {
  const Form form{LCT_GREY, 8};
  const Bytes file = written_by_lodepng(random_samples(form, 10, 10), form);
  const auto message = [&](std::size_t bytes) {
    return refusal(with_pixels(file, stream_of(std::vector<std::uint8_t>(bytes))), codec);
  };
  CHECK(message(110) == "");
  CHECK(message(109) == "truncated: 109 of 110 bytes of the pixels are there");
  CHECK(message(0) != "");
  CHECK(message(111) == "damaged: more pixels than 10 x 10");
  CHECK(message(100'000) == "damaged: more pixels than 10 x 10");

  Bytes stream = stream_of(std::vector<std::uint8_t>(110));
  stream.resize(stream.size() + 3);
  const Decoded decoded(with_pixels(file, stream), codec);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK_THAT(decoded.warnings[0], StartsWith("3 bytes after the compressed pixels"));

  std::vector<std::uint8_t> rows(110);
  rows[22] = 5;
  CHECK(refusal(with_pixels(file, stream_of(rows)), codec) ==
        "damaged: row 2 has an unknown filter");
}

TEST_CASE("Headers that make no sense are failures before anything is taken from memory") {
  const Form form{LCT_GREY, 8};
  const Bytes file = written_by_lodepng(random_samples(form, 10, 10), form);
  const auto message = [&](std::size_t at, std::initializer_list<int> values) {
    Bytes changed = file;
    for (const int value : values) changed[at++] = static_cast<std::byte>(value);
    lodepng_chunk_generate_crc(reinterpret_cast<unsigned char*>(changed.data() + 8));
    return thrown_by([&] { return codec.read_header(changed); });
  };
  constexpr std::size_t width = 16, height = 20, depth = 24, colour = 25, interlacing = 28;
  CHECK(message(width, {0, 0, 0, 10}) == "");
  CHECK(message(width, {0, 0, 0, 0}) == "damaged: a PNG of 0 x 10 pixels");
  CHECK(message(height, {0x80, 0, 0, 0}) == "damaged: a PNG of 10 x 2147483648 pixels");
  CHECK_THAT(message(width, {0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF}),
             StartsWith("damaged: 2147483647 x 2147483647 pixels cannot come from "));
  CHECK_THAT(message(width, {0, 1, 0, 0, 0, 1, 0, 0}), ContainsSubstring("cannot come from"));
  for (const int bits : {0, 3, 5, 7, 9, 17, 32, 255}) CHECK(message(depth, {bits}) != "");
  for (const int type : {1, 5, 7, 8, 255}) CHECK(message(colour, {type}) != "");
  CHECK(message(depth, {4, 2}) != "");
  CHECK(message(depth, {16, 3}) != "");
  CHECK(message(colour, {3}) == "damaged: a PNG without its palette");
  CHECK(message(26, {1}) != "");
  CHECK(message(27, {1}) != "");
  CHECK(message(interlacing, {2}) != "");
}

TEST_CASE("Chunks that cannot be passed over, or are not where they should be, are refused") {
  const Form form{LCT_GREY, 8};
  const Bytes file = written_by_lodepng(random_samples(form, 3, 3), form);
  const auto with = [&](const char* type, std::size_t bytes, std::size_t times,
                        bool between_pixels = false) {
    std::string text(
        text_of(between_pixels ? with_pixels(file, bytes_of(chunk_data(file, "IDAT")), 2) : file));
    const std::size_t at = between_pixels ? text.rfind("IDAT") - 4 : text.find("IDAT") - 4;
    for (std::size_t i = 0; i < times; ++i)
      text.insert(at, png_chunk(type, std::string(bytes, '\0')));
    return refusal(bytes_of(text), codec);
  };
  CHECK(with("abCd", 5, 1) == "");
  CHECK(with("ABCD", 5, 1) == "a PNG with ABCD chunks is not supported");
  CHECK(with("PLTE", 6, 1) == "");
  CHECK(with("PLTE", 6, 2) == "damaged: a PNG with several palettes");
  CHECK(with("tEXt", 6, 1, true) == "damaged: a PNG with pixels in several places");
  CHECK(refusal(with_pixels(file, {}, 0), codec) == "damaged: a PNG without pixels");
}

TEST_CASE("A pixel without a colour in the palette turns, but has none in another format") {
  const Form form{LCT_PALETTE, 4};
  FileSamples picture = random_samples(form, 8, 8);
  Bytes file = written_by_lodepng(picture, form);
  // The palette's last 8 colours become a chunk that nobody knows.
  std::string text(text_of(file));
  const std::size_t palette = text.find("PLTE") - 4;
  text.replace(palette, 12 + 48, png_chunk("PLTE", text.substr(palette + 8, 24)));
  CHECK(refusal(bytes_of(text), codec) == "");
  CHECK_THAT(refusal(bytes_of(text), codec, bmp::codec), ContainsSubstring("no colour"));
}

TEST_CASE("The same picture gives the same bytes, also after another turn and back") {
  const Form form{LCT_RGBA, 8};
  const Bytes file = written_by_lodepng(random_samples(form, 40, 30), form);
  const Bytes once = turn_file(file, codec, Orientation::identity);
  CHECK(turn_file(turn_file(file, codec, Orientation::rotate90), codec, Orientation::rotate270) ==
        once);
  CHECK(turn_file(once, codec, Orientation::identity) == once);
}

}  // namespace png_codec_test
