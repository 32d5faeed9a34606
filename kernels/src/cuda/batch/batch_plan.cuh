// Many pictures as the blocks of one launch.
//
// Each picture is cut into tiles, and the tiles of all are numbered in one line; a block finds the
// picture of its number by bisection, within a stretch of numbers whose pictures are known. So a
// large picture is spread over as many blocks as it has work for, and small ones fill the gaps.
// Each kernel decides what a planned picture is and how many tiles it has, with a function `plan(i,
// picture)`, which fills in picture i and returns its number of tiles.
#pragma once

#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/src/cuda/device_traits.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::device {

constexpr unsigned orientations_where(bool Reading::*bit) {
  unsigned set = 0;
  for (Orientation orientation : all_orientations) {
    if (reading(orientation).*bit) set |= 1u << static_cast<unsigned>(orientation);
  }
  return set;
}

// reading(), also for device code.
inline constexpr unsigned valid = 0x1fe;  // 1 to 8
inline constexpr unsigned swapped = orientations_where(&Reading::swap_axes);
inline constexpr unsigned from_right = orientations_where(&Reading::from_right);
inline constexpr unsigned from_bottom = orientations_where(&Reading::from_bottom);

__host__ __device__ inline bool is_in(unsigned orientations, Orientation orientation) {
  const auto number = static_cast<unsigned>(orientation);  // up to 255, if it is not one
  return number < 32 && (orientations >> number & 1u) != 0;
}

/// Tiles are divided into stretches of 2^`shift`, at most this many, so that a block need not
/// search all pictures for the one of its tile. `Picture::stretches`: how many, if there is room
/// for more than a few pictures.
template <class Picture, int capacity>
inline constexpr unsigned batch_stretches = capacity > 64 ? Picture::stretches : 64;

__host__ __device__ constexpr unsigned stretch_shift(unsigned tiles, unsigned stretches) {
  unsigned shift = 0;
  while (tiles > std::uint64_t{stretches} << shift) ++shift;
  return shift;
}
static_assert(stretch_shift(1024, 1024) == 0 && stretch_shift(1025, 1024) == 1);
static_assert(stretch_shift(~0u, 1024) == 22 && stretch_shift(~0u, 64) == 26);

/// Tiles of a launch. So many have a few TB.
inline constexpr std::int64_t most_tiles = (std::int64_t{1} << 31) - 1;

/// The tiles of a picture. Throws std::invalid_argument for more than a launch has.
inline unsigned tiles_of_launch(std::int64_t tiles) {
  if (tiles <= most_tiles) return static_cast<unsigned>(tiles);
  throw std::invalid_argument("an image of " + std::to_string(tiles) + " tiles, expected up to " +
                              std::to_string(most_tiles));
}

/// The pictures of a batch as a kernel gets them.
template <class Picture, int capacity>
struct BatchParameters {
  unsigned count;
  unsigned shift;
  std::uint16_t
      first_picture[batch_stretches<Picture, capacity> + 1];  // of each stretch, and the last one
  unsigned first_tile[capacity];                              // of each picture
  Picture pictures[capacity];
};

/// Groups of pictures in memory, at most.
inline constexpr unsigned most_groups = 1024;

/// The same for pictures in memory. They are planned in groups of `group`, and every block adds the
/// tiles of all groups up for itself, so that none waits for a single one that does.
template <class Picture>
struct BatchInMemory {
  unsigned count;
  unsigned group;
  const unsigned* group_tiles;  // of each group, or more than most_tiles
  const unsigned* first_tile;   // of each picture in its group
  const Picture* pictures;

  __host__ __device__ unsigned groups() const { return (count - 1) / group + 1; }
};

/// The picture that tile `number` belongs to.
template <class Batch>
__device__ __forceinline__ unsigned picture_of(const Batch& batch, unsigned shift,
                                               unsigned number) {
  unsigned begin = batch.first_picture[number >> shift];
  unsigned end = batch.first_picture[(number >> shift) + 1] + 1u;
  while (end - begin > 1) {
    const unsigned middle = (begin + end) / 2;
    if (batch.first_tile[middle] <= number) {
      begin = middle;
    } else {
      end = middle;
    }
  }
  return begin;
}

inline constexpr unsigned warp_threads = 32;

/// The sum of the numbers of this thread and of all threads before it in the warp.
__device__ __forceinline__ std::uint64_t sum_in_warp(std::uint64_t own) {
  const unsigned lane = threadIdx.x % warp_threads;
#pragma unroll
  for (unsigned distance = 1; distance < warp_threads; distance *= 2) {
    const unsigned long long before = __shfl_up_sync(~0u, own, distance);
    if (lane >= distance) own += before;
  }
  return own;
}

/// The last of `count` ascending numbers that is not above `value`; the first one is not. All
/// threads of a warp look for it together.
__device__ __forceinline__ unsigned last_up_to(const unsigned* numbers, unsigned count,
                                               unsigned value) {
  unsigned begin = 0;
  while (count > 1) {
    const unsigned step = (count - 1) / warp_threads + 1;
    const unsigned at = threadIdx.x % warp_threads * step;
    const unsigned found = __popc(__ballot_sync(~0u, at < count && numbers[begin + at] <= value));
    begin += (found - 1) * step;
    count = min(step, count - (found - 1) * step);
  }
  return begin;
}

