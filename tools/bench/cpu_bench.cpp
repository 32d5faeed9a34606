// The CPU's kernels against memcpy of the same bytes, on one core. Like the GPU's they get other
// buffers each time, unless the pictures are so small that in use they would lie in the cache.
#include <qturn/transform.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <random>

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

// Seconds for `count` calls, several times.
std::vector<double> time(const std::function<void(std::int64_t slot)>& call, std::int64_t count,
                         int batches) {
  std::vector<double> seconds;
  for (int batch = -1; batch < batches; ++batch) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t slot = 0; slot < count; ++slot) call(slot);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (batch >= 0) seconds.push_back(spent.count());
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
    const auto turn = [&](std::int64_t slot) {
      transform({at(src, slot), c.shape.width, c.shape.height, src_pitch, c.pixel_bytes},
                {at(dst, slot), turned.width, turned.height, dst_pitch, c.pixel_bytes},
                c.orientation);
    };
    const Rate bound = rate_of(time(copy, calls, plan.batches), moved);
    const Rate rate = rate_of(time(turn, calls, plan.batches), moved);
    listener({c, rate, bound, "memcpy"});
  }
}

}  // namespace qturn::bench
