#include <qturn/cpu.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/src/cpu/half.hpp"
#include "tests/kernels/planar_pictures.hpp"

namespace qturn::tests::planar_test {
namespace {

using Catch::Matchers::Message;

PlanarFormat imagenet() {
  PlanarFormat format;
  format.scale = 1 / 255.0;
  format.mean = {0.485, 0.456, 0.406};
  format.deviation = {0.229, 0.224, 0.225};
  return format;
}

// One row of `count` pixels to planes of one row.
template <class To, class From>
std::vector<To> converted(const std::vector<From>& samples, int channels, PlanarFormat format) {
  const auto width = static_cast<std::int64_t>(samples.size()) / channels;
  const int pixel_bytes = channels * static_cast<int>(sizeof(From));
  std::vector<To> planes(static_cast<std::size_t>(width * format.planes));
  const auto row = static_cast<std::int64_t>(width * static_cast<std::int64_t>(sizeof(To)));
  to_planar({samples.data(), width, 1, width * pixel_bytes, pixel_bytes},
            {planes.data(), width, 1, row, row}, Orientation::identity, format);
  return planes;
}

// From exact rational arithmetic in Python, rounded once to binary32, then to binary16.
TEST_CASE("normalised bytes are the numbers nearest to the formula's") {
  struct Row {
    std::uint8_t byte;
    std::uint32_t as_float[3];
    std::uint16_t as_half[3];
  };
  const Row rows[] = {
      {0, {0xc0078bbd, 0xc0024925, 0xbfe6f809}, {0xc03c, 0xc012, 0xbf38}},
      {1, {0xc006732b, 0xc0012a4f, 0xbfe4bcea}, {0xc034, 0xc009, 0xbf26}},
      {128, {0x3d97af20, 0x3e521b40, 0x3eda5d34}, {0x2cbd, 0x3291, 0x36d3}},
      {255, {0x400fee1d, 0x401b6db7, 0x4028f5c2}, {0x407f, 0x40db, 0x4148}},
  };
  PlanarFormat format = imagenet();
  for (const Row& row : rows) {
    const std::vector<std::uint8_t> pixel(3, row.byte);
    format.dst_type = SampleType::float32;
    CHECK(converted<std::uint32_t>(pixel, 3, format) ==
          std::vector<std::uint32_t>(row.as_float, row.as_float + 3));
    format.dst_type = SampleType::float16;
    CHECK(converted<std::uint16_t>(pixel, 3, format) ==
          std::vector<std::uint16_t>(row.as_half, row.as_half + 3));
  }
}

#ifdef __aarch64__
using Half = __fp16;  // g++ 12 has it by this name alone
#else
using Half = _Float16;
#endif

TEST_CASE("halves are what the compiler's own are") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
    const float value = float_of_half(static_cast<std::uint16_t>(bits));
    const auto wanted = static_cast<float>(half);
    if (std::isnan(wanted)
            ? !std::isnan(value)
            : std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(wanted)) {
      FAIL("half " << bits << " is " << wanted << ", got " << value);
    }
  }
  // A prime step meets all exponents and, within a few of them, ties.
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 509) {
    for (std::uint64_t near : {bits, bits & ~std::uint64_t{0xfff}, bits & ~std::uint64_t{0x1fff}}) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(near));
      const std::uint16_t wanted =
          std::isnan(value) ? half_nan : std::bit_cast<std::uint16_t>(static_cast<Half>(value));
      if (half_of(value) != wanted) {
        FAIL("float " << near << " is half " << wanted << ", got " << half_of(value));
      }
    }
  }
}

