#include <qturn/cuda.hpp>
#include <qturn/transform.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/device_memory.hpp"
#include "tests/pictures.hpp"

namespace qturn::tests {
namespace {

using Catch::Matchers::Message;

void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
}

// The destination's buffer is poisoned, and compared whole, so that a byte written beside the
// picture is seen. Buffers on the device are as long as the plan says and not a byte longer.
std::string difference_from_cpu(const Plan& src, Layout dst_layout, Orientation orientation,
                                Stream& stream) {
  const Size turned = turned_size(orientation, {src.width, src.height});
  const Plan dst{turned.width, turned.height, src.pixel_bytes, dst_layout};
  std::vector<unsigned char> from = random_bytes(src.buffer_bytes(), 3);
  std::vector<unsigned char> wanted = random_bytes(dst.buffer_bytes(), 4);
  DeviceMemory device_src(src.buffer_bytes());
  DeviceMemory device_dst(dst.buffer_bytes());
  device_src.upload(from);
  device_dst.upload(wanted);
  transform(src.view_in(device_src.data()), dst.view_in(device_dst.data()), orientation, stream);
  transform(src.view_in(from.data()), dst.view_in(wanted.data()), orientation);
  stream.wait();
  const std::vector<unsigned char> got = device_dst.download(dst.buffer_bytes());
  const std::string difference = first_difference(dst, got, wanted);
  return difference.empty() ? "" : describe(src, dst, orientation) + ": " + difference;
}

void require_equal_to_cpu(const Plan& src, Layout dst, Stream& stream) {
  for (Orientation orientation : all_orientations) {
    const std::string difference = difference_from_cpu(src, dst, orientation, stream);
    if (!difference.empty()) FAIL(difference);
  }
}

// Padding that makes rows a multiple of 16 bytes.
std::int64_t to_16(std::int64_t row_bytes) { return (16 - row_bytes % 16) % 16; }

const int pixel_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  15,
                           16, 17, 24, 31, 32, 33, 48, 64, 96, 255, 256};

TEST_CASE("the GPU makes what the CPU makes, at sizes around the edges of tiles", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  Stream stream;
  const std::int64_t edges[] = {1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257};
  const int count = static_cast<int>(std::size(edges));
  for (int i = 0; i < count; ++i) {
    // Pairs of different edges; every width and every height occurs.
    for (int j : {i, (i + 4) % count, (i + 9) % count}) {
      const std::int64_t width = edges[i];
      const std::int64_t height = edges[j];
      const std::int64_t src_row = width * pixel_bytes;
      // Packed; rows of the source padded to 16 bytes; one byte between rows.
      require_equal_to_cpu({width, height, pixel_bytes, {}}, {}, stream);
      require_equal_to_cpu({width, height, pixel_bytes, {to_16(src_row), 32}}, {}, stream);
      require_equal_to_cpu({width, height, pixel_bytes, {pixel_bytes, 0}}, {1, 0}, stream);
      // Rows of both padded to 16 bytes.
      for (Orientation orientation : all_orientations) {
        const std::int64_t dst_row = turned_size(orientation, {width, height}).width * pixel_bytes;
        const std::string difference =
            difference_from_cpu({width, height, pixel_bytes, {to_16(src_row) + 16, 16}},
                                {to_16(dst_row) + 16, 32}, orientation, stream);
        if (!difference.empty()) FAIL(difference);
      }
    }
  }
}

