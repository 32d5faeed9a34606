// Single pictures out of place: our kernels, a copy of the same bytes, and other libraries.
#include <qturn/cuda.hpp>

#include <chrono>

#include "tools/bench/arena.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/peers.hpp"

namespace qturn::bench {
namespace {

// Where the images of a case lie in the two large blocks of memory.
struct Slots {
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t offset;
  std::int64_t stride;  // from one image to the next, in both blocks
  std::int64_t launches;

  explicit Slots(const Case& c) {
    const Size turned = turned_size(c.orientation, {c.shape.width, c.shape.height});
    src_pitch = c.shape.pitch(c.shape.width, c.pixel_bytes);
    dst_pitch = c.shape.pitch(turned.width, c.pixel_bytes);
    offset = c.shape.offset_pixels * c.pixel_bytes;
    const std::int64_t bytes =
        offset + std::max(src_pitch * c.shape.height, dst_pitch * turned.height);
    stride = (bytes + 1023) / 512 * 512;
    launches = launches_of_a_batch(stride);
  }
};

// Memory for the images of all cases.
struct Blocks {
  GpuMemory src;
  GpuMemory dst;
  GpuMemory differing{sizeof(unsigned long long)};
  GpuTimer timer;

  explicit Blocks(std::int64_t bytes) : src(bytes), dst(bytes) {
    fill_random(src.at(0), bytes, timer.stream());
    fill_random(dst.at(0), bytes, timer.stream());
    must(cudaStreamSynchronize(timer.stream()));
  }

  ConstView src_view(const Case& c, const Slots& slots, std::int64_t slot) const {
    return {src.at(slot * slots.stride + slots.offset), c.shape.width, c.shape.height,
            slots.src_pitch, c.pixel_bytes};
  }
  View dst_view(const Case& c, const Slots& slots, std::int64_t slot) const {
    const Size turned = turned_size(c.orientation, {c.shape.width, c.shape.height});
    return {dst.at(slot * slots.stride + slots.offset), turned.width, turned.height,
            slots.dst_pitch, c.pixel_bytes};
  }