/// Calls `run(number of the tile in its picture, picture)` for this block's tiles of a batch in
/// memory. The number of tiles is not known at the launch. While a tile is turned, the picture of
/// the next one comes into shared memory; there it takes no registers, like a parameter.
template <unsigned threads, class Picture, class Run>
__device__ __forceinline__ void for_tiles_of_block(const BatchInMemory<Picture>& batch, Run run) {
  static_assert(threads % warp_threads == 0 && sizeof(Picture) % 8 == 0);
  __shared__ alignas(16) Picture picture[2];
  __shared__ unsigned first_tile[2];
  __shared__ unsigned group_begin[most_groups];
  __shared__ std::uint64_t of_warp[threads / warp_threads];
  const unsigned groups = batch.groups();
  std::uint64_t tiles = 0;
  for (unsigned base = 0; base < groups; base += threads) {
    const unsigned i = base + threadIdx.x;
    const unsigned own = i < groups ? batch.group_tiles[i] : 0;
    const std::uint64_t up_to = sum_in_warp(own);
    if (threadIdx.x % warp_threads == warp_threads - 1) of_warp[threadIdx.x / warp_threads] = up_to;
    __syncthreads();
    std::uint64_t before = tiles;
#pragma unroll
    for (unsigned warp = 0; warp < threads / warp_threads; ++warp) {
      if (warp < threadIdx.x / warp_threads) before += of_warp[warp];
      tiles += of_warp[warp];
    }
    if (i < groups) group_begin[i] = static_cast<unsigned>(before + up_to - own);
    __syncthreads();
  }
  if (tiles > std::uint64_t{most_tiles}) return;

  const auto look_up = [&](unsigned number, int slot) {
    if (threadIdx.x >= warp_threads || number >= tiles) return;
    const unsigned in_group = last_up_to(group_begin, groups, number);
    const unsigned first = in_group * batch.group;
    const unsigned begin = group_begin[in_group];
    const unsigned i = first + last_up_to(batch.first_tile + first,
                                          min(batch.group, batch.count - first), number - begin);
    constexpr unsigned pieces = sizeof(Picture) / 8;
    static_assert(pieces <= warp_threads);
    if (threadIdx.x < pieces) {
      start_copy_of_eight(reinterpret_cast<Byte*>(&picture[slot]) + threadIdx.x * 8,
                          reinterpret_cast<const Byte*>(batch.pictures + i) + threadIdx.x * 8);
    }
    if (threadIdx.x == 0) first_tile[slot] = begin + (batch.group > 1 ? batch.first_tile[i] : 0);
  };
  look_up(blockIdx.x, 0);
  finish_copies();
  int slot = 0;
  for (unsigned number = blockIdx.x; number < tiles; number += gridDim.x, slot ^= 1) {
    look_up(number + gridDim.x, slot ^ 1);
    run(number - first_tile[slot], picture[slot]);
    finish_copies();
  }
}

/// As many blocks as run at once: each begins by adding up the tiles of all groups.
inline unsigned blocks_for_tiles_in_memory(int most_resident, int threads) {
  const DeviceTraits& gpu = current_device();
  const int resident = std::min(most_resident, gpu.resident_threads) / threads;
  return static_cast<unsigned>(gpu.multiprocessors) * static_cast<unsigned>(resident);
}

/// Where the plan of a batch in memory lies: pictures, then its numbers.
template <class Picture>
struct BatchWorkspace {
  static_assert(std::has_unique_object_representations_v<Picture>,
                "padding would be read that was never written");

  Picture* pictures;
  unsigned* first_tile;
  unsigned* group_tiles;

  BatchWorkspace(void* workspace, std::size_t count)
      : pictures(static_cast<Picture*>(workspace)),
        first_tile(reinterpret_cast<unsigned*>(pictures + count)),
        group_tiles(first_tile + count) {}

  static constexpr std::size_t bytes(std::size_t count) {
    return count * (sizeof(Picture) + sizeof(unsigned)) + most_groups * sizeof(unsigned);
  }

  BatchInMemory<Picture> batch(unsigned count) const {
    return {count, (count - 1) / most_groups + 1, group_tiles, first_tile, pictures};
  }
};