TEST_CASE("the GPU makes what the CPU makes, however the views lie in memory", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  Stream stream;
  const std::int64_t p = pixel_bytes;
  for (const Size size : {Size{48, 80}, Size{131, 67}, Size{66, 145}}) {
    const std::int64_t src_row = size.width * p;
    const std::int64_t dst_row = size.height * p;  // of the turned one
    const Layout src_layouts[] = {{to_16(src_row), 16, false},
                                  {to_16(src_row) + 48, 0, true},
                                  {to_16(src_row), p, false},
                                  {3 * p, 5 * p, true},
                                  {1, 3, false},
                                  {2, 2, true}};
    const Layout dst_layouts[] = {{to_16(dst_row), 16, false},
                                  {to_16(dst_row) + 16, 0, true},
                                  {to_16(dst_row), p, true},
                                  {5 * p, 3 * p, false},
                                  {1, 1, true},
                                  {2, 6, false}};
    for (int i = 0; i < 6; ++i) {
      for (int j : {i, (i + 1) % 6, (i + 3) % 6}) {
        const Plan src{size.width, size.height, pixel_bytes, src_layouts[i]};
        require_equal_to_cpu(src, dst_layouts[j], stream);
      }
    }
  }
}

TEST_CASE("the GPU makes what the CPU makes of pictures of several tiles, aligned on both sides",
          "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
  Stream stream;
  for (const Size size : {Size{512, 256}, Size{272, 400}, Size{400, 272}, Size{333, 517}}) {
    for (Orientation orientation : all_orientations) {
      const Size turned = turned_size(orientation, size);
      const Plan src{size.width, size.height, pixel_bytes, {to_16(size.width * pixel_bytes), 0}};
      const Layout dst{to_16(turned.width * pixel_bytes) + 16, 16};
      const std::string difference = difference_from_cpu(src, dst, orientation, stream);
      if (!difference.empty()) FAIL(difference);
    }
  }
}

TEST_CASE("large pictures, which have tiles of other sizes, agree too", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
  // Rows that begin at multiples of 128 bytes, and rows that do not.
  const int row_bytes = GENERATE(6144, 6240);
  Stream stream;
  for (Orientation orientation : {Orientation::transpose, Orientation::rotate270}) {
    const Plan src{row_bytes / pixel_bytes, 6400, pixel_bytes, {}};
    CHECK(difference_from_cpu(src, {}, orientation, stream) == "");
  }
}

TEST_CASE("pictures of a few rows or columns agree, at lengths around the edges of blocks",
          "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12);
  const int few = GENERATE(2, 3, 4, 5);
  const bool few_rows = GENERATE(true, false);
  Stream stream;
  for (std::int64_t many : {1, 15, 32, 128, 131, 272, 1027, 2048, 4112}) {
    const Size size = few_rows ? Size{many, few} : Size{few, many};
    for (Orientation orientation : all_orientations) {
      const std::int64_t src_gap = to_16(size.width * pixel_bytes);
      const std::int64_t dst_gap = to_16(turned_size(orientation, size).width * pixel_bytes);
      const struct {
        Layout src;
        Layout dst;
      } layouts[] = {
          {{}, {}},
          // One side packed, the rows of the other begin at multiples of 16 bytes, or end there.
          {{src_gap + 16, 16}, {0, 16}},
          {{0, 16, true}, {dst_gap + 16, 16, true}},
          {{src_gap, src_gap, true}, {0, 32, true}},
          {{0, 32}, {dst_gap, dst_gap}},
          {{0, pixel_bytes}, {0, pixel_bytes}},
      };
      for (const auto& layout : layouts) {
        const Plan src{size.width, size.height, pixel_bytes, layout.src};
        const std::string difference = difference_from_cpu(src, layout.dst, orientation, stream);
        if (!difference.empty()) FAIL(difference);
      }
    }
  }
}

TEST_CASE("thin pictures of very many rows or columns agree", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 3, 4);
  Stream stream;
  require_equal_to_cpu({4, 1'108'992, pixel_bytes, {}}, {}, stream);
  require_equal_to_cpu({1'108'992, 4, pixel_bytes, {}}, {}, stream);
}

TEST_CASE("more columns of tiles than a grid's second dimension has room for agree", "[gpu]") {
  need_gpu();
  Stream stream;
  require_equal_to_cpu({4'200'016, 2, 1, {}}, {14, 0}, stream);
}

