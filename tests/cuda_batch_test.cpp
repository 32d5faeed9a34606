#include <qturn/batch.hpp>
#include <qturn/transform.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/device_memory.hpp"
#include "tests/pictures.hpp"

namespace qturn::tests {
namespace {

using Catch::Matchers::Message;

void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
}

struct Item {
  Plan src;
  Layout dst_layout;
  Orientation orientation;

  Plan dst() const {
    const Size turned = turned_size(orientation, {src.width, src.height});
    return {turned.width, turned.height, src.pixel_bytes, dst_layout};
  }
};

// All sources in one piece of memory, all destinations in another, so that a byte that belongs to a
// neighbour, or to nobody, is seen when it is written.
class Batch {
 public:
  explicit Batch(std::vector<Item> items)
      : items_(std::move(items)),
        src_(layout(false), 41),
        dst_(layout(true), 42),
        wanted_(dst_.bytes) {
    for (const BatchImage& image : images(src_.bytes.data(), wanted_.data())) {
      transform(image.src, image.dst, image.orientation);
    }
  }

  std::vector<BatchImage> device_images() const {
    return images(src_.device.data(), dst_.device.data());
  }

  // Where the memory is not what was wanted, said by the picture it is in.
  std::string difference() const {
    const auto got = dst_.device.download(static_cast<std::int64_t>(wanted_.size()));
    if (got == wanted_) return {};
    std::int64_t at = 0;
    for (const Item& item : items_) {
      const Plan dst = item.dst();
      const auto part = [&](const std::vector<unsigned char>& all) {
        return std::vector<unsigned char>(all.begin() + at, all.begin() + at + dst.buffer_bytes());
      };
      const std::string difference = first_difference(dst, part(got), part(wanted_));
      if (!difference.empty()) return describe(item.src, dst, item.orientation) + ": " + difference;
      at += place_bytes(dst);
    }
    return "a byte between two pictures";
  }

 private:
  struct Side {
    std::vector<unsigned char> bytes;
    DeviceMemory device;

    Side(std::int64_t count, std::uint64_t seed) : bytes(random_bytes(count, seed)), device(count) {
      device.upload(bytes);
    }
  };

  // Every picture begins at a multiple of 64, but for its own offset.
  static std::int64_t place_bytes(const Plan& plan) { return (plan.buffer_bytes() + 63) / 64 * 64; }

  std::int64_t layout(bool dst) const {
    std::int64_t bytes = 0;
    for (const Item& item : items_) bytes += place_bytes(dst ? item.dst() : item.src);
    return bytes + 1;
  }

  std::vector<BatchImage> images(const void* src, void* dst) const {
    std::vector<BatchImage> all;
    auto* from = static_cast<unsigned char*>(const_cast<void*>(src));
    auto* to = static_cast<unsigned char*>(dst);
    for (const Item& item : items_) {
      all.push_back({item.src.view_in(from), item.dst().view_in(to), item.orientation});
      from += place_bytes(item.src);
      to += place_bytes(item.dst());
    }
    return all;
  }

  std::vector<Item> items_;
  Side src_;
  Side dst_;
  std::vector<unsigned char> wanted_;
};

// Descriptors in device memory, and the workspace they need.
class OnDevice {
 public:
  explicit OnDevice(std::size_t count)
      : images_(static_cast<std::int64_t>(count * sizeof(BatchImage))),
        workspace_(static_cast<std::int64_t>(batch_workspace_bytes(count))),
        count_(count) {}

  void set(const std::vector<BatchImage>& images) {
    std::vector<unsigned char> bytes(images.size() * sizeof(BatchImage));
    std::memcpy(bytes.data(), images.data(), bytes.size());
    images_.upload(bytes);
  }
  void transform(int pixel_bytes, cudaStream_t stream) const {
    transform_batch(static_cast<const BatchImage*>(images_.data()), count_, pixel_bytes,
                    workspace_.data(), stream);
  }