TEST_CASE("a bfloat16 is the nearer of the two around a float, the even one if neither is") {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 509) {
    for (std::uint64_t near : {bits, (bits & ~std::uint64_t{0x7fff}), bits | 0x8000}) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(near));
      const std::uint16_t got = bfloat16_of(value);
      if (std::isnan(value)) {
        if (got != half_nan) FAIL("NaN " << near << " became " << got);
        continue;
      }
      // Integers of the size of the bits are as far apart as the numbers are, within an exponent
      // and to the next one.
      const auto cut = static_cast<std::uint32_t>(near) & 0xffff;
      const auto down = static_cast<std::uint16_t>(near >> 16);
      const bool up = cut > 0x8000 || (cut == 0x8000 && down % 2 == 1);
      const auto wanted = static_cast<std::uint16_t>(down + (up ? 1 : 0));
      if (got != wanted) FAIL("float " << near << " is bfloat16 " << wanted << ", got " << got);
    }
  }
}

TEST_CASE("infinities, zeros of both signs and subnormal numbers stay, any NaN is the same one") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> samples{infinity, -infinity, 0.0f, -0.0f, 0x1p-149f, nan, -nan};
  PlanarFormat format;
  format.src_type = SampleType::float32;
  format.planes = 1;
  CHECK(
      converted<std::uint32_t>(samples, 1, format) ==
      std::vector<std::uint32_t>{0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x7fffffff, 0x7fffffff});
  format.dst_type = SampleType::float16;
  CHECK(converted<std::uint16_t>(samples, 1, format) ==
        std::vector<std::uint16_t>{0x7c00, 0xfc00, 0, 0x8000, 0, 0x7fff, 0x7fff});
  CHECK(converted<std::uint16_t>(std::vector<float>{65519, 65520, -65520}, 1, format) ==
        std::vector<std::uint16_t>{0x7bff, 0x7c00, 0xfc00});
  format.dst_type = SampleType::bfloat16;
  CHECK(converted<std::uint16_t>(samples, 1, format) ==
        std::vector<std::uint16_t>{0x7f80, 0xff80, 0, 0x8000, 0, 0x7fff, 0x7fff});
}

TEST_CASE("planes are made of the channels that they name") {
  const std::vector<std::uint8_t> rgba{1, 2, 3, 4, 11, 12, 13, 14};
  PlanarFormat format;
  CHECK(converted<float>(rgba, 4, format) == std::vector<float>{1, 11, 2, 12, 3, 13});
  format.channel = {2, 1, 0};
  CHECK(converted<float>(rgba, 4, format) == std::vector<float>{3, 13, 2, 12, 1, 11});
  format.planes = 4;
  format.channel = {3, 3, 0, 2};
  CHECK(converted<float>(rgba, 4, format) == std::vector<float>{4, 14, 4, 14, 1, 11, 3, 13});
  format.planes = 3;
  format.channel = {0, 0, 0};
  CHECK(converted<float>(std::vector<std::uint8_t>{5, 6}, 1, format) ==
        std::vector<float>{5, 6, 5, 6, 5, 6});
}

TEST_CASE("bytes become planes of bytes as they are, whatever their orientation") {
  const Orientation orientation = GENERATE(from_range(all_orientations));
  const Size size{19, 7};
  const Size turned = turned_size(orientation, size);
  const std::vector<unsigned char> picture = random_bytes(size.width * size.height * 3, 73);
  std::vector<unsigned char> planes(picture.size());
  PlanarFormat format;
  format.dst_type = SampleType::uint8;
  to_planar(
      {picture.data(), size.width, size.height, size.width * 3, 3},
      {planes.data(), turned.width, turned.height, turned.width, turned.width * turned.height},
      orientation, format);
  std::size_t i = 0;
  for (std::int64_t c = 0; c < 3; ++c) {
    for (std::int64_t y = 0; y < turned.height; ++y) {
      for (std::int64_t x = 0; x < turned.width; ++x, ++i) {
        const Position at = source_of(orientation, {x, y}, size);
        const auto from = static_cast<std::size_t>((at.y * size.width + at.x) * 3 + c);
        if (planes[i] != picture[from]) FAIL("plane " << c << " x=" << x << " y=" << y);
      }
    }
  }
}