// Memory on the device that ends with the last byte of the picture, so that a checker of accesses
// sees the first byte that is read or written behind it.
void require_equal_in_exact_memory(const Plan& src, Layout dst_layout, Stream& stream) {
  const auto exact_bytes = [](const Plan& plan) {
    return plan.layout.offset + (plan.height - 1) * plan.pitch() + plan.row_bytes();
  };
  for (Orientation orientation : all_orientations) {
    const Size turned = turned_size(orientation, {src.width, src.height});
    const Plan dst{turned.width, turned.height, src.pixel_bytes, dst_layout};
    std::vector<unsigned char> from = random_bytes(exact_bytes(src), 11);
    std::vector<unsigned char> wanted = random_bytes(exact_bytes(dst), 12);
    DeviceMemory device_src(exact_bytes(src));
    DeviceMemory device_dst(exact_bytes(dst));
    device_src.upload(from);
    device_dst.upload(wanted);
    transform(src.view_in(device_src.data()), dst.view_in(device_dst.data()), orientation, stream);
    transform(src.view_in(from.data()), dst.view_in(wanted.data()), orientation);
    stream.wait();
    const std::string difference =
        first_difference(dst, device_dst.download(exact_bytes(dst)), wanted);
    if (!difference.empty()) FAIL(describe(src, dst, orientation) << ": " << difference);
  }
}

TEST_CASE("no kernel reads or writes beside the pictures", "[gpu][sanitizer]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 33);
  Stream stream;
  const std::int64_t p = pixel_bytes;
  // Packed, of several tiles and thin; rows at multiples of 16 bytes; upside down and aligned to
  // the pixel only.
  require_equal_in_exact_memory({69, 75, pixel_bytes, {}}, {}, stream);
  require_equal_in_exact_memory({3, 301, pixel_bytes, {}}, {}, stream);
  require_equal_in_exact_memory({301, 3, pixel_bytes, {p, p}}, {0, p}, stream);
  require_equal_in_exact_memory({304, 4, pixel_bytes, {}}, {}, stream);
  require_equal_in_exact_memory({69, 145, pixel_bytes, {to_16(69 * p), 16}}, {}, stream);
  require_equal_in_exact_memory({144, 80, pixel_bytes, {}}, {}, stream);
  require_equal_in_exact_memory({67, 70, pixel_bytes, {p, 3 * p, true}}, {3 * p, p, true}, stream);
}

TEST_CASE("threads with streams of their own turn pictures at the same time, on every GPU",
          "[gpu]") {
  need_gpu();
  std::vector<std::string> differences(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    threads.emplace_back([i, &difference = differences[i]] {
      must(cudaSetDevice(static_cast<int>(i) % device_count()));
      Stream stream;
      for (int round = 0; round < 20 && difference.empty(); ++round) {
        const Plan src{200 + round, 300 - round, 1 + round % 8, {}};
        difference = difference_from_cpu(src, {}, all_orientations[round % 8], stream);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& difference : differences) CHECK(difference == "");
}

TEST_CASE("a stream of another device is refused with CudaError, and nothing is enqueued",
          "[gpu]") {
  if (device_count() < 2) SKIP("fewer than two GPUs");
  must(cudaSetDevice(1));
  Stream stream;
  must(cudaSetDevice(0));
  const Plan plan{64, 64, 4, {}};
  DeviceMemory src(plan.buffer_bytes());
  DeviceMemory dst(plan.buffer_bytes());
  const std::vector<unsigned char> before = random_bytes(plan.buffer_bytes(), 13);
  dst.upload(before);
  for (Orientation orientation : all_orientations) {
    CHECK_THROWS_AS(
        transform(plan.view_in(src.data()), plan.view_in(dst.data()), orientation, stream),
        CudaError);
  }
  stream.wait();
  CHECK(dst.download(plan.buffer_bytes()) == before);
  cudaGetLastError();
}

TEST_CASE("a rectangle of a picture on the GPU may be turned into another rectangle of it",
          "[gpu]") {
  need_gpu();
  Stream stream;
  const Plan plan{96, 64, 3, {}};
  std::vector<unsigned char> wanted = random_bytes(plan.buffer_bytes(), 5);
  DeviceMemory memory(plan.buffer_bytes());
  memory.upload(wanted);
  const auto turn = [&](View whole, auto... on_stream) {
    transform(sub_view(whole, 0, 0, 40, 50), sub_view(whole, 41, 3, 50, 40), Orientation::rotate90,
              on_stream...);
  };
  turn(plan.view_in(memory.data()), static_cast<cudaStream_t>(stream));
  stream.wait();
  turn(plan.view_in(wanted.data()));
  CHECK(first_difference(plan, memory.download(plan.buffer_bytes()), wanted) == "");
}

TEST_CASE("typed pixels are turned on a stream", "[gpu]") {
  need_gpu();
  Stream stream;
  const std::vector<unsigned char> bytes{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  DeviceMemory src(12);
  DeviceMemory dst(12);
  src.upload(bytes);
  transform<std::uint16_t, 3>({static_cast<const std::uint16_t*>(src.data()), 1, 2, 6},
                              {static_cast<std::uint16_t*>(dst.data()), 2, 1, 12},
                              Orientation::rotate90, stream);
  stream.wait();
  CHECK(dst.download(12) == std::vector<unsigned char>{4, 0, 5, 0, 6, 0, 1, 0, 2, 0, 3, 0});
}

TEST_CASE("a captured transform does its work again at every replay", "[gpu]") {
  need_gpu();
  const int pixel_bytes = GENERATE(1, 3, 4, 5);
  const Orientation orientation = GENERATE(Orientation::rotate90, Orientation::flop);
  Stream stream;
  const Plan plan{64, 64, pixel_bytes, {}};
  DeviceMemory src(plan.buffer_bytes());
  DeviceMemory dst(plan.buffer_bytes());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transform(plan.view_in(src.data()), plan.view_in(dst.data()), orientation, stream);
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&replayable, graph, 0));
  for (std::uint64_t seed : {6u, 7u}) {
    std::vector<unsigned char> from = random_bytes(plan.buffer_bytes(), seed);
    std::vector<unsigned char> wanted = random_bytes(plan.buffer_bytes(), seed + 10);
    src.upload(from);
    dst.upload(wanted);
    must(cudaGraphLaunch(replayable, stream));
    stream.wait();
    transform(plan.view_in(from.data()), plan.view_in(wanted.data()), orientation);
    CHECK(first_difference(plan, dst.download(plan.buffer_bytes()), wanted) == "");
  }
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

TEST_CASE("an empty picture enqueues nothing, with or without a GPU") {
  CHECK_NOTHROW(
      transform({nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90, nullptr));
}

TEST_CASE("shapes are checked before anything is enqueued") {
  unsigned char memory[64];
  CHECK_THROWS_MATCHES(
      transform({memory, 4, 3, 4, 1}, {memory + 32, 4, 3, 4, 1}, Orientation::rotate90, nullptr),
      std::invalid_argument, Message("dst is 4x3, expected 3x4"));
  CHECK_THROWS_AS(
      transform({memory, 4, 4, 4, 1}, {memory + 8, 4, 4, 4, 1}, Orientation::rotate90, nullptr),
      std::invalid_argument);
}

TEST_CASE("without a GPU a transform says so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  unsigned char memory[64];
  try {
    transform({memory, 4, 4, 4, 1}, {memory + 32, 4, 4, 4, 1}, Orientation::flop, nullptr);
    FAIL("nothing was thrown");
  } catch (const CudaError& error) {
    CHECK(error.code() != cudaSuccess);
    CHECK(std::string(error.what()).find(cudaGetErrorName(error.code())) != std::string::npos);
  }
}

TEST_CASE("a launch that fails throws CudaError", "[gpu]") {
  need_gpu();
  Stream stream;
  DeviceMemory memory(64);
  cudaGraph_t graph = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  // Waiting is not allowed while a capture is on, and spoils it.
  CHECK(cudaStreamSynchronize(stream) != cudaSuccess);
  auto* first = static_cast<unsigned char*>(memory.data());
  CHECK_THROWS_AS(
      transform({first, 4, 4, 4, 1}, {first + 32, 4, 4, 4, 1}, Orientation::flop, stream),
      CudaError);
  CHECK(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
  cudaGetLastError();
}

// The large ones are compared at their edges and at samples: both images are beyond 2 GiB.
void require_equal_at_samples(std::int64_t width, std::int64_t height, int pixel_bytes,
                              Orientation orientation) {
  const Size turned = turned_size(orientation, {width, height});
  const Plan src{width, height, pixel_bytes, {}};
  const Plan dst{turned.width, turned.height, pixel_bytes, {}};
  // One mebibyte of random bytes and a few, over and over: no two rows alike.
  const std::vector<unsigned char> random = random_bytes((1 << 20) + 37, 8);
  std::vector<unsigned char> from(static_cast<std::size_t>(src.buffer_bytes()));
  for (std::size_t at = 0; at < from.size(); at += random.size()) {
    std::memcpy(&from[at], random.data(), std::min(random.size(), from.size() - at));
  }
  Stream stream;
  DeviceMemory device_src(src.buffer_bytes());
  DeviceMemory device_dst(dst.buffer_bytes());
  device_src.upload(from);
  transform(src.view_in(device_src.data()), dst.view_in(device_dst.data()), orientation, stream);
  stream.wait();
  std::vector<unsigned char> got = device_dst.download(dst.buffer_bytes());

  const ConstView in = src.view_in(from.data());
  const ConstView out = dst.view_in(got.data());
  std::uint64_t state = 1;
  for (int sample = 0; sample < 4'000'000; ++sample) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    Position p{static_cast<std::int64_t>((state >> 20) % static_cast<std::uint64_t>(dst.width)),
               static_cast<std::int64_t>((state >> 8) % static_cast<std::uint64_t>(dst.height))};
    // Every fourth sample lies on an edge.
    if (sample % 16 == 0) p.x = 0;
    if (sample % 16 == 4) p.x = dst.width - 1;
    if (sample % 16 == 8) p.y = 0;
    if (sample % 16 == 12) p.y = dst.height - 1;
    const unsigned char* a = pixel_at(out, p);
    const unsigned char* b = pixel_at(in, source_of(orientation, p, {width, height}));
    if (std::memcmp(a, b, static_cast<std::size_t>(pixel_bytes)) != 0) {
      FAIL(describe(src, dst, orientation)
           << ": x=" << p.x << " y=" << p.y << " got " << hex(a, pixel_bytes) << " wanted "
           << hex(b, pixel_bytes));
    }
  }
}

TEST_CASE("pictures over 2^31 bytes are turned right", "[.large]") {
  need_gpu();
  const Orientation orientation = GENERATE(Orientation::rotate270, Orientation::rotate180);
  require_equal_at_samples(50'000, 50'000, 1, orientation);
  require_equal_at_samples(50'001, 50'003, 1, orientation);
  require_equal_at_samples(40'000, 20'000, 3, orientation);
  require_equal_at_samples(16'384, 16'400, 16, orientation);
  require_equal_at_samples(20'000, 20'000, 7, orientation);
}

TEST_CASE("rows and columns beyond 2^31 bytes are turned right", "[.large]") {
  need_gpu();
  const Orientation orientation =
      GENERATE(Orientation::transverse, Orientation::flop, Orientation::flip);
  require_equal_at_samples(2'200'000'016, 1, 1, orientation);
  require_equal_at_samples(1, 2'200'000'016, 1, orientation);
  require_equal_at_samples(1'100'000'008, 3, 2, orientation);
}

}  // namespace
}  // namespace qturn::tests
