// The CPU's kernels against memcpy of the same bytes and against plain code, on one core. Like the
// GPU's they get other buffers each time, unless the pictures are so small that a program would
// have them in the cache. The three are measured alternately, and only the time of this thread
// counts, so that other work on the machine disturbs all of them little and equally.
#include <qturn/cpu.hpp>

#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "kernels/src/cpu/paths.hpp"
#include "tools/bench/bench.hpp"

namespace qturn::bench {
namespace {

struct Free {
  void operator()(unsigned char* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using Memory = std::unique_ptr<unsigned char[], Free>;

Memory random_memory(std::int64_t bytes) {
  Memory memory(static_cast<unsigned char*>(
      ::operator new[](static_cast<std::size_t>(bytes), std::align_val_t{64})));
  std::minstd_rand random;
  for (std::int64_t i = 0; i < bytes; ++i) memory[i] = static_cast<unsigned char>(random() >> 7);
  return memory;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Call = std::function<void(std::int64_t slot)>;

// Seconds for `count` calls of each, several times.
std::vector<std::vector<double>> time(const std::vector<Call>& calls, std::int64_t count,
                                      int batches) {
  std::vector<std::vector<double>> seconds(calls.size());
  for (int batch = -1; batch < batches; ++batch) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const double begin = thread_seconds();
      for (std::int64_t slot = 0; slot < count; ++slot) calls[i](slot);
      if (batch >= 0) seconds[i].push_back(thread_seconds() - begin);
    }
  }
  return seconds;
}

}  // namespace

void measure_cpu(const Plan& plan, const Listener& listener) {
  for (const Case& c : plan.cases) {
    const Size turned = turned_size(c.orientation, {c.shape.width, c.shape.height});
    const std::int64_t src_pitch = c.shape.pitch(c.shape.width, c.pixel_bytes);
    const std::int64_t dst_pitch = c.shape.pitch(turned.width, c.pixel_bytes);
    const std::int64_t offset = c.shape.offset_pixels * c.pixel_bytes;
    const std::int64_t bytes =
        offset + std::max(src_pitch * c.shape.height, dst_pitch * turned.height);
    const std::int64_t stride = (bytes + 4095) / 4096 * 4096;
    // Below a megabyte always the same buffers, as in a loop over small pictures.
    const bool in_cache = stride < (1 << 20);
    const std::int64_t slots =
        in_cache ? 1 : std::clamp<std::int64_t>((std::int64_t{192} << 20) / stride, 2, 8);
    const std::int64_t calls = std::max<std::int64_t>(slots, (std::int64_t{64} << 20) / stride);
    const Memory src = random_memory(stride * slots);
    const Memory dst = random_memory(stride * slots);
    const double moved = 2.0 * static_cast<double>(c.image_bytes() * calls);
    const auto at = [&](const Memory& memory, std::int64_t slot) {
      return memory.get() + slot % slots * stride + offset;
    };

    const auto copy = [&](std::int64_t slot) {
      std::memcpy(at(dst, slot), at(src, slot), static_cast<std::size_t>(c.image_bytes()));
    };
    const auto src_view = [&](std::int64_t slot) {
      return ConstView{at(src, slot), c.shape.width, c.shape.height, src_pitch, c.pixel_bytes};
    };
    const auto dst_view = [&](std::int64_t slot) {
      return View{at(dst, slot), turned.width, turned.height, dst_pitch, c.pixel_bytes};
    };
    const auto turn = [&](std::int64_t slot) {
      transform(src_view(slot), dst_view(slot), c.orientation);
    };
    const auto turn_plainly = [&](std::int64_t slot) {
      const Reduced reduced = reduce(src_view(slot), dst_view(slot), c.orientation);
      cpu_paths().back().move(reduced, store_for(reduced));
    };
    const auto seconds = time({copy, turn, turn_plainly}, calls, plan.batches);
    listener({c, rate_of(seconds[1], moved), rate_of(seconds[0], moved), "memcpy",
              rate_of(seconds[2], moved)});
  }
}

}  // namespace qturn::bench