TEST_CASE("bytes are rounded to the nearest, ties to even, and limited; what is no number is 0") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> samples{-infinity,      -1e30f,   -0.6f, -0.5f,  -0.0f, 0.5f,
                                   0x1.000002p-1f, 1.5f,     2.5f,  254.5f, 255,   255.5,
                                   1e30f,          infinity, nan,   -nan};
  PlanarFormat format;
  format.src_type = SampleType::float32;
  format.dst_type = SampleType::uint8;
  format.planes = 1;
  CHECK(converted<std::uint8_t>(samples, 1, format) ==
        std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 1, 2, 2, 254, 255, 255, 255, 255, 0, 0});
  format.src_type = SampleType::float16;
  CHECK(converted<std::uint8_t>(std::vector<std::uint16_t>{0x3e00, 0x4100, 0x7c00, 0xfc00, 0x7e00},
                                1, format) == std::vector<std::uint8_t>{2, 2, 255, 0, 0});
  format.src_type = SampleType::uint16;
  format.scale = 1 / 257.0;
  CHECK(converted<std::uint8_t>(std::vector<std::uint16_t>{0, 128, 129, 65407, 65535}, 1, format) ==
        std::vector<std::uint8_t>{0, 0, 1, 255, 255});
  // All bytes, halved: each odd one is a tie.
  std::vector<std::uint8_t> bytes(256), halved(256);
  for (std::size_t i = 0; i < 256; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
    halved[i] = static_cast<std::uint8_t>(std::lrint(static_cast<double>(i) / 2));
  }
  format.src_type = SampleType::uint8;
  format.scale = 0.5;
  CHECK(converted<std::uint8_t>(bytes, 1, format) == halved);
}

TEST_CASE("uint16 and half samples are read as what they are") {
  PlanarFormat format;
  format.planes = 1;
  format.src_type = SampleType::uint16;
  CHECK(converted<float>(std::vector<std::uint16_t>{0, 1, 65535}, 1, format) ==
        std::vector<float>{0, 1, 65535});
  format.src_type = SampleType::float16;
  CHECK(converted<float>(std::vector<std::uint16_t>{0x3c00, 0xc000, 0x7bff, 1}, 1, format) ==
        std::vector<float>{1, -2, 65504, 0x1p-24f});
}

TEST_CASE("each pixel comes from where its orientation says, and nothing else is written") {
  const Orientation orientation = GENERATE(from_range(all_orientations));
  const bool upside_down = GENERATE(false, true);
  const Plan src{5, 3, 3, {2, 1, upside_down}};
  const std::vector<unsigned char> pixels = random_bytes(src.buffer_bytes(), 71);
  const ConstView from = src.view_in(const_cast<unsigned char*>(pixels.data()));
  const Size size = turned_size(orientation, {5, 3});
  const PlanarPlan dst{size.width, size.height, 2, 4, {8, 4, !upside_down}, 12};
  std::vector<unsigned char> got = random_bytes(dst.buffer_bytes(), 72);
  std::vector<unsigned char> wanted = got;

  PlanarFormat format;
  format.planes = 2;
  format.channel = {2, 0};
  format.scale = 2;
  format.mean = {3, 4};
  to_planar(from, dst.view_in(got.data()), orientation, format);

  const PlanarView planes = dst.view_in(wanted.data());
  for (int c = 0; c < 2; ++c) {
    for (std::int64_t y = 0; y < size.height; ++y) {
      for (std::int64_t x = 0; x < size.width; ++x) {
        const Position at = source_of(orientation, {x, y}, {5, 3});
        const auto sample = static_cast<float>(2 * pixel_at(from, at)[c == 0 ? 2 : 0] - 3 - c);
        std::memcpy(static_cast<unsigned char*>(planes.data) + c * planes.plane_pitch +
                        y * planes.pitch + x * 4,
                    &sample, 4);
      }
    }
  }
  CHECK(first_difference(dst, 0, got, wanted) == "");
}

