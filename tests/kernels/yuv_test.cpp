#include <qturn/yuv.hpp>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/yuv_pictures.hpp"

namespace qturn::tests::yuv_test {
namespace {

using Catch::Matchers::Message;

struct Factors {
  YuvFormat format;
  YuvMatrix matrix;
  YuvRange range;
  int cy, rv, gu, gv, bu;
};

// From exact rational arithmetic in Python.
const std::vector<Factors>& factors() {
  using enum YuvMatrix;
  using enum YuvRange;
  static const std::vector<Factors> all{
      {YuvFormat::nv12, bt601, limited, 76309, 104597, -25675, -53279, 132201},
      {YuvFormat::nv12, bt709, limited, 76309, 117489, -13975, -34925, 138438},
      {YuvFormat::nv12, bt2020, limited, 76309, 110014, -12277, -42626, 140363},
      {YuvFormat::nv12, bt601, full, 65536, 91881, -22553, -46802, 116130},
      {YuvFormat::nv12, bt709, full, 65536, 103206, -12276, -30679, 121609},
      {YuvFormat::nv12, bt2020, full, 65536, 96639, -10784, -37444, 123299},
      {YuvFormat::p010, bt601, limited, 76533, 104905, -25750, -53435, 132590},
      {YuvFormat::p010, bt709, limited, 76533, 117835, -14017, -35027, 138846},
      {YuvFormat::p010, bt2020, limited, 76533, 110337, -12313, -42752, 140776},
      {YuvFormat::p010, bt709, full, 65536, 103206, -12276, -30679, 121609},
      {YuvFormat::i420, bt601, full, 65536, 91881, -22553, -46802, 116130},
  };
  return all;
}

// A channel of the pixel at `p`, by the rule of yuv.hpp.
double channel_of(const YuvImage& image, const Factors& f, Position p, int channel) {
  const bool ten = f.format == YuvFormat::p010;
  const auto sample = [&](const ConstView& view, Position at, int number) {
    const unsigned char* pixel = pixel_at(view, at);
    if (!ten) return std::int64_t{pixel[number]};
    return (std::int64_t{pixel[2 * number]} | std::int64_t{pixel[2 * number + 1]} << 8) / 64;
  };
  const std::int64_t times = ten ? 4 : 1;
  const Position half{p.x / 2, p.y / 2};
  const bool pairs = f.format != YuvFormat::i420;
  const std::int64_t y = sample(image.luma, p, 0) - (f.range == YuvRange::full ? 0 : 16 * times);
  const std::int64_t u = sample(image.chroma[0], half, 0) - 128 * times;
  const std::int64_t v = sample(image.chroma[pairs ? 0 : 1], half, pairs ? 1 : 0) - 128 * times;
  const std::int64_t sum = f.cy * y + (channel == 0   ? f.rv * v
                                       : channel == 1 ? f.gu * u + f.gv * v
                                                      : f.bu * u);
  const double rounded = std::floor(static_cast<double>(sum) / 65536 + 0.5);
  return std::clamp(rounded, 0.0, ten ? 1023.0 : 255.0);
}

TEST_CASE("frames become planes of RGB by the rule of yuv.hpp, and nothing else is written") {
  const Factors f = GENERATE(from_range(factors()));
  const Size size = GENERATE(Size{1, 1}, Size{6, 4}, Size{37, 21}, Size{130, 67});
  std::vector<YuvTurn> turns;
  add_all_yuv(turns, {f.format, f.matrix, f.range}, SampleType::float32, size);
  for (const YuvTurn& turn : turns) {
    std::vector<std::vector<unsigned char>> sources;
    std::vector<void*> from;
    for (const std::int64_t count : turn.src_bytes())
      sources.push_back(random_bytes(count, 80 + sources.size()));
    for (std::vector<unsigned char>& source : sources) from.push_back(source.data());
    std::vector<unsigned char> got = random_bytes(turn.dst_bytes()[0], 85);
    std::vector<unsigned char> wanted = got;
    PlanarFormat format;
    format.src_type = turn.format().src_type;
    format.channel = {2, 0, 1};
    yuv_to_planar(turn.image(from, {got.data()}), turn.rule, format);

    const YuvImage image = turn.image(from, {wanted.data()});
    for (int plane = 0; plane < 3; ++plane) {
      for (std::int64_t y = 0; y < image.dst.height; ++y) {
        for (std::int64_t x = 0; x < image.dst.width; ++x) {
          const Position at = source_of(turn.orientation, {x, y}, size);
          const auto value = static_cast<float>(
              channel_of(image, f, at, format.channel[static_cast<std::size_t>(plane)]));
          std::memcpy(static_cast<unsigned char*>(image.dst.data) + plane * image.dst.plane_pitch +
                          y * image.dst.pitch + x * 4,
                      &value, 4);
        }
      }
    }
    CHECK(turn.difference(0, got, wanted) == "");
  }
}

// The pixel of one luma and one pair of chroma samples.
std::vector<std::uint8_t> colour(YuvRule rule, std::uint8_t y, std::uint8_t u, std::uint8_t v) {
  const std::uint8_t chroma[2] = {u, v};
  std::vector<std::uint8_t> rgb(3);
  PlanarFormat format;
  format.dst_type = SampleType::uint8;
  YuvImage image;
  image.luma = {&y, 1, 1, 1, 1};
  image.chroma[0] = {chroma, 1, 1, 2, 2};
  image.dst = {rgb.data(), 1, 1, 1, 1};
  yuv_to_planar(image, rule, format);
  return rgb;
}

TEST_CASE("black, white and the colours of a test card have the values that they should") {
  using Rgb = std::vector<std::uint8_t>;
  const YuvMatrix matrix = GENERATE(YuvMatrix::bt601, YuvMatrix::bt709, YuvMatrix::bt2020);
  const YuvRule limited{YuvFormat::nv12, matrix, YuvRange::limited};
  const YuvRule full{YuvFormat::nv12, matrix, YuvRange::full};
  CHECK(colour(limited, 16, 128, 128) == Rgb{0, 0, 0});
  CHECK(colour(limited, 235, 128, 128) == Rgb{255, 255, 255});
  CHECK(colour(limited, 0, 128, 128) == Rgb{0, 0, 0});
  CHECK(colour(limited, 255, 128, 128) == Rgb{255, 255, 255});
  CHECK(colour(full, 0, 128, 128) == Rgb{0, 0, 0});
  CHECK(colour(full, 77, 128, 128) == Rgb{77, 77, 77});
  CHECK(colour(full, 255, 128, 128) == Rgb{255, 255, 255});
  // Red as each matrix encodes it.
  const std::uint8_t red[3][3] = {{81, 90, 240}, {63, 102, 240}, {74, 97, 240}};
  const std::uint8_t* of = red[static_cast<int>(matrix)];
  const Rgb got = colour(limited, of[0], of[1], of[2]);
  CHECK(got[0] >= 254);
  CHECK(got[1] <= 1);
  CHECK(got[2] <= 1);
}

struct Call {
  alignas(16) unsigned char src[256];
  alignas(16) unsigned char dst[256];
  YuvRule rule;
  YuvImage image{{src, 5, 3, 5, 1},
                 {{src + 64, 3, 2, 6, 2}, {src + 128, 3, 2, 3, 1}},
                 {dst, 3, 5, 4, 20},
                 Orientation::rotate90};
  PlanarFormat format;

