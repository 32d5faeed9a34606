// Calls beside a thread that captures a graph. The first call of a kernel in a process loads it, so
// this is a program of its own, of one case: other cases would have loaded the kernels before.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/kernels/device_planar.hpp"
#include "tests/kernels/device_planes.hpp"
#include "tests/kernels/device_turns.hpp"
#include "tests/kernels/device_uniform.hpp"

namespace qturn::tests::cuda_capture_test {
namespace {

/// A call whose memory is there.
struct Call {
  std::function<void(cudaStream_t)> enqueue;
  std::function<std::string()> difference;
};

template <class Item, class Enqueue>
Call prepared(std::vector<Item> items, Enqueue enqueue) {
  const auto pictures = std::make_shared<DevicePictures<Item>>(std::move(items));
  return {[=](cudaStream_t stream) { enqueue(pictures->images(), stream); },
          [=] { return pictures->difference(); }};
}

Call prepared_on_device(std::vector<Turn> turns, int pixel_bytes) {
  const auto descriptors = std::make_shared<DeviceDescriptors<BatchImage>>(
      turns.size(), batch_workspace_bytes(turns.size()));
  const auto pictures = std::make_shared<DevicePictures<Turn>>(std::move(turns));
  descriptors->set(pictures->images());
  return {[=](cudaStream_t stream) {
            transform_batch(descriptors->images(), descriptors->count(), pixel_bytes,
                            descriptors->workspace(), stream);
          },
          [=] { return pictures->difference(); }};
}

TEST_CASE("the first calls of a process leave alone what another thread captures", "[gpu]") {
  need_gpu();
  std::vector<Call> calls;
  for (const int pixel_bytes : {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 33}) {
    std::vector<Turn> turns;
    for (const Size size : {Size{69, 75}, Size{304, 4}, Size{3, 301}}) {
      add_all_turns(turns, size, pixel_bytes);
    }
    calls.push_back(prepared(turns, transform_each));
    calls.push_back(prepared(turns, [](const std::vector<BatchImage>& images, cudaStream_t stream) {
      transform_batch(images.data(), images.size(), stream);
    }));
    std::vector<TurnInPlace> in_place;
    add_all_in_place(in_place, {130, 130}, pixel_bytes);
    calls.push_back(prepared(in_place, transform_each_in_place));
    std::vector<UniformTurn> uniform;
    add_all_uniform(uniform, {67, 35}, pixel_bytes);
    calls.push_back(prepared(uniform, transform_each_batch));

    calls.push_back(prepared_on_device(turns, pixel_bytes));
  }
  for (const PlanesKind& kind : planes_kinds()) {
    std::vector<PlanesTurn> planes;
    add_all_planes(planes, kind, {131, 70});
    calls.push_back(
        prepared(planes, [](const std::vector<PlanesImage>& images, cudaStream_t stream) {
          transform_planes(images.data(), images.size(), stream);
        }));
  }
  for (const PlanarKind& kind : planar_kinds()) {
    std::vector<PlanarTurn> planar;
    add_all_planar(planar, kind, {67, 35});
    calls.push_back(
        prepared(planar, [kind](const std::vector<PlanarImage>& images, cudaStream_t stream) {
          to_planar_batch(images.data(), images.size(), kind.format(), stream);
        }));
  }

  Stream stream;
  Captured::beside([&] {
    for (const Call& call : calls) call.enqueue(stream);
  });
  stream.wait();
  for (const Call& call : calls) CHECK(call.difference() == "");
}

}  // namespace
}  // namespace qturn::tests::cuda_capture_test
