// What the calls for a GPU do with a number that is not an orientation. They refuse it before they
// ask for a GPU.
#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernels/device_memory.hpp"

namespace qturn::tests::cuda_orientation_test {
namespace {

using Catch::Matchers::Message;

const Orientation wrong = static_cast<Orientation>(0);
const std::string refusal = "orientation is 0, expected 1 to 8";

TEST_CASE("a number that is not an orientation is refused on a stream") {
  CHECK_THROWS_MATCHES(transform({}, {}, wrong, cudaStream_t{}), std::invalid_argument,
                       Message(refusal));
  CHECK_THROWS_MATCHES(transform_in_place({}, wrong, cudaStream_t{}), std::invalid_argument,
                       Message(refusal));
}

TEST_CASE("a number that is not an orientation is refused in batches, with the image") {
  BatchImage images[2];
  images[1].orientation = wrong;
  CHECK_THROWS_MATCHES(transform_batch(images, 2, cudaStream_t{}), std::invalid_argument,
                       Message("image 1: " + refusal));
  PlanesImage planes[2];
  planes[1].orientation = wrong;
  CHECK_THROWS_MATCHES(transform_planes(planes, 2, cudaStream_t{}), std::invalid_argument,
                       Message("image 1: " + refusal));
  PlanarImage planar[2];
  for (PlanarImage& image : planar) image.src.pixel_bytes = 3;
  planar[1].orientation = wrong;
  CHECK_THROWS_MATCHES(to_planar_batch(planar, 2, {}, cudaStream_t{}), std::invalid_argument,
                       Message("image 1: " + refusal));
  CHECK_THROWS_MATCHES(to_planar(planar[0].src, {}, wrong, {}, cudaStream_t{}),
                       std::invalid_argument, Message(refusal));
}

// Nobody can refuse what lies in device memory, so such an image is left out.
TEST_CASE("an image in device memory without an orientation is left out", "[gpu]") {
  if (device_count() == 0) SKIP("no GPU");
  Stream stream;
  DeviceMemory src(4);
  DeviceMemory dst(8);
  src.upload({1, 2, 3, 4});
  dst.upload(std::vector<unsigned char>(8, 9));
  auto* to = static_cast<unsigned char*>(dst.data());
  const BatchImage images[2] = {
      {{src.data(), 2, 2, 2, 1}, {to, 2, 2, 2, 1}, wrong},
      {{src.data(), 2, 2, 2, 1}, {to + 4, 2, 2, 2, 1}, Orientation::flop}};
  std::vector<unsigned char> bytes(sizeof(images));
  std::memcpy(bytes.data(), images, sizeof(images));
  DeviceMemory descriptors(static_cast<std::int64_t>(bytes.size()));
  DeviceMemory workspace(static_cast<std::int64_t>(batch_workspace_bytes(2)));
  descriptors.upload(bytes);
  transform_batch(static_cast<const BatchImage*>(descriptors.data()), 2, 1, workspace.data(),
                  stream);
  stream.wait();
  CHECK(dst.download(8) == std::vector<unsigned char>{9, 9, 9, 9, 2, 1, 4, 3});
}

}  // namespace
}  // namespace qturn::tests::cuda_orientation_test