  // A copy of a case's bytes, aligned and tight; and the kernel after which others are measured, in
  // memory that the next launch does not use, so that it warms no cache for it.
  GpuTimer::Launch copying(const Case& c, const Slots& slots) const {
    return [this, &c, &slots](std::int64_t slot, cudaStream_t stream) {
      copy_linear(src.at(slot * slots.stride), dst.at(slot * slots.stride), c.image_bytes(),
                  stream);
    };
  }
  GpuTimer::Launch foreign(const Case& c, const Slots& slots) const {
    return [this, &c, &slots](std::int64_t slot, cudaStream_t stream) {
      const std::int64_t other = (slot + slots.launches / 2) % slots.launches;
      copy_alone(src.at(other * slots.stride), dst.at(other * slots.stride),
                 foreign_bytes(c.image_bytes()), stream);
    };
  }
};

// The fastest copy of the same bytes: a kernel that copies from view to view, and, if rows are
// tight, a kernel and cudaMemcpyAsync that copy aligned memory.
Rate measure_bound(const Case& c, const Slots& slots, Blocks& blocks, int batches,
                   std::string& by) {
  Rate best;
  const auto measure = [&](const char* name, const GpuTimer::Launch& launch) {
    const Rate rate = blocks.timer.rate(launch, slots.launches, 2 * c.image_bytes(), batches);
    if (rate.median <= best.median) return;
    best = rate;
    by = name;
  };
  const bool tight = c.shape.pitch_multiple == 1;
  if (!tight || c.shape.offset_pixels != 0) {
    measure("copy kernel over views", [&](std::int64_t slot, cudaStream_t stream) {
      copy_views(blocks.src_view(c, slots, slot), blocks.dst_view(c, slots, slot), stream);
    });
  }
  if (tight) {
    measure("copy kernel", blocks.copying(c, slots));
    measure("cudaMemcpyAsync", [&](std::int64_t slot, cudaStream_t stream) {
      must(cudaMemcpyAsync(blocks.dst.at(slot * slots.stride), blocks.src.at(slot * slots.stride),
                           static_cast<std::size_t>(c.image_bytes()), cudaMemcpyDeviceToDevice,
                           stream));
    });
  }
  return best;
}

// How many bytes of the peer's result differ from ours, also around the picture. This is checked
// first and outside of any graph, so that a peer can load what it needs.
std::int64_t count_differing(const Case& c, const Slots& slots, const Blocks& blocks,
                             const Peer& peer) {
  cudaStream_t stream = blocks.timer.stream();
  const ConstView src = blocks.src_view(c, slots, 0);
  must(cudaMemsetAsync(blocks.dst.at(0), 0, static_cast<std::size_t>(2 * slots.stride), stream));
  must(cudaMemsetAsync(blocks.differing.at(0), 0, sizeof(unsigned long long), stream));
  transform(src, blocks.dst_view(c, slots, 0), c.orientation, stream);
  peer.enqueue(src, blocks.dst_view(c, slots, 1), c.orientation, stream);
  auto* counter = reinterpret_cast<unsigned long long*>(blocks.differing.at(0));
  count_differing_bytes(blocks.dst.at(0), blocks.dst.at(slots.stride), slots.stride, counter,
                        stream);
  unsigned long long count = 0;
  must(cudaMemcpyAsync(&count, counter, sizeof count, cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));
  return static_cast<std::int64_t>(count);
}

PeerResult measure_peer(const Case& c, const Slots& slots, Blocks& blocks, int batches,
                        const Peer& peer) {
  PeerResult result;
  result.name = peer.name;
  try {
    result.differing_bytes = count_differing(c, slots, blocks, peer);
    result.rate = blocks.timer.rate(
        [&](std::int64_t slot, cudaStream_t stream) {
          peer.enqueue(blocks.src_view(c, slots, slot), blocks.dst_view(c, slots, slot),
                       c.orientation, stream);
        },
        slots.launches, 2 * c.image_bytes(), batches);
  } catch (const std::runtime_error& error) {
    result.failure = error.what();
    cudaGetLastError();  // or the next launch would report the error
  }
  return result;
}

}  // namespace

std::vector<std::string> missing_peers(int device) {
  must(cudaSetDevice(device));
  return find_peers().missing;
}

void measure_gpu(const Plan& plan, int device, const Listener& listener) {
  must(cudaSetDevice(device));
  std::int64_t bytes = 1 << 30;
  for (const Case& c : plan.cases) {
    const Slots slots(c);
    bytes = std::max(bytes, slots.stride * slots.launches);
  }
  Blocks blocks(bytes);
  const Peers peers = plan.against ? find_peers() : Peers{};

  // A copy depends on the orientation only by the shape of the destination.
  struct Bound {
    std::string shape;
    int pixel_bytes;
    bool swapped;
    Rate rate;
    std::string by;
    Rate after_foreign;
  };
  std::vector<Bound> bounds;
  for (const Case& c : plan.cases) {
    const Slots slots(c);
    auto bound = std::find_if(bounds.begin(), bounds.end(), [&](const Bound& b) {
      return b.shape == c.shape.text && b.pixel_bytes == c.pixel_bytes &&
             b.swapped == swaps_axes(c.orientation);
    });
    if (bound == bounds.end()) {
      Bound measured{c.shape.text, c.pixel_bytes, swaps_axes(c.orientation), {}, {}, {}};
      measured.rate = measure_bound(c, slots, blocks, plan.batches, measured.by);
      if (plan.after_foreign) {
        measured.after_foreign =
            blocks.timer.rate_after(blocks.foreign(c, slots), blocks.copying(c, slots),
                                    slots.launches, 2 * c.image_bytes(), plan.batches);
      }
      bound = bounds.insert(bounds.end(), measured);
    }
    Result result{c, {}, bound->rate, bound->by};
    const auto turn = [&](std::int64_t slot, cudaStream_t stream) {
      transform(blocks.src_view(c, slots, slot), blocks.dst_view(c, slots, slot), c.orientation,
                stream);
    };
    result.rate = blocks.timer.rate(turn, slots.launches, 2 * c.image_bytes(), plan.batches);
    if (plan.after_foreign) {
      result.bound_after_foreign = bound->after_foreign;
      result.after_foreign = blocks.timer.rate_after(blocks.foreign(c, slots), turn, slots.launches,
                                                     2 * c.image_bytes(), plan.batches);
    }
    for (const Peer& peer : peers.found) {
      if (!peer.can(blocks.src_view(c, slots, 0), blocks.dst_view(c, slots, 0), c.orientation)) {
        continue;
      }
      result.peers.push_back(measure_peer(c, slots, blocks, plan.batches, peer));
    }
    listener(result);
  }
}

HostTimes gpu_host_times(int device) {
  must(cudaSetDevice(device));
  const GpuMemory memory(2 * 64 * 64 * 4);
  const ConstView src{memory.at(0), 64, 64, 256, 4};
  const View dst{memory.at(64 * 64 * 4), 64, 64, 256, 4};
  GpuTimer timer;
  // The two are measured alternately, so that both see the machine in the same state.
  std::vector<double> calls, launches;
  const auto measure = [&](std::vector<double>& to, auto call) {
    // Few enough for the launch queue, so that no call waits for the GPU.
    constexpr int count = 200;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) call();
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    to.push_back(spent.count() / count);
    must(cudaStreamSynchronize(timer.stream()));
  };
  for (int round = 0; round < 20; ++round) {
    measure(calls, [&] { transform(src, dst, Orientation::rotate90, timer.stream()); });
    measure(launches, [&] { copy_alone(src.data, dst.data, 16, timer.stream()); });
  }
  const auto median = [](std::vector<double>& of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
  };
  return {median(calls), median(launches)};
}

}  // namespace qturn::bench
