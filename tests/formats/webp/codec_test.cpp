#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/webp/chunks.hpp"
#include "src/picture/file_limits.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace webp_codec_test {

namespace {

using namespace qturn;
using namespace qturn::webp;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

Bytes lossless(const Pam& pam) {
  return made_by("cwebp -quiet -lossless -exact in -o out", write_pam(pam));
}

Bytes lossy(const Pam& pam, int quality) {
  return made_by("cwebp -quiet -m 4 -exact -q " + std::to_string(quality) + " in -o out",
                 write_pam(pam));
}

// Any colours, also where every third pixel is transparent.
Pam picture(int depth) {
  Pam pam = noise_pam(33, 18, depth);
  if (depth == 4) {
    for (std::size_t i = 3; i < pam.samples.size(); i += 12) pam.samples[i] = 0;
  }
  return pam;
}

// Neighbours alike, as in a photograph.
Pam smooth(int depth) {
  Pam pam{48, 40, depth, 255, {}};
  for (int i = 0; i < 48 * 40; ++i) {
    for (int k = 0; k < depth; ++k) {
      pam.samples.push_back(static_cast<std::uint16_t>(i % 48 * 3 + i / 48 * 2 + 20 * k));
    }
  }
  return pam;
}

bool is_lossless(const Bytes& file) { return webp_is_lossless(webp_chunks(file)); }

}  // namespace

TEST_CASE("A lossless WebP stays lossless in every sample, under transparent pixels too") {
  for (const int depth : {3, 4}) {
    CAPTURE(depth);
    const Pam source = picture(depth);
    const Bytes file = lossless(source);
    REQUIRE(shown_by_dwebp(file) == as_rgba(source));
    const Header header = codec.read_header(file);
    CHECK(header.width == 33);
    CHECK(header.height == 18);
    CHECK(header.pixel_bytes_total == source.samples.size());
    CHECK(header.storage_change == "");
    CHECK(Decoded(file, codec).warnings.empty());
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      const Bytes out = turn_file(file, codec, each);
      CHECK(is_lossless(out));
      CHECK(shown_by_dwebp(out) == as_rgba(turned(source, each)));
      CHECK(turn_file(file, codec, each) == out);
    }
  }
}

TEST_CASE("A lossy WebP becomes what cwebp makes of the turned picture at quality 95") {
  for (const int depth : {3, 4}) {
    CAPTURE(depth);
    const Bytes file = lossy(smooth(depth), 70);
    REQUIRE(!is_lossless(file));
    const std::string words = "a lossy WebP is compressed again";
    CHECK(codec.read_header(file).storage_change == words);
    CHECK(Decoded(file, codec).warnings == std::vector{words});
    const Pam shown = shown_by_dwebp(file);
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      CHECK(turn_file(file, codec, each) == lossy(turned(shown, each), 95));
    }
    // A PNG of it loses nothing.
    CHECK(Decoded(file, codec, png::codec).warnings.empty());
    CHECK(shown_by_imagemagick(converted(file, codec, png::codec), "png") ==
          shown_by_imagemagick(write_pam(shown), "pam"));
  }
}

TEST_CASE("A picture from another format becomes a lossless WebP, and goes back") {
  for (const int depth : {3, 4}) {
    CAPTURE(depth);
    const Pam source = picture(depth);
    const Bytes png = made_by("convert pam:in png:out", write_pam(source));
    const Bytes file = converted(png, png::codec, codec);
    CHECK(is_lossless(file));
    CHECK(shown_by_dwebp(file) == as_rgba(source));
    CHECK(shown_by_imagemagick(converted(file, codec, png::codec), "png") ==
          shown_by_imagemagick(png, "png"));
  }
}

TEST_CASE("What a WebP cannot hold is refused by name") {
  std::vector<std::uint8_t> samples(16384 * 4);
  const auto message = [&](int width, int channels, SampleFormat type) {
    const Image image = image_of(samples, width, 1, channels, png::codec, type);
    return thrown_by([&] { return tests::encode(image, Orientation::identity, codec); });
  };
  CHECK(message(16383, 3, SampleFormat::u8) == "");
  CHECK(message(16384, 3, SampleFormat::u8) == "a WebP has at most 16383 rows and columns");
  CHECK(message(5, 1, SampleFormat::u8) == "1 channels cannot be kept in webp");
  CHECK(message(5, 3, SampleFormat::u16) == "samples of type uint16 cannot be kept in webp");
}

TEST_CASE("A cut at any twentieth of a WebP is a failure, and so are pixels cut inside a file") {
  for (const Bytes& file : {lossless(picture(4)), lossy(smooth(3), 70), lossy(smooth(4), 70)}) {
    REQUIRE(refusal(file, codec) == "");
    for (std::size_t i = 0; i < 20; ++i)
      CHECK(refusal(cut(file, file.size() * i / 20), codec) != "");
    std::vector<std::pair<std::string_view, Bytes>> chunks;
    for (const WebpChunk& chunk : webp_chunks(file)) {
      const bool is_pixels = chunk.type == "VP8L" || chunk.type == "VP8 ";
      chunks.emplace_back(chunk.type, cut(chunk.data, chunk.data.size() / (is_pixels ? 2 : 1)));
    }
    CHECK(refusal(write_webp(chunks), codec) == "damaged: the pixels of a WebP");
  }
}

