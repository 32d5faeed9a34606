// Reading with as little shared memory as a GPU may have: smaller groups of subsequences.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstring>

#include "kernels/jpeg/src/plan.hpp"
#include "tests/kernels/device_memory.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests::jpeg_cuda_groups_test {
namespace {

TEST_CASE("eight tables are read with any amount of shared memory", "[gpu][sanitizer]") {
  Stream stream;
  const std::uint32_t all = jpeg::shared_bytes_for_reading();
  const std::uint32_t shared_bytes = GENERATE_COPY(63u * 1024, 80u * 1024, all);
  ScanTurn scan(make_jpeg({.width = 160, .height = 120, .space = JCS_CMYK}), Orientation::flop);
  for (std::uint8_t i = 0; i < 4; ++i) {
    // Has no code, and makes it another table.
    scan.turn.src.component[i].dc.symbols[255] = scan.turn.src.component[i].ac.symbols[255] = i;
  }
  JpegScanTurn turn = scan.turn;
  turn.bytes = scan.data().size();
  turn.capacity = 2 * scan.file.size();
  DeviceMemory src(static_cast<std::int64_t>(turn.bytes));
  const DeviceMemory dst(static_cast<std::int64_t>(turn.capacity));
  const DeviceMemory result(sizeof(JpegResult));
  std::vector<unsigned char> data(turn.bytes);
  std::memcpy(data.data(), scan.data().data(), data.size());
  src.upload(data);
  turn.data = src.data();
  turn.out = dst.data();
  const std::size_t bytes = jpeg::plan(&turn, 1, nullptr, nullptr, nullptr).all;
  const DeviceMemory workspace(static_cast<std::int64_t>(bytes));
  std::vector<std::byte> host(bytes);
  jpeg::Plan plan = jpeg::plan(&turn, 1, static_cast<JpegResult*>(result.data()),
                               static_cast<std::byte*>(workspace.data()), host.data());
  REQUIRE(plan.batch.read_tables == 8);
  must(cudaMemset(result.data(), 0, sizeof(JpegResult)));
  must(cudaMemcpy(workspace.data(), host.data(), plan.cleared, cudaMemcpyHostToDevice));
  must(cudaDeviceSynchronize());
  plan.batch.stream = stream;
  jpeg::make_read_tables(plan.batch);
  jpeg::unstuff(plan.batch);
  jpeg::synchronise(plan.batch);
  jpeg::read_coefficients(plan.batch, shared_bytes);
  jpeg::write_codes(plan.batch);
  jpeg::stuff(plan.batch);
  stream.wait();
  JpegResult turned;
  must(cudaMemcpy(&turned, result.data(), sizeof turned, cudaMemcpyDeviceToHost));
  REQUIRE_FALSE(turned.faults.any());
  const std::vector<unsigned char> out = dst.download(static_cast<std::int64_t>(turned.bytes));
  const auto* first = reinterpret_cast<const std::byte*>(out.data());
  CHECK(Bytes(first, first + out.size()) == turned_scan_data(scan.file, Orientation::flop));
}

}  // namespace
}  // namespace qturn::tests::jpeg_cuda_groups_test
