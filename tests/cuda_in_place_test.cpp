#include <qturn/cuda.hpp>
#include <qturn/in_place.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
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

// Compares whole buffers, so that a byte written beside the picture is seen.
void require_equal_to_cpu(const Plan& plan, Stream& stream) {
  for (Orientation orientation : all_orientations) {
    if (swaps_axes(orientation) && plan.width != plan.height) continue;
    std::vector<unsigned char> wanted = random_bytes(plan.buffer_bytes(), 31);
    DeviceMemory device(plan.buffer_bytes());
    device.upload(wanted);
    transform_in_place(plan.view_in(device.data()), orientation, stream);
    transform_in_place(plan.view_in(wanted.data()), orientation);
    stream.wait();
    const std::string difference =
        first_difference(plan, device.download(plan.buffer_bytes()), wanted);
    if (!difference.empty()) FAIL(describe(plan, plan, orientation) + ": " + difference);
  }
}

// Padding that makes rows a multiple of 16 bytes.
std::int64_t to_16(std::int64_t row_bytes) { return (16 - row_bytes % 16) % 16; }

const int pixel_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  15,
                           16, 17, 24, 31, 32, 33, 48, 64, 96, 255, 256};

TEST_CASE("the GPU turns squares in place as the CPU does, at sizes around the edges of tiles",
          "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  Stream stream;
  for (std::int64_t side :
       {1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130, 191, 192, 257}) {
    const std::int64_t row = side * pixel_bytes;
    const Layout layouts[] = {{},
                              {to_16(row), 16},
                              {to_16(row) + 16, 32, true},
                              {pixel_bytes, pixel_bytes},
                              {1, 3, true}};
    for (const Layout& layout : layouts) {
      require_equal_to_cpu({side, side, pixel_bytes, layout}, stream);
    }
  }
}

TEST_CASE("the GPU mirrors in place as the CPU does, whatever the size", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  Stream stream;
  const Size sizes[] = {{1, 50},   {50, 1},   {2, 2},    {3, 7},    {16, 64},  {33, 31},
                        {341, 12}, {1359, 5}, {4080, 3}, {4096, 4}, {8177, 3}, {7, 700}};
  for (const Size size : sizes) {
    const std::int64_t row = size.width * pixel_bytes;
    const Layout layouts[] = {{},
                              {to_16(row), 16},
                              {to_16(row) + 16, 32, true},
                              {pixel_bytes, pixel_bytes},
                              {1, 3, true}};
    for (const Layout& layout : layouts) {
      require_equal_to_cpu({size.width, size.height, pixel_bytes, layout}, stream);
    }
  }
}

TEST_CASE("every kernel that works in place stays within its memory", "[gpu][sanitizer]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  Stream stream;
  for (std::int64_t side : {96, 131}) {
    const std::int64_t row = side * pixel_bytes;
    require_equal_to_cpu({side, side, pixel_bytes, {to_16(row), 16}}, stream);
    require_equal_to_cpu({side, side, pixel_bytes, {pixel_bytes, pixel_bytes}}, stream);
    require_equal_to_cpu({side, side, pixel_bytes, {1, 1}}, stream);
  }
}

TEST_CASE("large squares are turned in place", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 3, 4, 16);
  Stream stream;
  require_equal_to_cpu({2048, 2048, pixel_bytes, {}}, stream);
  require_equal_to_cpu({2049, 2049, pixel_bytes, {}}, stream);
}

TEST_CASE("a captured turn in place undoes and redoes itself at every replay", "[gpu]") {
  need_gpu();
  const Orientation orientation = GENERATE(Orientation::rotate270, Orientation::rotate180);
  Stream stream;
  const Plan plan{65, 65, 3, {}};
  std::vector<unsigned char> wanted = random_bytes(plan.buffer_bytes(), 32);
  DeviceMemory device(plan.buffer_bytes());
  device.upload(wanted);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transform_in_place(plan.view_in(device.data()), orientation, stream);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  for (int i = 0; i < 3; ++i) {
    must(cudaGraphLaunch(replayable, stream));
    stream.wait();
    transform_in_place(plan.view_in(wanted.data()), orientation);
    CHECK(first_difference(plan, device.download(plan.buffer_bytes()), wanted) == "");
  }
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("an empty picture in place enqueues nothing, with or without a GPU") {
  CHECK_NOTHROW(transform_in_place({nullptr, 0, 0, 0, 3}, Orientation::rotate90, nullptr));
  CHECK_NOTHROW(transform_in_place({nullptr, 0, 5, 0, 3}, Orientation::flip, nullptr));
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
}  // namespace qturn::tests
