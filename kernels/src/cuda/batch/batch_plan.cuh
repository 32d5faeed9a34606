// Many pictures as the blocks of one launch.
//
// Each picture is cut into tiles, and the tiles of all are numbered in one line; a block finds the
// picture of its number by bisection, within a stretch of numbers whose pictures are known. So a
// large picture is spread over as many blocks as it has work for, and small ones fill the gaps.
// Each kernel decides what a planned picture is and how many tiles it has, with a function `plan(i,
// picture)`, which fills in picture i and returns its number of tiles.
#ifndef QTURN_KERNELS_CUDA_BATCH_BATCH_PLAN_CUH
#define QTURN_KERNELS_CUDA_BATCH_BATCH_PLAN_CUH

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
inline constexpr unsigned stretches_in_memory = 1024;

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

/// The same for pictures in memory.
template <class Picture>
struct BatchInMemory {
  unsigned count;
  const unsigned* shift;
  const unsigned* first_picture;
  const unsigned* first_tile;  // and at the end the number of all tiles
  const Picture* pictures;
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

/// Calls `run(number of the tile in its picture, picture)` for this block's tiles of a batch in
/// memory. The number of tiles is not known at the launch.
template <class Picture, class Run>
__device__ __forceinline__ void for_tiles_of_block(const BatchInMemory<Picture>& batch, Run run) {
  // In shared memory it takes no registers, like a parameter.
  __shared__ Picture picture;
  __shared__ unsigned first_tile;
  const unsigned tiles = batch.first_tile[batch.count];
  for (unsigned number = blockIdx.x; number < tiles; number += gridDim.x) {
    if (threadIdx.x == 0) {
      const unsigned i = picture_of(batch, *batch.shift, number);
      picture = batch.pictures[i];
      first_tile = batch.first_tile[i];
    }
    __syncthreads();
    run(number - first_tile, picture);
    __syncthreads();
  }
}

/// Several times as many blocks as run at once. The more blocks, the fewer tiles each has, and the
/// sooner a block with little work makes room for the next.
inline unsigned blocks_for_tiles_in_memory(int most_resident, int threads) {
  const DeviceTraits& gpu = current_device();
  const int resident = std::min(most_resident, gpu.resident_threads) / threads;
  return static_cast<unsigned>(gpu.multiprocessors) * static_cast<unsigned>(resident) * 4;
}

/// Where the plan of a batch in memory lies: pictures, then its numbers.
template <class Picture>
struct BatchWorkspace {
  static_assert(std::has_unique_object_representations_v<Picture>,
                "padding would be read that was never written");

  Picture* pictures;
  unsigned* first_tile;
  unsigned* first_picture;
  unsigned* shift;

  BatchWorkspace(void* workspace, std::size_t count)
      : pictures(static_cast<Picture*>(workspace)),
        first_tile(reinterpret_cast<unsigned*>(pictures + count)),
        first_picture(first_tile + count + 1),
        shift(first_picture + stretches_in_memory + 1) {}

  static constexpr std::size_t bytes(std::size_t count) {
    return count * (sizeof(Picture) + sizeof(unsigned)) +
           (1 + stretches_in_memory + 1 + 1) * sizeof(unsigned);
  }

  BatchInMemory<Picture> batch(unsigned count) const {
    return {count, shift, first_picture, first_tile, pictures};
  }
};

inline constexpr int plan_threads = 1024;

/// One block makes the plan of a batch in memory: what each picture is, the running sum of their
/// tiles, and which pictures the stretches of tiles begin in. With more than `most_tiles`, which no
/// memory holds, there is nothing to do.
template <class Picture, class Plan>
__global__ void __launch_bounds__(plan_threads)
    plan_batch_in_memory(const Plan plan, unsigned count, const BatchWorkspace<Picture> to) {
  __shared__ std::uint64_t sums[plan_threads];
  wait_for_previous_kernel();
  std::uint64_t before = 0;
  for (unsigned base = 0; base < count; base += plan_threads) {
    const unsigned i = base + threadIdx.x;
    std::uint64_t tiles = 0;
    if (i < count) {
      Picture picture;
      // The sum of 2^31 such numbers fits.
      constexpr std::uint64_t too_many = std::uint64_t{most_tiles} + 1;
      tiles = min(static_cast<std::uint64_t>(plan(i, picture)), too_many);
      if (tiles != 0) to.pictures[i] = picture;
    }
    sums[threadIdx.x] = tiles;
    __syncthreads();
    for (unsigned distance = 1; distance < plan_threads; distance *= 2) {
      const std::uint64_t left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < count) {
      to.first_tile[i] = static_cast<unsigned>(before + sums[threadIdx.x] - tiles);
    }
    before += sums[plan_threads - 1];
    __syncthreads();
  }
  const unsigned all = before > std::uint64_t{most_tiles} ? 0 : static_cast<unsigned>(before);
  const unsigned shift = stretch_shift(all, stretches_in_memory);
  if (threadIdx.x == 0) {
    to.first_tile[count] = all;
    *to.shift = shift;
  }
  __syncthreads();
  if (all == 0) return;
  // Of each stretch, or of the last tile if the stretch begins after it.
  for (unsigned i = threadIdx.x; i < count; i += plan_threads) {
    const unsigned begin = to.first_tile[i];
    const unsigned end = to.first_tile[i + 1];
    if (begin == end) continue;
    const std::uint64_t size = std::uint64_t{1} << shift;
    const std::uint64_t last = end == all ? stretches_in_memory : (end - 1) / size;
    for (std::uint64_t s = (begin + size - 1) / size; s <= last; ++s) to.first_picture[s] = i;
  }
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

#endif  // QTURN_KERNELS_CUDA_BATCH_BATCH_PLAN_CUH
