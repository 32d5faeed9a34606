#include <qturn/cpu.hpp>
#include <qturn/cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_turns.hpp"

namespace qturn::tests::cuda_in_place_test {
namespace {

using Catch::Matchers::Message;

void require_equal_to_cpu(const std::vector<TurnInPlace>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<TurnInPlace::Image>& images) {
    transform_each_in_place(images, stream);
  });
}

TEST_CASE("the GPU turns squares in place as the CPU does, at sizes around the edges of tiles",
          "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  std::vector<TurnInPlace> turns;
  for (std::int64_t side :
       {1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130, 191, 192, 257}) {
    // The largest pixels have the smallest tiles.
    if (side * side * pixel_bytes <= 1'100'000) add_all_in_place(turns, {side, side}, pixel_bytes);
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("the GPU mirrors in place as the CPU does, whatever the size", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  std::vector<TurnInPlace> turns;
  for (const Size size :
       {Size{1, 50}, Size{50, 1}, Size{2, 2}, Size{3, 7}, Size{16, 64}, Size{33, 31}, Size{341, 12},
        Size{1359, 5}, Size{4080, 3}, Size{4096, 4}, Size{8177, 3}, Size{7, 700}}) {
    add_all_in_place(turns, size, pixel_bytes);
  }
  add_thin_in_place(turns, 600, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("every kernel that works in place stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  std::vector<TurnInPlace> turns;
  for (std::int64_t side : {64, 99}) add_all_in_place(turns, {side, side}, pixel_bytes);
  add_thin_in_place(turns, 20, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("large squares are turned in place", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 3, 4, 16);
  for (const std::int64_t side : {2048, 2049}) {
    std::vector<TurnInPlace> turns;
    for (const Orientation orientation : all_orientations) {
      turns.push_back({{side, side, pixel_bytes, {}}, orientation});
    }
    require_equal_to_cpu(turns, stream);
  }
}

TEST_CASE("a captured turn in place undoes and redoes itself at every replay", "[gpu]") {
  Stream stream;
  const Orientation orientation = GENERATE(Orientation::rotate270, Orientation::rotate180);
  const Plan plan{65, 65, 3, {}};
  std::vector<unsigned char> wanted = random_bytes(plan.buffer_bytes(), 32);
  DeviceMemory device(plan.buffer_bytes());
  device.upload(wanted);
  Captured turn(stream,
                [&] { transform_in_place(plan.view_in(device.data()), orientation, stream); });
  for (int i = 0; i < 3; ++i) {
    turn.replay();
    transform_in_place(plan.view_in(wanted.data()), orientation);
    CHECK(first_difference(plan, device.download(plan.buffer_bytes()), wanted) == "");
  }
}

void turn_nothing_in_place(cudaStream_t stream) {
  transform_in_place({nullptr, 0, 0, 0, 3}, Orientation::rotate90, stream);
  transform_in_place({nullptr, 0, 5, 0, 3}, Orientation::flip, stream);
}

TEST_CASE("an empty picture in place needs no GPU") {
  CHECK_NOTHROW(turn_nothing_in_place(nullptr));
}

TEST_CASE("an empty picture in place, and the identity, enqueue nothing", "[gpu]") {
  Stream stream;
  DeviceMemory memory(64);
  CHECK(Captured(stream, [&] {
          turn_nothing_in_place(stream);
          transform_in_place({memory.data(), 8, 8, 8, 1}, Orientation::identity, stream);
        }).nodes() == 0);
}

unsigned char host_memory[64];

TEST_CASE("a turn in place is checked before anything is enqueued") {
  CHECK_THROWS_MATCHES(
      transform_in_place({host_memory, 4, 3, 4, 1}, Orientation::transpose, nullptr),
      std::invalid_argument,
      Message("view is 4x3, transpose in place needs a square: call transform() with a destination "
              "of 3x4"));
  CHECK_THROWS_AS(transform_in_place({host_memory, 4, 4, 3, 1}, Orientation::flip, nullptr),
                  std::invalid_argument);
  CHECK_THROWS_AS(transform_in_place({host_memory, 4, 4, 4, 0}, Orientation::flip, nullptr),
                  std::invalid_argument);
}

TEST_CASE("without a GPU a turn in place says so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  CHECK_THROWS_AS(transform_in_place({host_memory, 8, 8, 8, 1}, Orientation::flop, nullptr),
                  CudaError);
  CHECK_THROWS_AS(transform_in_place({host_memory, 8, 8, 8, 1}, Orientation::rotate90, nullptr),
                  CudaError);
}

}  // namespace
}  // namespace qturn::tests::cuda_in_place_test
