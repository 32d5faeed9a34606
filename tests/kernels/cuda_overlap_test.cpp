// Launches that overlap the kernel before them (programmatic dependent launch) must not touch what
// it reads and writes until it is done. Here the kernel before writes all that a call works on: the
// sources, the destinations, the descriptors. It is one of other libraries' kind, which lets the
// next kernel in at once and writes late; or it is one of ours, whose last blocks write what comes
// next.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_kernels.hpp"
#include "tests/kernels/device_planar.hpp"
#include "tests/kernels/device_planes.hpp"
#include "tests/kernels/device_turns.hpp"
#include "tests/kernels/device_uniform.hpp"

namespace qturn::tests::cuda_overlap_test {
namespace {

void need_overlap() {
  need_gpu();
  if (!foreign_kernels_overlap()) SKIP("kernels overlap only from compute capability 9.0 on");
}

auto foreign_copy(cudaStream_t stream) {
  return [stream](const void* from, void* to, std::int64_t bytes) {
    work_then_copy(from, to, bytes, stream);
  };
}

// Our own kernel, in order from the first byte to the last.
auto copy_of_ours(cudaStream_t stream) {
  return [stream](const void* from, void* to, std::int64_t bytes) {
    transform({from, bytes, 1, bytes, 1}, {to, bytes, 1, bytes, 1}, Orientation::identity, stream);
  };
}

// More than all blocks that are resident at once copy.
constexpr std::int64_t long_copy = 16 << 20;

template <class Item, class Enqueue>
void require_waiting_for_foreign(const std::vector<Item>& items, Stream& stream, Enqueue enqueue) {
  DevicePictures<Item> pictures(items);
  // Once alone: loading a kernel takes longer than the other one works.
  enqueue(pictures.images());
  stream.wait();
  const std::string wrong = pictures.difference();
  if (!wrong.empty()) FAIL("alone: " << wrong);
  const std::string early = pictures.difference_after(stream, foreign_copy(stream), enqueue);
  if (!early.empty()) FAIL("after a foreign kernel: " << early);
}

template <class Item, class Enqueue>
void require_waiting_for_ours(const std::vector<Item>& items, Stream& stream, Enqueue enqueue) {
  DevicePictures<Item> pictures(items, 2, long_copy);
  const std::string early = pictures.difference_after(stream, copy_of_ours(stream), enqueue);
  if (!early.empty()) FAIL("after a kernel of ours: " << early);
}

template <class Item, class Enqueue>
void require_waiting(const std::vector<Item>& items, Stream& stream, Enqueue enqueue) {
  require_waiting_for_foreign(items, stream, enqueue);
  require_waiting_for_ours(items, stream, enqueue);
}

// One by one, each after its own kernel; every third after one of ours too, which takes longer.
template <class Item, class Enqueue>
void require_each_waiting(const std::vector<Item>& items, Stream& stream, Enqueue enqueue) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    require_waiting_for_foreign(std::vector<Item>{items[i]}, stream, enqueue);
    if (i % 3 == 0) require_waiting_for_ours(std::vector<Item>{items[i]}, stream, enqueue);
  }
}

std::vector<Turn> turns_of(Size size, int pixel_bytes) {
  std::vector<Turn> turns;
  add_all_turns(turns, size, pixel_bytes);
  return turns;
}

const int some_pixel_sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 33};

TEST_CASE("single pictures wait for the kernel before", "[gpu]") {
  need_overlap();
  const int pixel_bytes =
      GENERATE(from_range(std::begin(some_pixel_sizes), std::end(some_pixel_sizes)));
  Stream stream;
  for (const Size size : {Size{144, 112}, Size{3, 300}, Size{304, 4}}) {
    require_each_waiting(
        turns_of(size, pixel_bytes), stream,
        [&](const std::vector<BatchImage>& images) { transform_each(images, stream); });
  }
}

TEST_CASE("turns in place wait for the kernel before", "[gpu]") {
  need_overlap();
  const int pixel_bytes =
      GENERATE(from_range(std::begin(some_pixel_sizes), std::end(some_pixel_sizes)));
  Stream stream;
  std::vector<TurnInPlace> turns;
  add_all_in_place(turns, {130, 130}, pixel_bytes);
  require_each_waiting(turns, stream, [&](const std::vector<TurnInPlace::Image>& images) {
    transform_each_in_place(images, stream);
  });
}