 private:
  DeviceMemory images_;
  DeviceMemory workspace_;
  std::size_t count_;
};

void require_equal_to_cpu(const std::vector<Item>& items, Stream& stream) {
  {
    const Batch batch(items);
    const std::vector<BatchImage> images = batch.device_images();
    transform_batch(images.data(), images.size(), stream);
    stream.wait();
    const std::string difference = batch.difference();
    if (!difference.empty()) FAIL(difference);
  }
  const Batch batch(items);
  OnDevice descriptors(items.size());
  descriptors.set(batch.device_images());
  descriptors.transform(items.front().src.pixel_bytes, stream);
  stream.wait();
  const std::string difference = batch.difference();
  if (!difference.empty()) FAIL("from device memory: " + difference);
}

// Padding that makes rows a multiple of 16 bytes.
std::int64_t to_16(std::int64_t row_bytes) { return (16 - row_bytes % 16) % 16; }

// Every orientation of a picture, as it lies in memory in several ways.
void add_all(std::vector<Item>& items, Size size, int pixel_bytes) {
  for (Orientation orientation : all_orientations) {
    const std::int64_t src_row = size.width * pixel_bytes;
    const std::int64_t dst_row = turned_size(orientation, size).width * pixel_bytes;
    const auto add = [&](Layout src, Layout dst) {
      items.push_back({{size.width, size.height, pixel_bytes, src}, dst, orientation});
    };
    add({}, {});
    add({to_16(src_row), 16}, {to_16(dst_row) + 16, 32, true});
    add({pixel_bytes, pixel_bytes, true}, {3 * pixel_bytes, pixel_bytes});
    add({1, 3}, {2, 1});
  }
}

const int pixel_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  15,
                           16, 17, 24, 31, 32, 33, 48, 64, 96, 255, 256};

TEST_CASE("a batch of all orientations, sizes and layouts is what the CPU makes", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  Stream stream;
  const std::int64_t edges[] = {1, 7, 8, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257};
  const int count = static_cast<int>(std::size(edges));
  std::vector<Item> items;
  for (int i = 0; i < count; ++i) {
    for (int j : {i, (i + 5) % count}) {
      // The largest pixels in the largest pictures would show nothing new.
      if (edges[i] * edges[j] * pixel_bytes > 500'000) continue;
      add_all(items, {edges[i], edges[j]}, pixel_bytes);
    }
  }
  require_equal_to_cpu(items, stream);
}

TEST_CASE("one large picture among small ones is turned like them", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 3, 4, 5);
  Stream stream;
  std::vector<Item> items;
  for (int i = 0; i < 70; ++i) {
    const Orientation orientation = all_orientations[static_cast<std::size_t>(i % 8)];
    if (i == 35) items.push_back({{2051, 1033, pixel_bytes, {}}, {}, Orientation::rotate90});
    items.push_back({{16 + i, 90 - i, pixel_bytes, {}}, {}, orientation});
  }
  require_equal_to_cpu(items, stream);
}

TEST_CASE("every kernel for batches stays within its memory", "[gpu][sanitizer]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  Stream stream;
  std::vector<Item> items;
  add_all(items, {131, 70}, pixel_bytes);
  add_all(items, {16, 96}, pixel_bytes);
  require_equal_to_cpu(items, stream);
}

TEST_CASE("more images than a launch holds, and empty ones, are all turned", "[gpu]") {
  need_gpu();
  Stream stream;
  std::vector<Item> items;
  for (int i = 0; i < static_cast<int>(2 * batch_images_in_a_launch) + 3; ++i) {
    items.push_back(
        {{i % 7, 5 + i % 3, 2, {}}, {}, all_orientations[static_cast<std::size_t>(i % 8)]});
  }
  require_equal_to_cpu(items, stream);
}

