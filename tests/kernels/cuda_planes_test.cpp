#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_planes.hpp"

namespace qturn::tests::cuda_planes_test {
namespace {

using Catch::Matchers::Message;

void require_equal_to_cpu(const std::vector<PlanesTurn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<PlanesImage>& images) {
    transform_planes(images.data(), images.size(), stream);
  });
}

TEST_CASE("a quarter turn makes 4:4:0 of 4:2:2 and back, and of nothing else anything else") {
  for (const Orientation orientation : all_orientations) {
    const bool swaps = swaps_axes(orientation);
    CHECK(turned(Subsampling::yuv422, orientation) ==
          (swaps ? Subsampling::yuv440 : Subsampling::yuv422));
    CHECK(turned(Subsampling::yuv440, orientation) ==
          (swaps ? Subsampling::yuv422 : Subsampling::yuv440));
    CHECK(turned(Subsampling::yuv420, orientation) == Subsampling::yuv420);
    CHECK(turned(Subsampling::yuv444, orientation) == Subsampling::yuv444);
  }
}

TEST_CASE("chroma planes have halves rounded up, and turn with their luma") {
  STATIC_REQUIRE(chroma_size(Subsampling::yuv420, {7, 4}) == Size{4, 2});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv422, {7, 5}) == Size{4, 5});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv440, {7, 5}) == Size{7, 3});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv444, {7, 5}) == Size{7, 5});
  for (const Orientation orientation : all_orientations) {
    for (const Subsampling subsampling :
         {Subsampling::yuv444, Subsampling::yuv422, Subsampling::yuv440, Subsampling::yuv420}) {
      const Size luma{7, 12};
      CHECK(turned_size(orientation, chroma_size(subsampling, luma)) ==
            chroma_size(turned(subsampling, orientation), turned_size(orientation, luma)));
    }
  }
}

TEST_CASE("all planes of a picture are turned as the CPU turns them", "[gpu]") {
  Stream stream;
  const PlanesKind kind = GENERATE(from_range(planes_kinds()));
  std::vector<PlanesTurn> turns;
  for (const Size luma : {Size{1, 1}, Size{2, 2}, Size{31, 65}, Size{129, 64}, Size{257, 255}}) {
    add_all_planes(turns, kind, luma);
  }
  add_thin_planes(turns, 300, kind);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("every kernel for pixels of two sizes stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  for (const std::size_t kind : {0u, 2u}) {
    std::vector<PlanesTurn> turns;
    add_all_planes(turns, planes_kinds()[kind], {131, 70});
    add_all_planes(turns, planes_kinds()[kind], {64, 96});
    add_thin_planes(turns, 20, planes_kinds()[kind]);
    require_equal_to_cpu(turns, stream);
  }
}

TEST_CASE("more planes than a launch holds are all turned, and pictures without any left out",
          "[gpu]") {
  Stream stream;
  std::vector<PlanesTurn> turns;
  for (std::size_t i = 0; i < batch_images_in_a_launch; ++i) {
    const auto width = static_cast<std::int64_t>(1 + i % 9);
    turns.push_back({planes_kinds()[0], {width, 6}, all_orientations[i % 8], {}, {}});
    if (i % 100 == 0) turns.push_back({{"none", {}}, {4, 4}, Orientation::flip, {}, {}});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("captured planes are turned again at every replay, with the pixels of then", "[gpu]") {
  Stream stream;
  const PlanesKind kind = planes_kinds()[GENERATE(0u, 2u, 5u)];
  std::vector<PlanesTurn> turns;
  add_all_planes(turns, kind, {50, 34});
  check_replays(turns, stream, [&](const std::vector<PlanesImage>& images) {
    transform_planes(images.data(), images.size(), stream);
  });
}

unsigned char memory[4096];

PlanesImage small_image(int luma_bytes, int chroma_bytes) {
  PlanesImage image;
  image.planes = 2;
  image.src[0] = {memory, 4, 4, 4 * luma_bytes, luma_bytes};
  image.dst[0] = {memory + 512, 4, 4, 4 * luma_bytes, luma_bytes};
  image.src[1] = {memory + 1024, 2, 2, 2 * chroma_bytes, chroma_bytes};
  image.dst[1] = {memory + 1536, 2, 2, 2 * chroma_bytes, chroma_bytes};
  return image;
}

void turn_no_planes(cudaStream_t stream) {
  transform_planes(nullptr, 0, stream);
  const PlanesImage none;
  transform_planes(&none, 1, stream);
}

TEST_CASE("no pictures, and pictures without planes, need no GPU") {
  CHECK_NOTHROW(turn_no_planes(nullptr));
}

TEST_CASE("no pictures, and pictures without planes, enqueue nothing", "[gpu]") {
  Stream stream;
  CHECK(Captured(stream, [&] { turn_no_planes(stream); }).nodes() == 0);
}

TEST_CASE("a plane that transform() would refuse is refused by its place") {
  PlanesImage images[2] = {small_image(1, 2), small_image(1, 2)};
  images[1].dst[1].width = 3;
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 1, plane 1: dst is 3x2, expected 2x2"));
  images[0].dst[0].pixel_bytes = 2;
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 0, plane 0: dst has pixels of 2 bytes, expected 1"));
}

TEST_CASE("a number of planes out of range is refused") {
  PlanesImage image = small_image(1, 2);
  image.planes = 5;
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0 has 5 planes, expected 0 to 4"));
  image.planes = -1;
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0 has -1 planes, expected 0 to 4"));
}

TEST_CASE("pixels of two sizes that no launch is made for are refused with both") {
  const PlanesImage image = small_image(1, 3);
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0, plane 1 has pixels of 3 bytes beside 1, expected one "
                               "size, or 1 and 2, or 2 and 4"));
  const PlanesImage images[2] = {small_image(1, 2), small_image(2, 4)};
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 1, plane 1 has pixels of 4 bytes beside 1, expected one "
                               "size, or 1 and 2, or 2 and 4"));
}

TEST_CASE("pictures at address 0 are refused") {
  CHECK_THROWS_MATCHES(transform_planes(nullptr, 1, nullptr), std::invalid_argument,
                       Message("images at address 0"));
}

TEST_CASE("without a GPU planes say so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  const PlanesImage image = small_image(1, 2);
  CHECK_THROWS_AS(transform_planes(&image, 1, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests::cuda_planes_test
