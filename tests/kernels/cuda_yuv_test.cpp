#include <qturn/cuda.hpp>
#include <qturn/yuv.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <vector>

#include "tests/kernels/device_pictures.hpp"
#include "tests/kernels/yuv_pictures.hpp"

namespace qturn::tests::cuda_yuv_test {
namespace {

using Catch::Matchers::Message;

void require_equal_to_cpu(const std::vector<YuvTurn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<YuvImage>& images) {
    yuv_to_planar_batch(images.data(), images.size(), turns.front().rule, turns.front().format(),
                        stream);
  });
}

TEST_CASE("frames of all formats, orientations, sizes and layouts become the CPU's planes",
          "[gpu][sanitizer]") {
  Stream stream;
  const YuvFormat format = GENERATE(YuvFormat::nv12, YuvFormat::p010, YuvFormat::i420);
  const YuvMatrix matrix = GENERATE(YuvMatrix::bt601, YuvMatrix::bt709, YuvMatrix::bt2020);
  const YuvRange range = GENERATE(YuvRange::limited, YuvRange::full);
  const SampleType type =
      GENERATE(SampleType::uint8, SampleType::float16, SampleType::bfloat16, SampleType::float32);
  std::vector<YuvTurn> turns;
  for (const Size size : {Size{1, 1}, Size{3, 7}, Size{2, 65}, Size{65, 2}, Size{32, 32},
                          Size{33, 31}, Size{64, 95}, Size{131, 70}}) {
    add_all_yuv(turns, {format, matrix, range}, type, size);
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("a large frame becomes the CPU's planes", "[gpu]") {
  Stream stream;
  const Orientation orientation = GENERATE(from_range(all_orientations));
  require_equal_to_cpu({{{}, SampleType::float16, {1921, 1079}, orientation, {}, {}, {}}}, stream);
}

TEST_CASE("more frames than a launch holds, and empty ones, all become planes", "[gpu]") {
  Stream stream;
  std::vector<YuvTurn> turns;
  for (int i = 0; i < 703; ++i) {
    turns.push_back({{},
                     SampleType::float32,
                     {i % 7, 5},
                     all_orientations[static_cast<std::size_t>(i % 8)],
                     {},
                     {},
                     {}});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("captured frames become planes again at every replay", "[gpu]") {
  Stream stream;
  std::vector<YuvTurn> turns;
  add_all_yuv(turns, {YuvFormat::i420}, SampleType::float16, {50, 34});
  check_replays(turns, stream, [&](const std::vector<YuvImage>& images) {
    yuv_to_planar_batch(images.data(), images.size(), turns[0].rule, turns[0].format(), stream);
  });
}

unsigned char memory[256];

TEST_CASE("no frames at all need no GPU") {
  YuvImage empty;
  empty.chroma[0].pixel_bytes = 2;
  CHECK_NOTHROW(yuv_to_planar_batch(nullptr, 0, {}, {}, nullptr));
  CHECK_NOTHROW(yuv_to_planar_batch(&empty, 1, {}, {}, nullptr));
}

TEST_CASE("frames that the CPU refuses are refused by the image's index, and without a GPU all") {
  YuvImage image;
  image.luma = {memory, 4, 2, 4, 1};
  image.chroma[0] = {memory + 16, 2, 1, 4, 2};
  image.dst = {memory + 64, 4, 2, 4, 8};
  PlanarFormat format;
  format.dst_type = SampleType::uint8;
  YuvImage images[2] = {image, image};
  images[1].chroma[0].width = 3;
  CHECK_THROWS_MATCHES(yuv_to_planar_batch(images, 2, {}, format, nullptr), std::invalid_argument,
                       Message("image 1: chroma 0 is 3x1, expected 2x1"));
  if (device_count() == 0)
    CHECK_THROWS_AS(yuv_to_planar_batch(&image, 1, {}, format, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests::cuda_yuv_test
