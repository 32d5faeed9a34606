// Entropy-coded data without the zero after each 0xFF, and without restart markers.
//
// The two neighbours of a byte say what it is. So every thread looks at sixteen bytes on its own,
// and a prefix sum says where they belong. The first marker that is not a restart ends the scan.
// Files with several 0xFF before a marker are left to the CPU.
#include "kernels/jpeg/src/stages.hpp"

#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/staged_bytes.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t thread_bytes = chunk_bytes / chunk_threads;
constexpr std::uint32_t first_restart = 0xD0, end_of_image = 0xD9;

/// A thread's bytes, with one before them and one after.
class Window {
 public:
  __device__ Window(const Picture& picture, std::uint32_t begin) {
    const std::uint32_t left = begin < picture.bytes ? picture.bytes - begin : 0;
    count_ = left < thread_bytes ? left : thread_bytes;
    if (begin >= word_bytes && left >= word_bytes * (words + 1)) {
      load_words(picture.data + begin - 1);
    } else {
      load_bytes(picture, begin);
    }
  }

  /// Whether a zero follows each 0xFF of it, as in nearly all data.
  __device__ bool has_no_marker() const {
    constexpr std::uint32_t with_next = (2u << thread_bytes) - 1;
    const std::uint32_t stuffed = bytes_like(0) >> 1;
    return count_ == thread_bytes && (bytes_like(0xFF) & with_next & ~stuffed) == 0;
  }
  /// Bytes of data, if it has no marker.
  __device__ std::uint32_t data_count() const { return thread_bytes - __popc(dropped()); }
  __device__ void copy_data(BytePacker& to) const {
    std::uint32_t without = dropped();
#pragma unroll
    for (std::uint32_t i = 0; i < thread_bytes / word_bytes; ++i, without >>= word_bytes) {
      std::uint32_t word = __funnelshift_r(words_[i], words_[i + 1], 8), count = word_bytes;
      std::uint32_t left = without & ((1u << word_bytes) - 1);
      for (; left != 0; --count) {  // from the last one on, so that the others stay in their places
        const std::uint32_t last = bit_width(left) - 1, below = (1u << 8 * last) - 1;
        word = (word & below) | (word >> 8 & ~below);
        left ^= 1u << last;
      }
      to.put(word, count);
    }
    to.end();
  }

  /// Calls data(byte) and marker(byte, its number), with 0xFF for a second 0xFF, in order.
  template <class Data, class Marker>
  __device__ void visit(Data data, Marker marker) const {
#pragma unroll
    for (std::uint32_t i = 1; i <= thread_bytes; ++i) {
      if (i > count_) break;
      if (byte(i - 1) == 0xFF) {
        if (byte(i) != 0) marker(byte(i), i - 1);
      } else if (byte(i) != 0xFF || byte(i + 1) == 0) {
        data(byte(i));
      }
    }
  }

 private:
  static constexpr std::uint32_t word_bytes = 4, words = (thread_bytes + 2 + 3) / word_bytes;

  // Bit i of the result is about byte i.
  __device__ std::uint32_t bytes_like(std::uint32_t value) const {
    std::uint32_t found = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t one_bit_each = __vcmpeq4(words_[i], value * 0x01010101u) & 0x08040201u;
      found |= (one_bit_each * 0x01010101u >> 24) << i * word_bytes;
    }
    return found;
  }

  // The bytes after 0xFF, counted without the byte before.
  __device__ std::uint32_t dropped() const { return bytes_like(0xFF) & ((1u << thread_bytes) - 1); }

  __device__ std::uint8_t byte(std::uint32_t i) const {
    return static_cast<std::uint8_t>(words_[i / word_bytes] >> i % word_bytes * 8);
  }

  // From any address, as whole words that lie in the data.
  __device__ void load_words(const std::uint8_t* from) {
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(address / word_bytes * word_bytes);
    const auto shift = static_cast<std::uint32_t>(address % word_bytes) * 8;
    std::uint32_t low = aligned[0];
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t high = aligned[i + 1];
      words_[i] = __funnelshift_r(low, high, shift);
      low = high;
    }
    words_[words - 1] &= 0xFFFFu;  // its other bytes are the next thread's
  }

  __device__ void load_bytes(const Picture& picture, std::uint32_t begin) {
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) words_[i] = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < thread_bytes + 2; ++i) {
      const std::uint32_t at = begin + i;  // one too high
      if (at < 1 || at > picture.bytes) continue;
      words_[i / word_bytes] |= std::uint32_t{picture.data[at - 1]} << i % word_bytes * 8;
    }
  }

  std::uint32_t count_;
  std::uint32_t words_[words];
};

__device__ constexpr bool is_restart(std::uint32_t marker) {
  return marker >> 3 == first_restart >> 3;
}

__device__ Runs runs_of(const Window& window, std::uint32_t unit) {
  Runs runs;
  if (window.has_no_marker()) {
    runs.add(window.data_count());
    return runs;
  }
  window.visit(
      [&](std::uint8_t) {
        if (runs.is_end == 0) runs.add(1);
      },
      [&](std::uint32_t marker, std::uint32_t) {
        if (runs.is_end != 0) return;
        if (is_restart(marker)) {
          runs.end_segment(unit);
        } else {
          runs.is_end = 1;
        }
      });
  return runs;
}

using RunScan = cub::BlockScan<Runs, chunk_threads, cub::BLOCK_SCAN_WARP_SCANS>;
using ByteScan = cub::BlockScan<std::uint32_t, chunk_threads, cub::BLOCK_SCAN_WARP_SCANS>;

union ChunkScratch {
  typename RunScan::TempStorage runs;
  typename ByteScan::TempStorage bytes;
};

