#include <qturn/orientation.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_memory.hpp"
#include "tools/bench/ladder.hpp"
#include "tools/bench/ladder_check.hpp"

namespace qturn::tests::cuda_ladder_test {
namespace {

using bench::BankConflicts;
using bench::LadderCheck;
using bench::Makes;
using bench::Matrices;
using bench::Rung;

void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
}

void require_right(const std::vector<Rung>& rungs, LadderCheck&& check, std::int64_t width,
                   std::int64_t height, std::int64_t offset = 0) {
  for (const Rung& rung : rungs) {
    if (!rung.enqueue || !rung.takes(width, height, offset)) continue;
    const std::string error = check.error_of(rung);
    if (!error.empty()) FAIL(error);
  }
}

TEST_CASE("each layout of a tile has the bank conflicts that the ladder's page says") {
  using namespace bench;
  STATIC_REQUIRE(conflicts_by_ones<Plain>() == BankConflicts{1, 32});
  STATIC_REQUIRE(conflicts_by_ones<Transposed<Plain>>() == BankConflicts{32, 1});
  STATIC_REQUIRE(conflicts_by_ones<Padded>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_ones<Rows<16, 16>>() == BankConflicts{1, 8});
  STATIC_REQUIRE(conflicts_by_ones<Rows<16, 17>>() == BankConflicts{2, 2});
  STATIC_REQUIRE(conflicts_by_ones<Rows<16, 18>>() == BankConflicts{2, 1});
  STATIC_REQUIRE(conflicts_by_ones<PaddedPairs>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_ones<Swizzled>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_fours<Padded, false>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_fours<Swizzled, false>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_fours<Rows<32, 36>, true>() == BankConflicts{1, 4});
  STATIC_REQUIRE(conflicts_by_fours<SwizzledFours<32>, true>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_fours<SwizzledFours<64>, true>() == BankConflicts{1, 1});
  STATIC_REQUIRE(conflicts_by_fours<TensorFours, true>() == BankConflicts{1, 1});
}

TEST_CASE("every rung does what the CPU does, at sizes around the edges of tiles", "[gpu]") {
  need_gpu();
  const std::int64_t sides[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 36, 63, 64, 65, 100};
  const std::int64_t width = GENERATE_REF(from_range(std::begin(sides), std::end(sides)));
  const std::vector<Rung> rungs = bench::ladder();
  for (const std::int64_t height : sides) {
    for (const std::int64_t offset : {0, 1}) {
      require_right(rungs, LadderCheck(width, height, 3, offset), width, height, offset);
    }
  }
}

TEST_CASE("every rung holds for matrices that are thin, or higher than a grid", "[gpu]") {
  need_gpu();
  const std::vector<Rung> rungs = bench::ladder();
  const Size sizes[] = {{1000, 777}, {2, 2097153}, {2097153, 2}, {1, 4200000}, {1025, 1025}};
  for (const Size size : sizes) {
    require_right(rungs, LadderCheck(size.width, size.height), size.width, size.height);
  }
}

TEST_CASE("no rung writes outside its result, or reads outside the matrix", "[gpu][sanitizer]") {
  need_gpu();
  const std::vector<Rung> rungs = bench::ladder();
  for (const Size size : {Size{33, 65}, Size{64, 36}, Size{70, 70}}) {
    require_right(rungs, LadderCheck(size.width, size.height, 2), size.width, size.height);
  }
}

TEST_CASE("many matrices may be more than 65,535, and small", "[gpu]") {
  need_gpu();
  require_right(bench::classic_rungs(), LadderCheck(3, 2, 65537), 3, 2);
}

TEST_CASE("many matrices may lie further apart than 2^31 floats", "[gpu][large]") {
  need_gpu();
  constexpr std::int64_t width = 33;
  constexpr std::int64_t height = 65;
  constexpr std::int64_t spacing = (std::int64_t{1} << 31) + 64;
  constexpr std::int64_t bytes = 4 * (2 * spacing + width * height);
  std::size_t free = 0;
  std::size_t total = 0;
  must(cudaMemGetInfo(&free, &total));
  if (free < 2 * bytes + (std::size_t{1} << 30)) SKIP("not enough memory on the GPU");
  const DeviceMemory in(bytes);
  const DeviceMemory out(bytes);
  const auto at = [](const DeviceMemory& memory, std::int64_t i) {
    return static_cast<float*>(memory.data()) + i * spacing;
  };
  std::vector<float> matrix(width * height);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] = static_cast<float>(i * 10000 + k);
    must(cudaMemcpy(at(in, i), matrix.data(), sizeof(float) * matrix.size(),
                    cudaMemcpyHostToDevice));
  }
  must(cudaDeviceSynchronize());
  for (const Rung& rung : bench::classic_rungs()) {
    if (rung.many) rung.enqueue({at(in, 0), at(out, 0), width, height, 3, spacing}, nullptr);
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    must(cudaMemcpy(matrix.data(), at(out, i), sizeof(float) * matrix.size(),
                    cudaMemcpyDeviceToHost));
    for (std::int64_t y = 0; y < width; ++y) {
      for (std::int64_t x = 0; x < height; ++x) {
        const float wanted = static_cast<float>(i * 10000 + x * width + y);
        if (matrix[static_cast<std::size_t>(y * height + x)] != wanted) {
          FAIL("matrix " << i << " x=" << x << " y=" << y);
        }
      }
    }
  }
}

TEST_CASE("a rung that is wrong is found", "[gpu]") {
  need_gpu();
  // Copies some floats, and some again to the memory after the result.
  const auto error_of = [](std::int64_t copied, std::int64_t behind) {
    const Rung wrong{
        "wrong", "", Makes::copy, [=](const Matrices& m, cudaStream_t stream) {
          const auto copy = [&](float* to, std::int64_t floats) {
            must(cudaMemcpyAsync(to, m.in, sizeof(float) * static_cast<std::size_t>(floats),
                                 cudaMemcpyDeviceToDevice, stream));
          };
          copy(m.out, copied);
          if (behind > 0) copy(m.out + 5 * 3, behind);
        }};
    return LadderCheck(5, 3).error_of(wrong);
  };
  CHECK(error_of(5 * 3, 0) == "");
  CHECK(error_of(5 * 3 - 1, 0).find("wrong, 5x3: matrix 0 x=4 y=2 got -1.498") == 0);
  CHECK(error_of(5 * 3, 1).find("wrong, 5x3: outside the result") == 0);
}

TEST_CASE("a side that is too long for a rung is refused") {
  std::vector<Rung> rungs = bench::classic_rungs();
  for (Rung& rung : bench::asynchronous_rungs()) rungs.push_back(std::move(rung));
  for (const Rung& rung : rungs) {
    if (!rung.enqueue) continue;
    const std::int64_t side = (std::int64_t{1} << 31) - 63;
    CHECK_THROWS_AS(rung.enqueue({nullptr, nullptr, side, side, 1, 0}, nullptr),
                    std::invalid_argument);
  }
}

}  // namespace
}  // namespace qturn::tests::cuda_ladder_test