TEST_CASE("planes become pixels, each where its orientation says, and nothing else is written") {
  const Orientation orientation = GENERATE(from_range(all_orientations));
  const int bytes = GENERATE(1, 2, 4);
  const int planes = GENERATE(1, 2, 3, 4);
  const bool upside_down = GENERATE(false, true);
  const Size size{5, 300 / planes};
  const PlanarPlan src{size.width, size.height, planes, bytes, {bytes, 8, upside_down}, 3 * bytes};
  std::vector<unsigned char> samples = random_bytes(src.buffer_bytes(), 74);
  const PlanarView from = src.view_in(samples.data());
  const Size turned = turned_size(orientation, size);
  const Plan dst{turned.width, turned.height, planes * bytes, {bytes, 4, !upside_down}};
  std::vector<unsigned char> got = random_bytes(dst.buffer_bytes(), 75);
  std::vector<unsigned char> wanted = got;
  from_planar(from, planes, dst.view_in(got.data()), orientation);

  const View to = dst.view_in(wanted.data());
  for (std::int64_t y = 0; y < turned.height; ++y) {
    for (std::int64_t x = 0; x < turned.width; ++x) {
      const Position at = source_of(orientation, {x, y}, size);
      for (int c = 0; c < planes; ++c) {
        std::memcpy(
            static_cast<unsigned char*>(to.data) + y * to.pitch + x * to.pixel_bytes + c * bytes,
            static_cast<unsigned char*>(from.data) + c * from.plane_pitch + at.y * from.pitch +
                at.x * bytes,
            static_cast<std::size_t>(bytes));
      }
    }
  }
  CHECK(first_difference(dst, got, wanted) == "");
}

TEST_CASE("planes that cannot become pixels are refused before anything is written") {
  alignas(16) unsigned char planes[256];
  alignas(16) unsigned char pixels[256];
  PlanarView from{planes, 4, 2, 4, 8};
  View to{pixels, 2, 4, 6, 3};
  int count = 3;
  const auto refused = [&](const char* message) {
    CHECK_THROWS_MATCHES(from_planar(from, count, to, Orientation::rotate90), std::invalid_argument,
                         Message(message));
  };
  SECTION("numbers of planes") {
    count = 5;
    refused("src has 5 planes, expected 1 to 4");
    count = 2;
    refused("dst has pixels of 3 bytes, expected 2 samples of 1, 2 or 4");
    to.pixel_bytes = 24;
    refused("dst has pixels of 24 bytes, expected 2 samples of 1, 2 or 4");
  }
  SECTION("shapes") {
    to.width = 3;
    refused("dst is 3x4, expected 2x4");
    to.width = std::int64_t{1} << 31;
    from.height = to.width;
    refused("src is 4x2147483648, expected sides below 2^31");
  }
  SECTION("addresses and pitches") {
    to.pixel_bytes = 6;
    to.pitch = 13;
    refused("dst has a pitch of 13, expected a multiple of 2");
    from.plane_pitch = 9;
    to.pitch = 14;
    refused("src has a plane pitch of 9, expected a multiple of 2");
    from.data = planes + 1;
    refused("src lies at an address that modulo 16 is 1, expected a multiple of 2");
  }
  SECTION("memory that overlaps") {
    to.data = planes + 12;
    refused("plane 1 of src and dst overlap in memory");
    to.pitch = 5;
    refused("dst has a pitch of 5, expected at least 6 either way");
  }
  SECTION("an image of a batch by its index") {
    InterleavedImage images[2] = {{from, to, Orientation::rotate90},
                                  {from, to, Orientation::rotate90}};
    images[1].dst.pixel_bytes = 6;
    images[1].dst.pitch = 12;
    CHECK_THROWS_MATCHES(from_planar_batch(images, 2, 3), std::invalid_argument,
                         Message("image 1: dst has samples of 2 bytes, image 0 has 1"));
  }
}

struct Call {
  alignas(16) unsigned char src[256];
  alignas(16) unsigned char dst[1024];
  ConstView from{src, 4, 2, 12, 3};
  PlanarView to{dst, 4, 2, 16, 32};
  Orientation orientation = Orientation::flop;
  PlanarFormat format;