// `enqueue(images, count, workspace)` with the descriptors on the device. First the pictures come
// late, then the descriptors do.
template <class Item, class Enqueue>
void require_waiting_on_device(const std::vector<Item>& items, std::size_t workspace_bytes,
                               Stream& stream, Enqueue enqueue) {
  using Image = typename Item::Image;
  DeviceDescriptors<Image> descriptors(items.size(), workspace_bytes);
  const auto enqueue_all = [&] {
    enqueue(descriptors.images(), descriptors.count(), descriptors.workspace());
  };
  DevicePictures<Item> pictures(items);
  descriptors.set(pictures.images());
  enqueue_all();
  stream.wait();
  const std::string late_pictures = pictures.difference_after(
      stream, foreign_copy(stream), [&](const std::vector<Image>&) { enqueue_all(); });
  if (!late_pictures.empty()) FAIL("late pictures: " << late_pictures);

  pictures.fill(3);
  DeviceDescriptors<Image> staged(items.size(), 0);
  staged.set(pictures.images());
  descriptors.set(std::vector<Image>(items.size()));
  work_then_copy(staged.images(), const_cast<Image*>(descriptors.images()),
                 static_cast<std::int64_t>(items.size() * sizeof(Image)), stream);
  enqueue_all();
  stream.wait();
  const std::string late_descriptors = pictures.difference();
  if (!late_descriptors.empty()) FAIL("late descriptors: " << late_descriptors);

  // Two calls that share a workspace.
  DevicePictures<Item> others(items, 4);
  pictures.fill(5);
  staged.set(others.images());
  enqueue(descriptors.images(), descriptors.count(), descriptors.workspace());
  enqueue(staged.images(), staged.count(), descriptors.workspace());
  stream.wait();
  CHECK(pictures.difference() == "");
  CHECK(others.difference() == "");
}

TEST_CASE("batches wait for the kernel before", "[gpu]") {
  need_overlap();
  const int pixel_bytes =
      GENERATE(from_range(std::begin(some_pixel_sizes), std::end(some_pixel_sizes)));
  Stream stream;
  const std::vector<Turn> turns = turns_of({96, 80}, pixel_bytes);
  require_waiting(turns, stream, [&](const std::vector<BatchImage>& images) {
    transform_batch(images.data(), images.size(), stream);
  });
  require_waiting_on_device(turns, batch_workspace_bytes(turns.size()), stream,
                            [&](const BatchImage* images, std::size_t count, void* workspace) {
                              transform_batch(images, count, pixel_bytes, workspace, stream);
                            });
}

TEST_CASE("uniform batches wait for the kernel before", "[gpu]") {
  need_overlap();
  const int pixel_bytes =
      GENERATE(from_range(std::begin(some_pixel_sizes), std::end(some_pixel_sizes)));
  Stream stream;
  std::vector<UniformTurn> turns;
  add_all_uniform(turns, {96, 80}, pixel_bytes);
  require_each_waiting(turns, stream, [&](const std::vector<UniformBatch>& batches) {
    transform_each_batch(batches, stream);
  });
}

TEST_CASE("sets of planes wait for the kernel before", "[gpu]") {
  need_overlap();
  const PlanesKind kind = planes_kinds()[GENERATE(0u, 2u, 5u, 6u)];
  Stream stream;
  std::vector<PlanesTurn> turns;
  add_all_planes(turns, kind, {98, 66});
  require_waiting(turns, stream, [&](const std::vector<PlanesImage>& images) {
    transform_planes(images.data(), images.size(), stream);
  });
}

TEST_CASE("planar pictures wait for the kernel before", "[gpu]") {
  need_overlap();
  const PlanarKind kind = GENERATE(PlanarKind{SampleType::uint8, 3, SampleType::float16},
                                   PlanarKind{SampleType::uint8, 4, SampleType::float32},
                                   PlanarKind{SampleType::uint16, 1, SampleType::bfloat16},
                                   PlanarKind{SampleType::float32, 3, SampleType::float32});
  Stream stream;
  std::vector<PlanarTurn> turns;
  add_all_planar(turns, kind, {96, 72});
  require_each_waiting(turns, stream, [&](const std::vector<PlanarImage>& images) {
    to_planar(images[0].src, images[0].dst, images[0].orientation, kind.format(), stream);
  });
  require_waiting(turns, stream, [&](const std::vector<PlanarImage>& images) {
    to_planar_batch(images.data(), images.size(), kind.format(), stream);
  });
  require_waiting_on_device(turns, planar_workspace_bytes(turns.size()), stream,
                            [&](const PlanarImage* images, std::size_t count, void* workspace) {
                              to_planar_batch(images, count, kind.channels, kind.format(),
                                              workspace, stream);
                            });
}

}  // namespace
}  // namespace qturn::tests::cuda_overlap_test
