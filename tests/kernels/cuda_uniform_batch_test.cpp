#include <qturn/batch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <stdexcept>

#include "tests/kernels/device_uniform.hpp"

namespace qturn::tests::cuda_uniform_batch_test {
namespace {

using Catch::Matchers::Message;

void require_equal_to_cpu(const std::vector<UniformTurn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<UniformBatch>& batches) {
    transform_each_batch(batches, stream);
  });
}

TEST_CASE("a uniform batch on the GPU is every image turned as by definition", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  std::vector<UniformTurn> turns;
  for (const Size size : {Size{64, 48}, Size{131, 70}, Size{3, 200}, Size{1, 1}}) {
    add_all_uniform(turns, size, pixel_bytes);
  }
  add_thin_uniform(turns, 300, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("every kernel for uniform batches stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48);
  std::vector<UniformTurn> turns;
  add_all_uniform(turns, {67, 35}, pixel_bytes);
  add_thin_uniform(turns, 10, pixel_bytes);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("a uniform batch of more images than a grid has rows is turned by one launch", "[gpu]") {
  Stream stream;
  const int pixel_bytes = GENERATE(1, 4);
  const std::int64_t count = GENERATE(65535, 65536, 131073);
  for (const Orientation orientation : {Orientation::rotate90, Orientation::flop}) {
    require_equal_to_cpu({{{{5, 3, pixel_bytes, {}}, {}, orientation, count}}}, stream);
  }
}

TEST_CASE("a captured uniform batch is one kernel, and does its work at every replay", "[gpu]") {
  Stream stream;
  DevicePictures<UniformTurn> pictures({{{{40, 30, 3, {}}, {}, Orientation::transverse, 1000}}});
  Captured work(stream, [&] { transform_each_batch(pictures.images(), stream); });
  CHECK(work.nodes() == 1);
  check_replays(pictures, work);
}

TEST_CASE("what a uniform batch on the CPU refuses, one on a stream does") {
  unsigned char memory[8] = {};
  UniformBatch batch;
  batch.src = {memory, 2, 1, 2, 1};
  batch.dst = {memory + 4, 2, 1, 2, 1};
  batch.src_stride = 2;
  batch.dst_stride = 1;
  batch.count = 2;
  CHECK_THROWS_MATCHES(transform_batch(batch, cudaStream_t{}), std::invalid_argument,
                       Message("destinations 1 bytes apart, 0 and 1 overlap in memory"));
  batch.count = 0;
  CHECK_NOTHROW(transform_batch(batch, cudaStream_t{}));
}

}  // namespace
}  // namespace qturn::tests::cuda_uniform_batch_test