TEST_CASE("a captured batch does its work again at every replay", "[gpu]") {
  need_gpu();
  Stream stream;
  std::vector<Item> items;
  add_all(items, {40, 30}, 3);
  const Batch batch(items);
  std::vector<BatchImage> images = batch.device_images();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transform_batch(images.data(), images.size(), stream);
  must(cudaStreamEndCapture(stream, &graph));
  images.clear();
  must(cudaGraphInstantiate(&replayable, graph, 0));
  must(cudaGraphLaunch(replayable, stream));
  must(cudaGraphLaunch(replayable, stream));
  stream.wait();
  CHECK(batch.difference() == "");
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("a captured batch with descriptors on the device is replayed with others", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 3, 4, 20);
  Stream stream;
  constexpr std::size_t count = 40;
  OnDevice descriptors(count);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  descriptors.transform(pixel_bytes, stream);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  for (std::size_t turn = 0; turn < 4; ++turn) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < count; ++i) {
      const auto side = static_cast<std::int64_t>(20 + 11 * i * turn % 150);
      items.push_back({{side, 70, pixel_bytes, {}}, {}, all_orientations[(i + turn) % 8]});
    }
    const Batch batch(items);
    descriptors.set(batch.device_images());
    must(cudaGraphLaunch(replayable, stream));
    stream.wait();
    CHECK(batch.difference() == "");
  }
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("descriptors on the device that fit nothing are left out", "[gpu]") {
  need_gpu();
  Stream stream;
  const Batch batch(
      {{{30, 20, 3, {}}, {}, Orientation::flop}, {{30, 20, 3, {}}, {}, Orientation::rotate90}});
  std::vector<BatchImage> images = batch.device_images();
  images.resize(6, images[1]);
  images[2].src.width = 29;
  images[3].orientation = Orientation::flip;
  images[4].src.pixel_bytes = 4;
  images[5].src.height = images[5].dst.width = -1;
  OnDevice descriptors(images.size());
  descriptors.set(images);
  descriptors.transform(3, stream);
  stream.wait();
  CHECK(batch.difference() == "");
}

TEST_CASE("an empty batch enqueues nothing, with or without a GPU") {
  CHECK_NOTHROW(transform_batch(nullptr, 0, nullptr));
  CHECK_NOTHROW(transform_batch(nullptr, 0, 3, nullptr, nullptr));
  const BatchImage empty{{nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90};
  CHECK_NOTHROW(transform_batch(&empty, 1, nullptr));
}

unsigned char memory[128];

BatchImage small_image(int pixel_bytes) {
  const std::int64_t pitch = 4 * pixel_bytes;
  return {{memory, 4, 3, pitch, pixel_bytes},
          {memory + 64, 4, 3, pitch, pixel_bytes},
          Orientation::flop};
}

TEST_CASE("an image of a batch that transform() would refuse is refused by its index") {
  BatchImage images[2] = {small_image(1), small_image(1)};
  images[1].orientation = Orientation::rotate90;
  CHECK_THROWS_MATCHES(transform_batch(images, 2, nullptr), std::invalid_argument,
                       Message("image 1: dst is 4x3, expected 3x4"));
  images[0].dst.data = memory + 1;
  CHECK_THROWS_MATCHES(transform_batch(images, 2, nullptr), std::invalid_argument,
                       Message("image 0: src 4x3 and dst 4x3 overlap in memory"));
}

TEST_CASE("pixels of two sizes in a batch are refused with both") {
  const BatchImage images[2] = {small_image(1), small_image(2)};
  CHECK_THROWS_MATCHES(transform_batch(images, 2, nullptr), std::invalid_argument,
                       Message("image 1 has pixels of 2 bytes, image 0 of 1"));
}

TEST_CASE("images at address 0 are refused") {
  CHECK_THROWS_MATCHES(transform_batch(nullptr, 1, nullptr), std::invalid_argument,
                       Message("images at address 0"));
}

TEST_CASE("what can be checked of descriptors on the device is checked") {
  const BatchImage image = small_image(1);
  alignas(16) unsigned char workspace[80];
  const auto refused = [&](const BatchImage* images, std::size_t count, int pixel_bytes, void* work,
                           const char* message) {
    CHECK_THROWS_MATCHES(transform_batch(images, count, pixel_bytes, work, nullptr),
                         std::invalid_argument, Message(message));
  };
  refused(&image, 1, 0, workspace, "pixels of 0 bytes, expected 1 to 256");
  refused(&image, 1, 257, workspace, "pixels of 257 bytes, expected 1 to 256");
  refused(&image, std::size_t{1} << 31, 1, workspace,
          "2147483648 images, expected fewer than 2^31");
  refused(nullptr, 1, 1, workspace, "images at address 0 or at no multiple of 8");
  refused(&image, 1, 1, nullptr, "workspace at address 0 or at no multiple of 16");
  refused(&image, 1, 1, workspace + 8, "workspace at address 0 or at no multiple of 16");
}

TEST_CASE("without a GPU a batch says so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  const BatchImage image = small_image(1);
  alignas(16) unsigned char workspace[80];
  CHECK_THROWS_AS(transform_batch(&image, 1, nullptr), CudaError);
  CHECK_THROWS_AS(transform_batch(&image, 1, 1, workspace, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests
