#include <qturn/batch.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <stdexcept>
#include <vector>

#include "tests/kernels/uniform_pictures.hpp"

namespace qturn::tests::batch_test {
namespace {

using Catch::Matchers::Message;

unsigned char source_memory[64];
unsigned char target_memory[64];

TEST_CASE("a uniform batch is every image turned as by definition") {
  const int pixel_bytes = GENERATE(1, 3, 4, 5);
  const std::int64_t count = GENERATE(1, 7);
  for (const Orientation orientation : all_orientations) {
    const UniformPlan plan{{19, 11, pixel_bytes, {3, 1}}, {5, 2, true}, orientation, count, 7, 13};
    const std::vector<unsigned char> src = plan.src_bytes();
    std::vector<unsigned char> dst = plan.dst_bytes();
    transform_batch(plan.in(src.data(), dst.data()));
    CHECK(plan.difference(dst) == "");
  }
}

TEST_CASE("a uniform batch goes backwards with negative strides") {
  const unsigned char src[6] = {1, 2, 3, 4, 5, 6};
  unsigned char dst[6] = {};
  transform_batch(
      UniformBatch{{src, 2, 1, 2, 1}, {dst + 4, 2, 1, 2, 1}, 2, -2, 3, Orientation::flop});
  CHECK(std::vector<unsigned char>(dst, dst + 6) == std::vector<unsigned char>{6, 5, 4, 3, 2, 1});
}

TEST_CASE("destinations of a uniform batch may lie between each other's rows") {
  const unsigned char src[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  unsigned char dst[8] = {};
  transform_batch(
      UniformBatch{{src, 2, 2, 2, 1}, {dst, 2, 2, 4, 1}, 4, 2, 2, Orientation::identity});
  CHECK(std::vector<unsigned char>(dst, dst + 8) ==
        std::vector<unsigned char>{1, 2, 5, 6, 3, 4, 7, 8});
}

TEST_CASE("destinations of a uniform batch that overlap are refused") {
  UniformBatch batch{{source_memory, 2, 2, 2, 1}, {target_memory, 2, 2, 2, 1}, 4, 3, 2,
                     Orientation::identity};
  CHECK_THROWS_MATCHES(transform_batch(batch), std::invalid_argument,
                       Message("destinations 3 bytes apart, 0 and 1 overlap in memory"));
  batch.dst_stride = 0;
  CHECK_THROWS_MATCHES(transform_batch(batch), std::invalid_argument,
                       Message("destinations 0 bytes apart, 0 and 1 overlap in memory"));
  batch.count = 1;
  CHECK_NOTHROW(transform_batch(batch));
}

TEST_CASE("a uniform batch of a wrong shape, orientation or number is refused, an empty one not") {
  UniformBatch batch;
  batch.src = {source_memory, 3, 2, 3, 1};
  batch.dst = {target_memory, 3, 2, 3, 1};
  batch.orientation = Orientation::rotate90;
  CHECK_THROWS_MATCHES(transform_batch(batch), std::invalid_argument,
                       Message("dst is 3x2, expected 2x3"));
  batch.orientation = static_cast<Orientation>(9);
  CHECK_THROWS_MATCHES(transform_batch(batch), std::invalid_argument,
                       Message("orientation is 9, expected 1 to 8"));
  batch.orientation = Orientation::flop;
  CHECK_NOTHROW(transform_batch(batch));
  batch.count = std::size_t{1} << 31;
  CHECK_THROWS_MATCHES(transform_batch(batch), std::invalid_argument,
                       Message("2147483648 images, expected fewer than 2^31"));
}

TEST_CASE("a batch of images and one of planes are each image turned") {
  const unsigned char src[4] = {1, 2, 3, 4};
  unsigned char dst[8] = {};
  const BatchImage images[2] = {{{src, 2, 2, 2, 1}, {dst, 2, 2, 2, 1}, Orientation::flop},
                                {{src, 2, 2, 2, 1}, {dst + 4, 2, 2, 2, 1}, Orientation::transpose}};
  transform_batch(images, 2);
  CHECK(std::vector<unsigned char>(dst, dst + 8) ==
        std::vector<unsigned char>{2, 1, 4, 3, 1, 3, 2, 4});

  unsigned char planes[6] = {};
  PlanesImage image;
  image.planes = 2;
  image.src[0] = {src, 2, 2, 2, 1};
  image.src[1] = {src, 1, 1, 2, 2};
  image.dst[0] = {planes, 2, 2, 2, 1};
  image.dst[1] = {planes + 4, 1, 1, 2, 2};
  image.orientation = Orientation::rotate90;
  transform_planes(&image, 1);
  CHECK(std::vector<unsigned char>(planes, planes + 6) ==
        std::vector<unsigned char>{3, 1, 4, 2, 1, 2});
}

TEST_CASE("a batch is refused with the number of the image, before anything is written") {
  const unsigned char src[2] = {1, 2};
  unsigned char dst[4] = {9, 9, 9, 9};
  BatchImage images[2] = {{{src, 2, 1, 2, 1}, {dst, 2, 1, 2, 1}, Orientation::flop},
                          {{src, 2, 1, 2, 1}, {dst + 2, 1, 2, 1, 1}, Orientation::flop}};
  CHECK_THROWS_MATCHES(transform_batch(images, 2), std::invalid_argument,
                       Message("image 1: dst is 1x2, expected 2x1"));
  CHECK_THROWS_MATCHES(transform_batch(nullptr, 1), std::invalid_argument,
                       Message("images at address 0"));
  PlanesImage planes;
  planes.orientation = static_cast<Orientation>(0);
  CHECK_THROWS_MATCHES(transform_planes(&planes, 1), std::invalid_argument,
                       Message("image 0: orientation is 0, expected 1 to 8"));
  CHECK(std::vector<unsigned char>(dst, dst + 4) == std::vector<unsigned char>{9, 9, 9, 9});
}

TEST_CASE("a batch made planar is each image made planar") {
  const unsigned char src[6] = {1, 2, 3, 4, 5, 6};  // 2 x 1 pixels of three channels
  float dst[12] = {};
  const PlanarImage images[2] = {{{src, 2, 1, 6, 3}, {dst, 2, 1, 8, 8}, Orientation::identity},
                                 {{src, 2, 1, 6, 3}, {dst + 6, 2, 1, 8, 8}, Orientation::flop}};
  to_planar_batch(images, 2, {});
  CHECK(std::vector<float>(dst, dst + 12) ==
        std::vector<float>{1, 4, 2, 5, 3, 6, 4, 1, 5, 2, 6, 3});
}

}  // namespace
}  // namespace qturn::tests::batch_test
