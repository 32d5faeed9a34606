#include <qturn/cpu.hpp>
#include <qturn/cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "kernels/src/cuda/tuning.cuh"
#include "tests/kernels/device_kernels.hpp"
#include "tests/kernels/device_turns.hpp"

namespace qturn::tests::cuda_transform_test {
namespace {

using Catch::Matchers::Message;

void require_equal_to_cpu(const std::vector<Turn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<BatchImage>& images) {
    transform_each(images, stream);
  });
}

TEST_CASE("the GPU makes what the CPU makes, at sizes around the edges of tiles", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  const std::int64_t edges[] = {1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257};
  const int count = static_cast<int>(std::size(edges));
  for (int i = 0; i < count; ++i) {
    // Pairs of different edges; every width and every height occurs.
    std::vector<Turn> turns;
    for (int j : {i, (i + 4) % count, (i + 9) % count}) {
      const std::int64_t width = edges[i];
      const std::int64_t height = edges[j];
      // The largest pixels have the smallest tiles.
      if (width * height * pixel_bytes > 1'100'000) continue;
      const std::int64_t src_row = width * pixel_bytes;
      for (const Orientation orientation : all_orientations) {
        const std::int64_t dst_row = turned_size(orientation, {width, height}).width * pixel_bytes;
        const auto add = [&](Layout src, Layout dst) {
          turns.push_back({{width, height, pixel_bytes, src}, dst, orientation});
        };
        // Packed; rows of the source padded to 16 bytes; one byte between rows; rows of both
        // padded.
        add({}, {});
        add({to_16(src_row), 32}, {});
        add({pixel_bytes, 0}, {1, 0});
        add({to_16(src_row) + 16, 16}, {to_16(dst_row) + 16, 32});
      }
    }
    if (!turns.empty()) require_equal_to_cpu(turns, stream);
  }
}

TEST_CASE("the GPU makes what the CPU makes, however the views lie in memory", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  const std::int64_t p = pixel_bytes;
  for (const Size size : {Size{48, 80}, Size{131, 67}, Size{66, 145}}) {
    if (size.width * size.height * p > 1'100'000) continue;
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
    std::vector<Turn> turns;
    for (int i = 0; i < 6; ++i) {
      for (int j : {i, (i + 1) % 6, (i + 3) % 6}) {
        for (const Orientation orientation : all_orientations) {
          turns.push_back({{size.width, size.height, pixel_bytes, src_layouts[i]},
                           dst_layouts[j],
                           orientation});
        }
      }
    }
    require_equal_to_cpu(turns, stream);
  }
}

