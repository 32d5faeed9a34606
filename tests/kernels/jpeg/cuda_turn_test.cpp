// JPEGs turned on a GPU: the same bytes as the CPU's, and damage is seen.
#include <qturn/cuda.hpp>
#include <qturn/jpeg_cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cuda_runtime_api.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/kernels/jpeg/device_jpegs.hpp"

namespace qturn::tests::jpeg_cuda_turn_test {
namespace {

using Catch::Matchers::Message;

using TurnedScan = TurnedOnDevice<JpegResult>;

std::vector<TurnedScan> turn_on_gpu(const std::vector<ScanTurn>& scans,
                                    std::optional<std::size_t> capacity = {}) {
  std::vector<JpegScanTurn> turns;
  std::vector<std::size_t> capacities;
  for (const ScanTurn& scan : scans) {
    turns.push_back(scan.turn);
    capacities.push_back(capacity.value_or(2 * scan.file.size() + 4096));
  }
  return turn_on_device(turns, scans, capacities, jpeg_workspace, turn_jpegs);
}

TEST_CASE("a JPEG turned on a GPU has the CPU's bytes", "[gpu][sanitizer]") {
  need_gpu();
  std::vector<ScanTurn> scans;
  for (JpegPicture kind : one_scan_kinds()) {
    for (const Size size : {Size{96, 64}, Size{91, 61}, Size{400, 300}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      const Bytes file = make_jpeg(kind);
      for (const Orientation orientation : all_orientations) scans.emplace_back(file, orientation);
    }
  }
  const std::vector<TurnedScan> turned = turn_on_gpu(scans);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const Orientation orientation = scans[i].turn.orientation;
    INFO("picture " << i << ", " << name(orientation));
    CHECK_FALSE(turned[i].result.faults.any());
    CHECK(turned[i].data == turned_scan_data(scans[i].file, orientation));
    CHECK(turned[i].result.src_bytes == scan_data(scans[i].file).size());
  }
}

TEST_CASE("a large JPEG is turned, and what follows it is left alone", "[gpu]") {
  need_gpu();
  JpegPicture picture{.width = 2000, .height = 1504, .h = 2, .v = 2, .quality = 95};
  std::vector<ScanTurn> scans;
  for (const unsigned interval : {0u, 1u, 125u, 999u}) {
    picture.restart_interval = interval;
    Bytes file = make_jpeg(picture);
    const Bytes plain = file;
    file.insert(file.end(), plain.begin(), plain.end());  // as a preview would be
    scans.emplace_back(file, Orientation::rotate90);
    scans.emplace_back(file, Orientation::flop);
  }
  const std::vector<TurnedScan> turned = turn_on_gpu(scans);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    CHECK_FALSE(turned[i].result.faults.any());
    CHECK(turned[i].data == turned_scan_data(scans[i].file, scans[i].turn.orientation));
  }
}

// CTest runs each case in a process of its own, so its calls are the first.
TEST_CASE("the first turn of a JPEG leaves alone what another thread captures", "[gpu]") {
  need_gpu();
  std::vector<ScanTurn> scans;
  scans.emplace_back(make_jpeg({.width = 91, .height = 61}), Orientation::rotate90);
  const std::vector<TurnedScan> turned = turn_on_device(
      std::vector<JpegScanTurn>{scans[0].turn}, scans, {2 * scans[0].file.size() + 4096},
      jpeg_workspace,
      +[](const JpegScanTurn* turns, std::size_t count, void* device, void* host,
          JpegResult* results, cudaStream_t stream) {
        Captured::beside([&] { turn_jpegs(turns, count, device, host, results, stream); });
      });
  CHECK(turned[0].data == turned_scan_data(scans[0].file, Orientation::rotate90));
}

TEST_CASE("damage is never a wrong picture, and does not disturb the others", "[gpu][sanitizer]") {
  need_gpu();
  std::mt19937 random(7);
  std::vector<ScanTurn> scans;
  const std::vector<JpegPicture> kinds = one_scan_kinds();
  const std::size_t count = 400;
  for (std::size_t i = 0; i < count; ++i) {
    JpegPicture kind = kinds[i % kinds.size()];
    kind.width = 96, kind.height = 64;
    scans.emplace_back(make_jpeg(kind), all_orientations[i / kinds.size() % 8]);
    if (i % 4 == 0) continue;  // is whole
    Bytes& file = scans.back().file;
    const std::size_t data = scans.back().data_at, bytes = file.size() - data;
    if (i % 4 == 1) {
      file.resize(data + random() % bytes);
    } else {
      for (int n = 0; n < 2; ++n) {
        file[data + random() % (bytes - 2)] = static_cast<std::byte>(random() % 256);
      }
    }
  }
  const std::vector<TurnedScan> turned = turn_on_gpu(scans);
  std::size_t faults = 0;
  for (std::size_t i = 0; i < count; ++i) {
    INFO("picture " << i);
    if (turned[i].result.faults.any()) {
      CHECK(i % 4 != 0);
      ++faults;
      continue;
    }
    // The CPU finds nothing wrong with it either, and makes the same of it.
    CHECK(turned[i].data == turned_scan_data(scans[i].file, scans[i].turn.orientation));
  }
  CHECK(faults > count / 4);
}

TEST_CASE("faults say what they are", "[gpu]") {
  need_gpu();
  const auto fault_of = [](const ScanTurn& scan, std::optional<std::size_t> capacity = {}) {
    return turn_on_gpu({scan}, capacity).at(0).result.faults;
  };
  const ScanTurn plain(make_jpeg({.h = 2, .v = 2}), Orientation::rotate90);
  CHECK_FALSE(fault_of(plain).any());
  CHECK(fault_of(plain, 100) == JpegFault::capacity);
  CHECK(fault_of(plain, 0) == JpegFault::capacity);

  ScanTurn cut = plain;
  cut.file.resize(cut.file.size() - 2);
  CHECK(fault_of(cut) == JpegFault::marker);

  ScanTurn longer = plain;
  longer.file.insert(longer.file.end() - 2, 3, std::byte{0x55});
  CHECK(fault_of(longer) == JpegFault::extra_data);

  ScanTurn restarts(make_jpeg({.restart_interval = 5}), Orientation::flop);
  restarts.turn.src.restart_interval = 6;
  CHECK(fault_of(restarts) == JpegFault::restarts);

  ScanTurn no_codes = plain;
  no_codes.turn.dst.component[0].ac.symbols.fill(0x99);
  CHECK(fault_of(no_codes) == JpegFault::tables);
}

TEST_CASE("which pictures are given up does not depend on timing", "[gpu]") {
  need_gpu();
  // Readers that begin at a wrong place of codes that repeat may never fall into step.
  std::mt19937 random(21);
  std::vector<ScanTurn> scans;
  for (int i = 0; i < 24; ++i) {
    const auto pattern = random_blocks(1 + random() % 8, 3, random);
    GreyBlocks picture{300, 300, {}, {}, {}};
    picture.steps.fill(1);
    for (std::size_t k = 0; k < 90'000; ++k) picture.blocks.push_back(pattern[k % pattern.size()]);
    scans.emplace_back(make_grey(picture), Orientation::flop);
  }
  std::vector<JpegFaults> first;
  for (int round = 0; round < 10; ++round) {
    std::vector<JpegFaults> faults;
    for (const TurnedScan& turned : turn_on_gpu(scans)) faults.push_back(turned.result.faults);
    if (round == 0) first = faults;
    CHECK(faults == first);
  }
}

TEST_CASE("what cannot be in the data is seen before it is read", "[gpu][sanitizer]") {
  need_gpu();
  const ScanTurn plain(make_jpeg({.space = JCS_GRAYSCALE}), Orientation::identity);
  ScanTurn many_blocks = plain;
  many_blocks.turn.src.size = {65535, 65535};
  JpegScanTurn turn = many_blocks.turn;
  turn.bytes = many_blocks.data().size();
  CHECK(jpeg_workspace(&turn, 1).device_bytes < 1 << 20);

  ScanTurn many_restarts = plain;
  many_restarts.turn.src.size = {16384, 8192};
  many_restarts.turn.src.restart_interval = 1;
  many_restarts.file.resize(many_restarts.file.size() + 600'000);  // enough for so many blocks

  const std::vector<TurnedScan> turned = turn_on_gpu({many_blocks, plain, many_restarts});
  CHECK(turned[0].result.faults == JpegFault::missing_blocks);
  CHECK(turned[1].data == turned_scan_data(plain.file, Orientation::identity));
  CHECK(turned[2].result.faults == JpegFault::restarts);
  CHECK(turn_on_gpu({many_blocks})[0].result.faults == turned[0].result.faults);
}

TEST_CASE("more bits than 32 bits can count do not fit", "[gpu]") {
  Stream stream;
  // 67 million blocks of 7 bits, which become 66 bits with codes of sixteen: 2^32 and 15 MiB.
  constexpr int blocks_wide = 8184, blocks_high = 8191, interval = 248;
  JpegScanTurn turn;
  turn.src.size = {8 * blocks_wide, 8 * blocks_high};
  turn.src.components = 1;
  turn.dst = turn.src;
  turn.src.restart_interval = interval;
  auto &read = turn.src.component[0], &write = turn.dst.component[0];
  read.dc.bits[1] = read.ac.bits[1] = read.ac.bits[2] = 1;
  write.dc.bits[16] = 1, write.ac.bits[16] = 2;
  read.ac.symbols = write.ac.symbols = {0x01, 0x00};
  const unsigned char eight_blocks[] = {0x2C, 0x58, 0xB1, 0x62, 0xC5, 0x8B, 0x16};
  std::vector<unsigned char> data;
  for (int i = 0; i < blocks_wide * blocks_high / interval; ++i) {
    if (i != 0) data.insert(data.end(), {0xFF, static_cast<unsigned char>(0xD0 + (i - 1) % 8)});
    for (int n = 0; n < interval / 8; ++n) {
      data.insert(data.end(), std::begin(eight_blocks), std::end(eight_blocks));
    }
  }
  data.insert(data.end(), {0xFF, 0xD9});
  turn.bytes = data.size();
  turn.capacity = std::size_t{1} << 28;
  const JpegWorkspace needed = jpeg_workspace(&turn, 1);
  std::size_t free = 0, total = 0;
  must(cudaMemGetInfo(&free, &total));
  if (free < needed.device_bytes + turn.bytes + turn.capacity + (std::size_t{1} << 28)) {
    SKIP("less than 11 GB of GPU memory");
  }
  DeviceMemory src(static_cast<std::int64_t>(turn.bytes));
  src.upload(data);
  const DeviceMemory dst(static_cast<std::int64_t>(turn.capacity));
  const DeviceMemory workspace(static_cast<std::int64_t>(needed.device_bytes));
  const HostMemory<unsigned char> host(needed.host_bytes);
  const HostMemory<JpegResult> result(1);
  turn.data = src.data();
  turn.out = dst.data();
  turn_jpegs(&turn, 1, workspace.data(), host.data(), result.data(), stream);
  stream.wait();
  CHECK(result.data()->faults == JpegFault::capacity);
  CHECK(result.data()->src_bytes == turn.bytes);
}

TEST_CASE("what makes no sense is refused before anything is enqueued", "[gpu]") {
  need_gpu();
  const ScanTurn scan(make_jpeg({.h = 2, .v = 1}), Orientation::rotate90);
  const auto refuses = [&](auto change, const std::string& message) {
    std::vector<JpegScanTurn> turns(2, scan.turn);
    change(turns[1]);
    CHECK_THROWS_MATCHES(jpeg_workspace(turns.data(), turns.size()), std::invalid_argument,
                         Message("picture 1: " + message));
  };
  refuses([](JpegScanTurn& turn) { turn.src.components = 5; }, "5 components, expected 1 to 4");
  refuses([](JpegScanTurn& turn) { turn.src.size.width = 0; },
          "size is 0x48, expected sides of 1 to 65535");
  refuses([](JpegScanTurn& turn) { turn.src.component[0].h = 5; },
          "component 0 has factors 5x1, expected 1 to 4");
  refuses([](JpegScanTurn& turn) { turn.src.component[0].h = turn.src.component[0].v = 4; },
          "18 blocks in an MCU, expected up to 10");
  refuses([](JpegScanTurn& turn) { turn.dst.components = 1; }, "dst has 1 components, expected 3");
  refuses([](JpegScanTurn& turn) { turn.dst = turn.src; },
          "dst has other sampling factors than src, turned, in component 0");
  refuses([](JpegScanTurn& turn) { turn.dst.size.width += 8; },
          "dst is larger than src, turned, in component 0");
  refuses([](JpegScanTurn& turn) { turn.src.component[2].ac.bits[1] = 3; },
          "src has a Huffman table that is not a prefix code, in component 2");
  refuses([](JpegScanTurn& turn) { turn.src.component[1].dc.symbols[0] = 16; },
          "src has a DC Huffman table with a symbol above 15, in component 1");
  refuses([](JpegScanTurn& turn) { turn.bytes = (1 << 28) + 1; },
          "268435457 bytes, expected up to 268435456");
  refuses([](JpegScanTurn& turn) { turn.orientation = static_cast<Orientation>(9); },
          "orientation is 9, expected 1 to 8");
}

}  // namespace
}  // namespace qturn::tests::jpeg_cuda_turn_test
