#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/kernels/device_turns.hpp"

namespace qturn::tests::cuda_batch_test {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::Message;
using Catch::Matchers::MessageMatches;

using Pictures = DevicePictures<Turn>;

struct Descriptors : DeviceDescriptors<BatchImage> {
  explicit Descriptors(std::size_t count)
      : DeviceDescriptors(count, batch_workspace_bytes(count)) {}

  void transform(int pixel_bytes, cudaStream_t stream) const {
    transform_batch(images(), count(), pixel_bytes, workspace(), stream);
  }
};

// With the descriptors in the call and on the device.
void require_equal_to_cpu(const std::vector<Turn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<BatchImage>& images) {
    transform_batch(images.data(), images.size(), stream);
  });
  Descriptors descriptors(turns.size());
  require_equal_to_cpu(turns, stream, [&](const std::vector<BatchImage>& images) {
    descriptors.set(images);
    descriptors.transform(turns.front().src.pixel_bytes, stream);
  });
}

TEST_CASE("a batch of all orientations, sizes and layouts is what the CPU makes", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  const std::int64_t edges[] = {1, 7, 8, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257};
  const int count = static_cast<int>(std::size(edges));
  std::vector<Turn> turns;
  for (int i = 0; i < count; ++i) {
    for (int j : {i, (i + 5) % count}) {
      // The largest pixels in the largest pictures would show nothing new.
      if (edges[i] * edges[j] * pixel_bytes > 500'000) continue;
      add_all_turns(turns, {edges[i], edges[j]}, pixel_bytes);
    }
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("a batch of single rows and columns is turned, whatever the pitch of a row says",
          "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  std::vector<Turn> turns;
  add_thin_turns(turns, 600, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("one large picture among small ones is turned like them", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 3, 4, 5);
  std::vector<Turn> turns;
  for (int i = 0; i < 70; ++i) {
    const Orientation orientation = all_orientations[static_cast<std::size_t>(i % 8)];
    if (i == 35) turns.push_back({{2051, 1033, pixel_bytes, {}}, {}, Orientation::rotate90});
    turns.push_back({{16 + i, 90 - i, pixel_bytes, {}}, {}, orientation});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("every kernel for batches stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  std::vector<Turn> turns;
  add_all_turns(turns, {131, 70}, pixel_bytes);
  add_all_turns(turns, {16, 96}, pixel_bytes);
  add_thin_turns(turns, 20, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("more images than a launch holds, and empty ones, are all turned", "[gpu]") {
  Stream stream;
  std::vector<Turn> turns;
  for (int i = 0; i < static_cast<int>(2 * batch_images_in_a_launch) + 3; ++i) {
    turns.push_back(
        {{i % 7, 5 + i % 3, 2, {}}, {}, all_orientations[static_cast<std::size_t>(i % 8)]});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("a captured batch does its work again at every replay", "[gpu]") {
  Stream stream;
  std::vector<Turn> turns;
  add_all_turns(turns, {40, 30}, 3);
  check_replays(turns, stream, [&](const std::vector<BatchImage>& images) {
    transform_batch(images.data(), images.size(), stream);
  });
}

TEST_CASE("a captured batch with descriptors on the device is replayed with others", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 3, 4, 20);
  constexpr std::size_t count = 40;
  Descriptors descriptors(count);
  Captured work(stream, [&] { descriptors.transform(pixel_bytes, stream); });
  for (std::size_t turn = 0; turn < 4; ++turn) {
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < count; ++i) {
      const auto side = static_cast<std::int64_t>(20 + 11 * i * turn % 150);
      turns.push_back({{side, 70, pixel_bytes, {}}, {}, all_orientations[(i + turn) % 8]});
    }
    const Pictures pictures(turns);
    descriptors.set(pictures.images());
    work.replay();
    CHECK(pictures.difference() == "");
  }
}

TEST_CASE("descriptors on the device that fit nothing are left out", "[gpu]") {
  Stream stream;
  const Pictures pictures(
      {{{30, 20, 3, {}}, {}, Orientation::flop}, {{30, 20, 3, {}}, {}, Orientation::rotate90}});
  std::vector<BatchImage> images = pictures.images();
  images.resize(6, images[1]);
  images[2].src.width = 29;
  images[3].orientation = Orientation::flip;
  images[4].src.pixel_bytes = 4;
  images[5].src.height = images[5].dst.width = -1;
  Descriptors descriptors(images.size());
  descriptors.set(images);
  descriptors.transform(3, stream);
  stream.wait();
  CHECK(pictures.difference() == "");
}

void turn_no_images(cudaStream_t stream) {
  transform_batch(nullptr, 0, stream);
  transform_batch(nullptr, 0, 3, nullptr, stream);
  const BatchImage empty{{nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90};
  transform_batch(&empty, 1, stream);
}

TEST_CASE("an empty batch needs no GPU") { CHECK_NOTHROW(turn_no_images(nullptr)); }

TEST_CASE("an empty batch enqueues nothing", "[gpu]") {
  Stream stream;
  CHECK(Captured(stream, [&] { turn_no_images(stream); }).nodes() == 0);
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

// Of 2^50 bytes, which nobody has. Nothing may be read at its addresses.
BatchImage immense_image() {
  constexpr std::int64_t side = std::int64_t{1} << 25;
  constexpr std::uintptr_t src = 4096, dst = std::uintptr_t{1} << 52;
  return {{reinterpret_cast<const void*>(src), side, side, side, 1},
          {reinterpret_cast<void*>(dst), side, side, side, 1},
          Orientation::flop};
}

TEST_CASE("an image of more tiles than a launch has is refused") {
  const BatchImage image = immense_image();
  const auto names_the_limit = MessageMatches(EndsWith(" tiles, expected up to 2147483647"));
  CHECK_THROWS_MATCHES(transform_batch(&image, 1, nullptr), std::invalid_argument, names_the_limit);
  const UniformBatch uniform{image.src, image.dst, 0, 0, 1, image.orientation};
  CHECK_THROWS_MATCHES(transform_batch(uniform, nullptr), std::invalid_argument, names_the_limit);
}

TEST_CASE("descriptors on the device of more tiles than any memory has do nothing, and end",
          "[gpu]") {
  Stream stream;
  constexpr std::int64_t bytes = 12;
  const std::vector<unsigned char> before(bytes, 77);
  DeviceMemory src(bytes), dst(bytes);
  src.upload(std::vector<unsigned char>(bytes, 5));
  dst.upload(before);
  std::vector<BatchImage> images(3);
  images[0] = {{src.data(), 4, 3, 4, 1}, {dst.data(), 4, 3, 4, 1}, Orientation::flop};
  images[1] = images[2] = immense_image();
  Descriptors descriptors(images.size());
  descriptors.set(images);
  descriptors.transform(1, stream);
  stream.wait();
  CHECK(dst.download(bytes) == before);
  images[1].src.width = images[2].src.width = 0;
  descriptors.set(images);
  descriptors.transform(1, stream);
  stream.wait();
  CHECK(dst.download(bytes) == src.download(bytes));
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
}  // namespace qturn::tests::cuda_batch_test