TEST_CASE("the GPU makes what the CPU makes of pictures of several tiles, aligned on both sides",
          "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
  std::vector<Turn> turns;
  for (const Size size : {Size{512, 256}, Size{272, 400}, Size{400, 272}, Size{333, 517}}) {
    for (Orientation orientation : all_orientations) {
      const Size turned = turned_size(orientation, size);
      for (std::int64_t alignment : {16, 8}) {  // of the destination
        turns.push_back(
            {{size.width, size.height, pixel_bytes, {to_16(size.width * pixel_bytes), 0}},
             {to_16(turned.width * pixel_bytes) + alignment, alignment},
             orientation});
      }
    }
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("large pictures, which have tiles of other sizes, agree too", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
  // Rows that begin at multiples of 128 bytes, and rows that do not.
  const int row_bytes = GENERATE(6144, 6240);
  const Plan src{row_bytes / pixel_bytes, 6400, pixel_bytes, {}};
  require_equal_to_cpu({{src, {}, Orientation::transpose}, {src, {}, Orientation::rotate270}},
                       stream);
}

TEST_CASE("short rows without padding agree, whatever a row and a pixel have", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 12, 24);
  std::vector<Turn> turns;
  for (std::int64_t width = 2; width * pixel_bytes <= 66; ++width) {
    // Less than a tile, and four or five.
    for (std::int64_t bytes : {300, 70'000}) {
      const std::int64_t height = bytes / (width * pixel_bytes);
      for (const auto& [src, dst] : {std::pair(0, 0), {1, 30}, {6, 2}, {4, 20}, {24, 8}}) {
        turns.push_back({{width, height, pixel_bytes, {0, src, src % 3 == 0}},
                         {0, dst, src % 3 == 0},
                         Orientation::flop});
      }
    }
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("pictures of a few rows or columns agree, at lengths around the edges of blocks",
          "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12);
  const int few = GENERATE(2, 3, 4, 5);
  const bool few_rows = GENERATE(true, false);
  std::vector<Turn> turns;
  for (std::int64_t many : {1, 15, 32, 128, 131, 272, 1027, 2048, 4112}) {
    const Size size = few_rows ? Size{many, few} : Size{few, many};
    for (Orientation orientation : all_orientations) {
      const std::int64_t src_gap = to_16(size.width * pixel_bytes);
      const std::int64_t dst_gap = to_16(turned_size(orientation, size).width * pixel_bytes);
      const auto add = [&](Layout src, Layout dst) {
        turns.push_back({{size.width, size.height, pixel_bytes, src}, dst, orientation});
      };
      add({}, {});
      // One side packed, the rows of the other begin at multiples of 16 bytes, or end there.
      add({src_gap + 16, 16}, {0, 16});
      add({0, 16, true}, {dst_gap + 16, 16, true});
      add({src_gap, src_gap, true}, {0, 32, true});
      add({0, 32}, {dst_gap, dst_gap});
      add({0, pixel_bytes}, {0, pixel_bytes});
    }
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("pictures of one row or one column agree, whatever the pitch of a single row says",
          "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(from_range(std::begin(pixel_sizes), std::end(pixel_sizes)));
  std::vector<Turn> turns;
  add_thin_turns(turns, 600, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

std::vector<Turn> all_turns(Plan src, Layout dst) {
  std::vector<Turn> turns;
  for (const Orientation orientation : all_orientations) turns.push_back({src, dst, orientation});
  return turns;
}

TEST_CASE("thin pictures of very many rows or columns agree", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 3, 4);
  require_equal_to_cpu(all_turns({4, 1'108'992, pixel_bytes, {}}, {}), stream);
  require_equal_to_cpu(all_turns({1'108'992, 4, pixel_bytes, {}}, {}), stream);
}

TEST_CASE("more columns of tiles than a grid's second dimension has room for agree", "[gpu]") {
  Stream stream;
  require_equal_to_cpu(all_turns({4'200'016, 2, 1, {}}, {14, 0}), stream);
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
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 33);
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
  // One row, and one column, with a pitch that a single row may have.
  const Layout lone{p, 0, false, 200 * p + 14};
  require_equal_in_exact_memory({191, 1, pixel_bytes, lone}, lone, stream);
  require_equal_in_exact_memory({1, 131, pixel_bytes, lone}, {0, 0, false, -813}, stream);
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
        const DevicePictures<Turn> pictures({{src, {}, all_orientations[round % 8]}});
        transform_each(pictures.images(), stream);
        stream.wait();
        difference = pictures.difference();
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

TEST_CASE("a captured transform does its work again at every replay", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 3, 4, 5);
  const Orientation orientation = GENERATE(Orientation::rotate90, Orientation::flop);
  DevicePictures<Turn> pictures({{{64, 64, pixel_bytes, {}}, {}, orientation}});
  Captured work(stream, [&] { transform_each(pictures.images(), stream); });
  check_replays(pictures, work);
}

void turn_nothing(cudaStream_t stream) {
  transform({nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90, stream);
}

template <int... architectures>
bool chooses_the_same_tables() {
  return (with_tuning(architectures,
                      [](auto table) {
                        return std::is_same_v<decltype(table), TuningOf<architectures>>;
                      }) &&
          ...);
}

TEST_CASE("the host plans with the table that a kernel is compiled with") {
  CHECK(chooses_the_same_tables<750, 800, 890, 900, 1000, 1030, 1100, 1200, 1210>());
  STATIC_REQUIRE(std::is_same_v<TuningOf<750>, Sm80>);
  STATIC_REQUIRE(std::is_same_v<TuningOf<900>, Sm90>);
  STATIC_REQUIRE(std::is_same_v<TuningOf<1030>, Sm100>);
  STATIC_REQUIRE(std::is_same_v<TuningOf<1210>, Sm120>);
}

TEST_CASE("an empty picture needs no GPU") { CHECK_NOTHROW(turn_nothing(nullptr)); }

TEST_CASE("an empty picture enqueues nothing", "[gpu]") {
  Stream stream;
  CHECK(Captured(stream, [&] { turn_nothing(stream); }).nodes() == 0);
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

// The large ones are compared at their edges and at samples: both images are beyond 2 GiB. The
// source is made on the device, of bytes that are known by their place.
void require_equal_at_samples(std::int64_t width, std::int64_t height, int pixel_bytes,
                              Orientation orientation) {
  const Size turned = turned_size(orientation, {width, height});
  const Plan src{width, height, pixel_bytes, {}};
  const Plan dst{turned.width, turned.height, pixel_bytes, {}};
  Stream stream;
  const DeviceMemory device_src(src.buffer_bytes());
  const DeviceMemory device_dst(dst.buffer_bytes());
  fill_by_place(device_src.data(), src.buffer_bytes(), stream);
  transform(src.view_in(device_src.data()), dst.view_in(device_dst.data()), orientation, stream);
  stream.wait();

  constexpr std::int64_t pieces = 40;
  const std::int64_t pixels = width * height;
  std::uint64_t state = 1;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = pixels * piece / pieces, end = pixels * (piece + 1) / pieces;
    const std::vector<unsigned char> got =
        device_dst.download((end - begin) * pixel_bytes, begin * pixel_bytes);
    for (int sample = 0; sample < 100'000; ++sample) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::int64_t at = begin + static_cast<std::int64_t>((state >> 20) %
                                                          static_cast<std::uint64_t>(end - begin));
      // Every fourth sample lies at the beginning or the end of a row, or of the piece.
      const std::int64_t row = at / dst.width * dst.width;
      if (sample % 16 == 0) at = std::max(row, begin);
      if (sample % 16 == 4) at = std::min(row + dst.width, end) - 1;
      if (sample % 16 == 8) at = begin + sample / 16 % 100;
      if (sample % 16 == 12) at = end - 1 - sample / 16 % 100;
      const Position to{at % dst.width, at / dst.width};
      const Position from = source_of(orientation, to, {width, height});
      for (int i = 0; i < pixel_bytes; ++i) {
        const unsigned char wanted = byte_at((from.y * width + from.x) * pixel_bytes + i);
        const unsigned char is = got[static_cast<std::size_t>((at - begin) * pixel_bytes + i)];
        if (is != wanted) {
          FAIL(describe(src, dst, orientation) << ": x=" << to.x << " y=" << to.y << " byte " << i
                                               << " got " << +is << " wanted " << +wanted);
        }
      }
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
}  // namespace qturn::tests::cuda_transform_test