TEST_CASE("WebP stops when asked to") { CHECK(stops(lossless(picture(3)), codec)); }

namespace {

// A frame by hand: its place in twos, 70 ms, and whether it blends and is disposed of.
Bytes frame_chunk(const FramePlace& place, unsigned flags, const Bytes& still) {
  Bytes described(16);
  described[12] = std::byte{70};
  described[15] = static_cast<std::byte>(flags);
  const std::vector<OwnedWebpChunk> others = {{"note", owned("kept")}};
  return webp_frame(still, described, place, others);
}

struct FrameOf {
  FramePlace place;
  unsigned flags = 0;  // 1: disposed, 2: takes the place of what is there
};

constexpr int canvas_width = 25, canvas_height = 14;

// Noise, opaque or transparent.
Pam pixels_of(const FrameOf& frame, std::uint32_t seed) {
  Pam pixels = noise_pam(static_cast<int>(frame.place.width), static_cast<int>(frame.place.height),
                         4, 255, seed);
  for (std::size_t i = 3; i < pixels.samples.size(); i += 4) {
    pixels.samples[i] = pixels.samples[i] < 128 ? 0 : 255;
  }
  return pixels;
}

// What a viewer shows at the time of each frame.
std::vector<Pam> composed(const std::vector<FrameOf>& frames) {
  Pam canvas{canvas_width, canvas_height, 4, 255, {}};
  canvas.samples.resize(std::size_t{4} * canvas_width * canvas_height);
  std::vector<Pam> shown;
  std::uint32_t seed = 1;
  for (const FrameOf& frame : frames) {
    const Pam pixels = pixels_of(frame, ++seed);
    const auto draw = [&](auto pixel) {
      for (int y = 0; y < pixels.height; ++y) {
        for (int x = 0; x < pixels.width; ++x) {
          const auto to = (frame.place.y + y) * canvas_width + frame.place.x + x;
          pixel(&pixels.samples[static_cast<std::size_t>(4 * (y * pixels.width + x))],
                &canvas.samples[static_cast<std::size_t>(4 * to)]);
        }
      }
    };
    const bool blends = (frame.flags & 2) == 0;
    draw([&](const std::uint16_t* from, std::uint16_t* to) {
      if (!blends || from[3] != 0) std::copy_n(from, 4, to);
    });
    shown.push_back(canvas);
    if ((frame.flags & 1) != 0) {
      draw([](const std::uint16_t*, std::uint16_t* to) { std::fill_n(to, 4, 0); });
    }
  }
  return shown;
}

// A header that announces frames and alpha, or nothing.
Bytes header_of(int width, int height, int flags = 0x12) {
  Bytes header(10);
  header[0] = static_cast<std::byte>(flags);
  header[4] = static_cast<std::byte>(width - 1);
  header[7] = static_cast<std::byte>(height - 1);
  return header;
}

Bytes animated(const std::vector<FrameOf>& frames, bool is_lossless = true) {
  std::vector<std::pair<std::string_view, Bytes>> chunks = {
      {"VP8X", header_of(canvas_width, canvas_height)}, {"ANIM", owned("\1\2\3\4\5\6")}};
  std::uint32_t seed = 1;
  for (const FrameOf& each : frames) {
    const Pam pixels = pixels_of(each, ++seed);
    const Bytes still = is_lossless ? lossless(pixels) : lossy(pixels, 70);
    chunks.emplace_back("ANMF", frame_chunk(each.place, each.flags, still));
  }
  chunks.emplace_back("MINE", owned("as it is"));
  return write_webp(chunks);
}

// Their places stay even in every orientation, or do not.
const std::vector<FrameOf> even_frames = {
    {{0, 0, 25, 14}, 2}, {{4, 2, 9, 6}, 0}, {{20, 6, 5, 8}, 1}, {{2, 0, 3, 4}, 3}};
const std::vector<FrameOf> odd_frames = {{{0, 0, 25, 14}, 2},
                                         {{4, 2, 8, 5}, 1},
                                         {{20, 6, 5, 8}, 0},
                                         {{2, 0, 3, 4}, 3},
                                         {{0, 0, 2, 1}, 0}};

}  // namespace

TEST_CASE("Every frame of an animated WebP is turned, as a part of the canvas or as it is shown") {
  for (const bool is_even : {true, false}) {
    const auto& frames = is_even ? even_frames : odd_frames;
    const Bytes file = animated(frames);
    const int count = static_cast<int>(frames.size());
    const Header header = codec.read_header(file);
    CHECK(header.size() == Size{canvas_width, canvas_height});
    CHECK(header.pages == count);
    CHECK_FALSE(header.lossy);
    const Decoded decoded(file, codec);
    CHECK(decoded.warnings.empty());
    std::uint64_t bytes = 0;
    for (const Page& page : decoded.image.pages) bytes += page.bytes();
    CHECK(header.pixel_bytes_total == bytes);
    for (const Orientation each : all_orientations) {
      CAPTURE(each);
      const Bytes out = turn_file(file, codec, each);
      const auto before = webp_chunks(file), after = webp_chunks(out);
      REQUIRE(after.size() == before.size());
      CHECK(std::ranges::equal(after[1].data, before[1].data));
      CHECK(std::ranges::equal(after.back().data, before.back().data));
      std::uint32_t seed = 1;
      const std::vector<Pam> shown = composed(frames);
      const std::vector<WebpFrame> results = webp_frames(after);
      REQUIRE(results.size() == frames.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        CAPTURE(i);
        CHECK(results[i].described[12] == std::byte{70});
        CHECK(results[i].chunks.back().type == "note");
        const Pam source = is_even ? pixels_of(frames[i], ++seed) : shown[i];
        CHECK(shown_by_dwebp(assemble_webp(results[i].chunks, {})) == turned(source, each));
        if (is_even) continue;
        CHECK(results[i].place.width == turned_size(each, {canvas_width, canvas_height}).width);
        CHECK_FALSE(results[i].blends);
        CHECK_FALSE(results[i].disposed);
      }
    }
  }
}

TEST_CASE("The frames of a WebP stay parts of the canvas where their places can be stored") {
  const Bytes file = animated(even_frames);
  CHECK(codec.read_header(file).storage_change == "");
  CHECK(codec.read_header(animated(odd_frames)).storage_change ==
        "its frames become whole pictures");
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    const Bytes out = turn_file(file, codec, each);
    const auto before = webp_frames(webp_chunks(file)), after = webp_frames(webp_chunks(out));
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(after[i].place == turned(before[i].place, each, {canvas_width, canvas_height}));
      CHECK(after[i].blends == before[i].blends);
      CHECK(after[i].disposed == before[i].disposed);
    }
  }
}

TEST_CASE("A lossy animation is compressed once more, with a warning") {
  const Bytes file = animated(even_frames, false);
  CHECK(codec.read_header(file).lossy);
  CHECK(Decoded(file, codec).warnings ==
        std::vector<std::string>{"a lossy WebP is compressed again"});
  const Bytes out = turn_file(file, codec, Orientation::rotate90);
  CHECK(webp_frames(webp_chunks(out)).size() == even_frames.size());
  CHECK_FALSE(is_lossless(out));
}

TEST_CASE("An animated WebP that is damaged or goes to another format is refused by name") {
  const Bytes file = animated(odd_frames);
  CHECK(refusal(file, codec, png::codec) == "an animated WebP can only stay a WebP");
  for (std::size_t size = 0; size < file.size(); size += 7) {
    CAPTURE(size);
    CHECK(refusal(cut(file, size), codec) != "");
  }
  CHECK_THAT(refusal(animated({{{0, 0, 25, 14}, 0}, {{18, 0, 8, 4}, 0}}), codec),
             ContainsSubstring("damaged: a frame of 8 x 4 pixels at 18, 0 in a WebP of 25 x 14"));
  const Bytes wrong = frame_chunk({0, 0, 9, 6}, 0, lossless(noise_pam(8, 6, 4)));
  const Bytes header = header_of(21, 21);
  CHECK(refusal(write_webp({{"VP8X", header}, {"ANMF", wrong}}), codec) ==
        "damaged: a frame of a WebP has another size than its pixels");
  Bytes large = header;
  for (std::size_t at = 4; at < large.size(); ++at) large[at] = std::byte{255};
  CHECK(refusal(write_webp({{"VP8X", large}, {"ANMF", wrong}}), codec) ==
        "damaged: an animated WebP of 16777216 x 16777216 pixels");
  Limits limits;
  limits.directories = 4;
  CHECK_THROWS_WITH(codec.check_limits(file, limits), "5 directories, more than the limit of 4");
}

TEST_CASE("Chunks of a WebP that nobody knows are kept") {
  for (const int depth : {3, 4}) {
    const Bytes simple = lossless(picture(depth));
    std::vector<std::pair<std::string_view, Bytes>> chunks = {{"VP8X", header_of(33, 18, 0)},
                                                              {"odd1", owned("a")}};
    for (const WebpChunk& chunk : webp_chunks(simple)) {
      chunks.emplace_back(chunk.type, Bytes(chunk.data.begin(), chunk.data.end()));
    }
    chunks.emplace_back("MINE", owned("as it is"));
    const Bytes file = write_webp(chunks);
    const Bytes out = turn_file(file, codec, Orientation::rotate90);
    const auto after = webp_chunks(out);
    REQUIRE(after.size() == 4);
    CHECK(text_of(after[1].data) == "a");
    CHECK(text_of(after[3].data) == "as it is");
    CHECK(after[0].data[4] == std::byte{17});
    CHECK(after[0].data[7] == std::byte{32});
    CHECK(shown_by_dwebp(out) == turned(shown_by_dwebp(file), Orientation::rotate90));
  }
}

}  // namespace webp_codec_test