/// Plans a batch in memory, a group by each block, which is a warp: what each picture is, and the
/// running sum of their tiles.
template <class Picture, class Plan>
__global__ void __launch_bounds__(warp_threads)
    plan_batch_in_memory(const Plan plan, unsigned count, unsigned group,
                         const BatchWorkspace<Picture> to) {
  constexpr std::uint64_t too_many = std::uint64_t{most_tiles} + 1;
  const unsigned first = blockIdx.x * group;
  const unsigned end = min(group, count - first);
  wait_for_previous_kernel([&] {
    if (threadIdx.x < end) {
      prefetch_line(reinterpret_cast<const Byte*>(plan.images + first + threadIdx.x));
    }
  });
  std::uint64_t before = 0;
  for (unsigned base = 0; base < end; base += warp_threads) {
    const unsigned i = first + base + threadIdx.x;
    const bool exists = base + threadIdx.x < end;
    std::uint64_t tiles = 0;
    if (exists) {
      Picture picture;
      // The sum of 2^31 such numbers fits.
      tiles = min(static_cast<std::uint64_t>(plan(i, picture)), too_many);
      if (tiles != 0) to.pictures[i] = picture;
    }
    const std::uint64_t up_to = before + sum_in_warp(tiles);
    if (exists) to.first_tile[i] = static_cast<unsigned>(up_to - tiles);
    before = __shfl_sync(~0u, static_cast<unsigned long long>(up_to), warp_threads - 1);
  }
  if (threadIdx.x == 0) {
    to.group_tiles[blockIdx.x] = static_cast<unsigned>(min(before, too_many));
  }
}

/// Enqueues plan_batch_in_memory(); `plan` plans one descriptor.
template <class Picture, class Plan>
BatchInMemory<Picture> enqueue_plan(const Plan& plan, std::size_t count, void* workspace,
                                    cudaStream_t stream) {
  const BatchWorkspace<Picture> to(workspace, count);
  const BatchInMemory<Picture> batch = to.batch(static_cast<unsigned>(count));
  launch_overlapping(plan_batch_in_memory<Picture, Plan>, dim3(batch.groups()), warp_threads,
                     stream, plan, batch.count, batch.group, to);
  return batch;
}

// Parameters up to the first size work everywhere, larger ones from CUDA 12.1 on.
//
// They lie in constant memory, after 352 to 896 bytes of the system's, and arrays among them that
// are indexed at run time have to begin within the first 32 KB of it. A read there has a register
// and a signed offset of 16 bits. For a greater offset 64 KB must be added to the register, and
// ptxas of CUDA 13.0 does not always add them (IMAD.SHL R24, R24, 4; LDC R24, c[0x0][R24+-0x7fe8]
// on sm_90, more often on sm_100 and sm_120). The address is then before that memory, where an H200
// reads zeros, and a list at the end of the parameters never ended. So the other parameters come
// before a batch, and begins_early() is asserted for every indexed array.
inline constexpr std::size_t old_parameter_bytes = 4096;
inline constexpr std::size_t new_parameter_bytes = 32764;

/// Whether an array that begins this many bytes into a kernel's parameters begins within those 32
/// KB.
constexpr bool begins_early(std::size_t offset) { return offset + 896 < 32768; }

template <class Picture, int capacity>
constexpr std::size_t last_array_offset() {
  using Batch = BatchParameters<Picture, capacity>;
  static_assert(std::is_standard_layout_v<Batch>);
  static_assert(offsetof(Batch, first_picture) < offsetof(Batch, first_tile) &&
                offsetof(Batch, first_tile) < offsetof(Batch, pictures));
  return offsetof(Batch, pictures);
}

inline bool driver_takes_large_parameters() {
  static const bool takes = [] {
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess && version >= 12010;
  }();
  return takes;
}

/// Hands as many of the pictures from `first` on as fit one launch to `launch(parameters, tiles)`,
/// and returns how many.
template <class Picture, int capacity, class Plan, class Launch>
std::size_t launch_some(std::size_t first, std::size_t count, const Plan& plan,
                        const Launch& launch) {
  BatchParameters<Picture, capacity> batch;
  batch.count = 0;
  std::int64_t tiles = 0;
  std::size_t i = first;
  for (; i < count && batch.count < capacity; ++i) {
    batch.first_tile[batch.count] = static_cast<unsigned>(tiles);
    const unsigned more = tiles_of_launch(plan(i, batch.pictures[batch.count]));
    if (tiles + more > most_tiles) break;
    if (more == 0) continue;
    tiles += more;
    batch.count += 1;
  }
  if (tiles == 0) return i - first;
  constexpr unsigned stretches = batch_stretches<Picture, capacity>;
  batch.shift = stretch_shift(static_cast<unsigned>(tiles), stretches);
  unsigned picture = 0;
  for (unsigned stretch = 0; stretch <= stretches; ++stretch) {
    const std::uint64_t tile = std::uint64_t{stretch} << batch.shift;
    while (picture + 1 < batch.count && batch.first_tile[picture + 1] <= tile) ++picture;
    batch.first_picture[stretch] = static_cast<std::uint16_t>(picture);
  }
  launch(batch, static_cast<unsigned>(tiles));
  return i - first;
}

/// Hands all `count` pictures to `launch`: at most `few` at a time, or `many` where there are more
/// and the driver takes them.
template <class Picture, int few, int many, class Plan, class Launch>
void launch_all(std::size_t count, const Plan& plan, const Launch& launch) {
  for (std::size_t first = 0; first < count;) {
    first += count - first > few && driver_takes_large_parameters()
                 ? launch_some<Picture, many>(first, count, plan, launch)
                 : launch_some<Picture, few>(first, count, plan, launch);
  }
}

}  // namespace qturn::device