  Call() { format.dst_type = SampleType::uint8; }
  void refused(const char* message) const {
    CHECK_THROWS_MATCHES(yuv_to_planar(image, rule, format), std::invalid_argument,
                         Message(message));
  }
};

TEST_CASE("frames that make no sense are refused before anything is written") {
  Call call;
  CHECK_NOTHROW(yuv_to_planar(call.image, call.rule, call.format));
  SECTION("types") {
    call.format.src_type = SampleType::uint16;
    call.refused("src_type is not uint8, which nv12 and i420 have");
    call.format.src_type = SampleType::uint8;
    call.rule.format = YuvFormat::p010;
    call.refused("src_type is not uint16, which p010 has");
    call.rule.format = static_cast<YuvFormat>(3);
    call.refused("the format, the matrix or the range of the rule is no such value");
  }
  SECTION("channels") {
    call.format.planes = 4;
    call.refused("plane 3 is made of channel 3, expected 0 to 2");
  }
  SECTION("shapes") {
    call.image.chroma[0].width = 2;
    call.refused("chroma 0 is 2x2, expected 3x2");
    call.rule.format = YuvFormat::i420;
    call.refused("chroma 0 has pixels of 2 bytes, expected 1");
    call.image.chroma[0] = {call.src + 64, 3, 2, 3, 1};
    call.image.chroma[1].height = 1;
    call.refused("chroma 1 is 3x1, expected 3x2");
    call.image.luma.pixel_bytes = 2;
    call.refused("luma has pixels of 2 bytes, expected 1");
  }
  SECTION("the destination") {
    call.image.dst.width = 5;
    call.refused("dst is 5x5, expected 3x5");
  }
  SECTION("memory that overlaps") {
    call.image.chroma[0].data = call.dst + 30;
    call.refused("src and plane 1 of dst overlap in memory");
  }
  SECTION("an image of a batch by its index") {
    YuvImage images[2] = {call.image, call.image};
    images[1].luma.width = 6;
    CHECK_THROWS_MATCHES(yuv_to_planar_batch(images, 2, call.rule, call.format),
                         std::invalid_argument, Message("image 1: dst is 3x5, expected 3x6"));
  }
}

TEST_CASE("an empty frame is a no-op") {
  YuvImage image;
  image.luma = {nullptr, 0, 4, 0, 1};
  image.chroma[0] = {nullptr, 0, 2, 0, 2};
  image.dst = {nullptr, 0, 4, 0, 0};
  CHECK_NOTHROW(yuv_to_planar(image, {}, {}));
}

}  // namespace
}  // namespace qturn::tests::yuv_test