  void refused(const char* message) const {
    CHECK_THROWS_MATCHES(to_planar(from, to, orientation, format), std::invalid_argument,
                         Message(message));
  }
};

TEST_CASE("what makes no sense is refused before anything is written") {
  Call call;
  SECTION("shapes") {
    call.orientation = Orientation::rotate90;
    call.refused("dst is 4x2, expected 2x4");
  }
  SECTION("pixels that are not samples") {
    call.from.pixel_bytes = 5;
    call.refused("src has pixels of 5 bytes, expected 1 to 4 samples of 1");
    call.format.src_type = SampleType::uint16;
    call.from.pixel_bytes = 3;
    call.refused("src has pixels of 3 bytes, expected 1 to 4 samples of 2");
  }
  SECTION("types") {
    call.format.src_type = SampleType::bfloat16;
    call.from.pixel_bytes = 6;
    call.refused("src_type is not one of uint8, uint16, float16 and float32");
    call.format.src_type = SampleType::uint8;
    call.from.pixel_bytes = 3;
    call.format.dst_type = SampleType::uint16;
    call.refused("dst_type is not one of uint8, float16, bfloat16 and float32");
  }
  SECTION("numbers of planes") {
    call.format.planes = 0;
    call.refused("dst has 0 planes, expected 1 to 4");
    call.format.planes = 5;
    call.refused("dst has 5 planes, expected 1 to 4");
  }
  SECTION("channels that the source has not") {
    call.format.channel[1] = 3;
    call.refused("plane 1 is made of channel 3, expected 0 to 2");
    call.format.channel[1] = -1;
    call.refused("plane 1 is made of channel -1, expected 0 to 2");
  }
  SECTION("a deviation of 0") {
    call.format.deviation[2] = 0;
    call.refused(
        "plane 2 has scale 1.000000, mean 0.000000 and deviation 0.000000, and their quotients are "
        "not finite");
  }
  SECTION("addresses and pitches that are not multiples of samples") {
    call.to.data = call.dst + 2;
    call.refused("dst lies at an address that modulo 16 is 2, expected a multiple of 4");
    call.to.data = call.dst;
    call.to.pitch = 18;
    call.refused("dst has a pitch of 18, expected a multiple of 4");
    call.to.pitch = 16;
    call.to.plane_pitch = 34;
    call.refused("dst has a plane pitch of 34, expected a multiple of 4");
    call.format.src_type = SampleType::uint16;
    call.from = {call.src + 1, 4, 2, 24, 6};
    call.refused("src lies at an address that modulo 16 is 1, expected a multiple of 2");
  }
  SECTION("rows, planes and pictures that overlap") {
    call.to.pitch = 12;
    call.refused("dst has a pitch of 12, expected at least 16 either way");
    call.to.pitch = 16;
    call.to.plane_pitch = 28;
    call.refused("planes 0 and 1 of dst overlap in memory");
    call.to.plane_pitch = 32;
    call.from.data = call.dst + 70;
    call.refused("src and plane 2 of dst overlap in memory");
  }
  SECTION("views without memory or with a negative size") {
    call.to.data = nullptr;
    call.refused("dst is 4x2 at address 0");
    call.to.data = call.dst;
    call.from.width = -1;
    call.refused("src is -1x2, expected no less than 0x0");
  }
}

TEST_CASE("an empty picture is a no-op for planes") {
  CHECK_NOTHROW(to_planar({nullptr, 0, 3, 0, 3}, {nullptr, 3, 0, 0, 0}, Orientation::rotate90, {}));
}

TEST_CASE("a number that is not an orientation is refused for planes") {
  CHECK_THROWS_MATCHES(
      to_planar({nullptr, 0, 3, 0, 3}, {nullptr, 3, 0, 0, 0}, static_cast<Orientation>(9), {}),
      std::invalid_argument, Message("orientation is 9, expected 1 to 8"));
}

}  // namespace
}  // namespace qturn::tests::planar_test