__global__ void __launch_bounds__(chunk_threads) count_data(const Picture* pictures, Cut cut) {
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.chunks) return;
  __shared__ ChunkScratch scratch;
  const Window window(picture, blockIdx.x * chunk_bytes + threadIdx.x * thread_bytes);
  Runs within, all;
  if (__syncthreads_or(!window.has_no_marker())) {
    RunScan(scratch.runs)
        .ExclusiveScan(runs_of(window, cut.subsequence_bytes()), within, Runs{},
                       AddRuns{cut.subsequence_bytes()}, all);
  } else {
    ByteScan(scratch.bytes).ExclusiveSum(window.data_count(), within.first, all.first);
  }
  if (threadIdx.x == 0) picture.chunk_runs[blockIdx.x] = all;
}

__global__ void __launch_bounds__(sum_threads) sum_chunks(const Picture* pictures, Cut cut) {
  const Picture& picture = pictures[blockIdx.x];
  if (picture.known_faults != 0) {
    if (threadIdx.x == 0) picture.progress->faults = picture.known_faults;
    return;
  }
  const Runs all = sum_in_order<Runs>(
      picture.chunks, AddRuns{cut.subsequence_bytes()},
      [&](std::uint32_t i) { return picture.chunk_runs[i]; },
      [&](std::uint32_t i, const Runs& before, const Runs&) { picture.chunk_runs[i] = before; });
  if (threadIdx.x != 0) return;
  picture.segment_begin[0] = 0;
  if (all.is_end == 0) fail(picture, JpegFault::marker);
  if (all.ends + 1 != picture.turn.src.segments()) fail(picture, JpegFault::restarts);
}

/// Writes what a thread has, and says where segments begin and end.
class Unstuffer {
 public:
  /// After `runs`. What follows in the segment that is open goes to `open`, or where it belongs.
  __device__ Unstuffer(const Picture& picture, Cut cut, Runs runs, std::uint8_t* open)
      : picture_(picture), unit_(cut.subsequence_bytes()), runs_(runs) {
    go_to_segment();
    if (open) out_ = open - runs.open();
  }

  __device__ void data(std::uint8_t byte) {
    if (runs_.is_end != 0) return;
    out_[runs_.open()] = byte;
    runs_.add(1);
  }
  __device__ void marker(std::uint32_t marker, std::uint32_t at) {
    if (runs_.is_end != 0) return;
    const bool restarts = is_restart(marker);
    const std::uint32_t segment = runs_.ends, bytes = runs_.open();
    picture_.segment_bytes[segment] = bytes;
    runs_.end_segment(unit_);
    go_to_segment();
    picture_.segment_begin[segment + 1] = runs_.begin(unit_);
    if (restarts) {
      if ((marker & 7) != (segment & 7)) fail(picture_, JpegFault::restarts);
      return;
    }
    runs_.is_end = 1;
    if (marker != end_of_image) fail(picture_, JpegFault::marker);
    picture_.progress->src_bytes = at + 1;
  }

 private:
  __device__ void go_to_segment() {
    out_ =
        reinterpret_cast<std::uint8_t*>(picture_.words) + std::uint64_t{runs_.begin(unit_)} * unit_;
  }

  const Picture& picture_;
  std::uint32_t unit_;
  Runs runs_;
  std::uint8_t* out_;
};

/// Where the bytes after `runs` belong.
__device__ std::uint8_t* data_after(const Picture& picture, const Runs& runs, std::uint32_t unit) {
  return reinterpret_cast<std::uint8_t*>(picture.words) + std::uint64_t{runs.begin(unit)} * unit +
         runs.open();
}

__global__ void __launch_bounds__(chunk_threads) write_data(const Picture* pictures, Cut cut) {
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.chunks) return;
  __shared__ ChunkScratch scratch;
  __shared__ __align__(16) std::uint32_t staged[(chunk_bytes + granule_bytes) / 4];
  if (is_given_up(picture)) return;
  const Runs before = picture.chunk_runs[blockIdx.x];
  if (before.is_end != 0) return;
  const std::uint32_t begin = blockIdx.x * chunk_bytes + threadIdx.x * thread_bytes;
  const Window window(picture, begin);
  const AddRuns add{cut.subsequence_bytes()};
  std::uint8_t* to = data_after(picture, before, add.unit);
  clear_staged(staged, sizeof staged);
  Runs within, all;
  if (!__syncthreads_or(!window.has_no_marker())) {
    ByteScan(scratch.bytes).ExclusiveSum(window.data_count(), within.first, all.first);
    BytePacker packer(staged, staged_begin(to) + within.first);
    window.copy_data(packer);
  } else {
    RunScan(scratch.runs).ExclusiveScan(runs_of(window, add.unit), within, Runs{}, add, all);
    // Without a restart all data of the chunk lies together.
    std::uint8_t* open =
        all.ends != 0 ? nullptr
                      : reinterpret_cast<std::uint8_t*>(staged) + staged_begin(to) + within.first;
    Unstuffer unstuffer(picture, cut, add(before, within), open);
    window.visit(
        [&](std::uint8_t byte) { unstuffer.data(byte); },
        [&](std::uint32_t marker, std::uint32_t at) { unstuffer.marker(marker, begin + at); });
    if (all.ends != 0) return;
  }
  __syncthreads();
  copy_staged(staged, to, all.first);
}

}  // namespace

void unstuff(const Batch& batch) {
  const dim3 grid(batch.chunks, batch.count);
  device::launch(count_data, grid, chunk_threads, 0, batch.stream, false, batch.pictures,
                 batch.cut);
  device::launch(sum_chunks, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures,
                 batch.cut);
  device::launch(write_data, grid, chunk_threads, 0, batch.stream, false, batch.pictures,
                 batch.cut);
}

}  // namespace qturn::jpeg
