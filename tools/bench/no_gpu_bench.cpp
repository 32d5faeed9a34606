#include <stdexcept>

#include "tools/bench/bench.hpp"
#include "tools/bench/entries.hpp"
#include "tools/bench/jpeg_device_bench.hpp"
#include "tools/bench/jpeg_parts_bench.hpp"
#include "tools/bench/ladder_report.hpp"

namespace qturn::bench {

namespace {
[[noreturn]] void no_gpu() {
  throw std::runtime_error("built without CUDA, so there is no GPU to measure");
}
}  // namespace

void measure_gpu(const Plan&, int, const Listener&) { no_gpu(); }
void measure_batches(int, const EntryChoice&, const EntryListener&) { no_gpu(); }
void measure_in_place(int, const EntryChoice&, const EntryListener&) { no_gpu(); }
void measure_planar(int, const EntryChoice&, const EntryListener&) { no_gpu(); }
void measure_jpeg_on_device(std::span<const Bytes>, Orientation, int) { no_gpu(); }
void measure_jpeg_parts(std::span<const Bytes>, Orientation, int) { no_gpu(); }
void measure_ladder(const std::vector<std::string>&, bool, int, int, const LadderListener&) {
  no_gpu();
}

std::vector<std::string> missing_peers(int) { return {}; }

double batch_call_microseconds(int) { return 0; }

HostTimes gpu_host_times(int) { return {}; }

}  // namespace qturn::bench
