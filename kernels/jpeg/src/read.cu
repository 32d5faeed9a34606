// Coefficients from codes, one subsequence per thread.
//
// A block of threads copies the words of its subsequences to shared memory first. Read from where
// they are, each thread would hold a cache line of its own, more than the cache has, and a warp
// would wait for a word of one of its threads nearly every time: 5.1 ms instead of 3.8 for 64
// photographs on an H200 (2026-11-23). Synchronising does not gain from it, because fewer threads
// are resident then.
#include "kernels/jpeg/src/stages.hpp"

#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/segments.cuh"

namespace qturn::jpeg {
namespace {

/// How many subsequences a block of threads takes, if its shared memory holds that many. 64 KB, the
/// least that a GPU has, hold a small group with eight tables.
constexpr int large_group = 256, medium_group = 128, small_group = 64;
constexpr int spread_of_few = 4;
constexpr std::uint32_t read_ahead = 4;

constexpr std::uint32_t staged_bytes(const Batch& batch, int group) {
  const std::uint32_t words = batch.cut.subsequence_bits / 32;
  return StagedTables::bytes(batch.read_tables) +
         (static_cast<std::uint32_t>(group) * words + read_ahead) * 4;
}

/// One of `spread` threads reads, the others only copy.
template <int group, int spread>
__global__ void __launch_bounds__(group* spread, 2) read_codes(const Picture* pictures, Cut cut) {
  const Picture& picture = pictures[blockIdx.y];
  const std::uint32_t first = blockIdx.x * group, i = first + threadIdx.x / spread;
  if (is_given_up(picture) || first >= subsequences(picture)) return;
  const StagedTables staged(picture);
  const std::uint32_t words = cut.subsequence_bits / 32;
  const std::uint32_t count = min(std::uint32_t{group}, subsequences(picture) - first);
  // The last granule may be more than that.
  copy_words<uint4>(picture.words + std::size_t{first} * words, staged.end,
                    (count * words + read_ahead + 3) / 4);
  __syncthreads();
  if (threadIdx.x % spread != 0 || i >= subsequences(picture)) return;

  const Subsequence at(picture, cut, i, first * cut.subsequence_bits);
  const std::uint32_t last = picture.turn.src.blocks_until(at.segment);
  std::uint32_t number = picture.blocks_in[i];
  if (number >= last) return;
  State state = State::unpacked(picture.start[i], at.begin);
  const ReadBlocks to{picture.dc, picture.values, picture.sets, picture.parted};
  if (!read(staged.end, staged.tables, state, at.end, number, last, to)) {
    fail(picture, JpegFault::code);
  } else if (number == last) {
    atomicAdd(&picture.progress->segments_read, 1u);
    if (state.bit > at.segment_end) fail(picture, JpegFault::missing_blocks);
    if (state.bit + 8 <= at.segment_end) fail(picture, JpegFault::extra_data);
  }
}

template <int group, int spread = 1>
void launch_read_codes(const Batch& batch, std::uint32_t shared_bytes) {
  const dim3 grid((batch.subsequences + group - 1) / group, batch.count);
  const std::uint32_t shared = staged_bytes(batch, group);
  // The same for all batches, because other host threads launch theirs meanwhile.
  device::allow_dynamic_shared(read_codes<group, spread>, static_cast<int>(shared_bytes));
  device::launch(read_codes<group, spread>, grid, group * spread, shared, batch.stream, false,
                 batch.pictures, batch.cut);
}

struct AddDc {
  __device__ DcSums operator()(const DcSums& a, const DcSums& b) const {
    if (b.restarts != 0) return b;
    DcSums sum = a;
    for (std::uint32_t i = 0; i < most_components; ++i) sum.of[i] += b.of[i];
    return sum;
  }
};

using DcScan = cub::BlockScan<DcSums, static_cast<int>(dc_mcus), cub::BLOCK_SCAN_WARP_SCANS>;

/// The MCU of a thread.
class DcMcu {
 public:
  __device__ DcMcu(const Picture& picture, std::uint32_t mcu)
      : layout_(picture.turn.src),
        dc_(picture.dc + std::size_t{mcu} * layout_.blocks_in_mcu),
        is_there_(mcu < layout_.mcus),
        restarts_(mcu % layout_.mcus_in_segment == 0) {}

  __device__ DcSums sums() const {
    DcSums sums;
    sums.restarts = restarts_ ? 1 : 0;
    each(sums, [](std::int16_t&, std::int32_t) {});
    return sums;
  }
  /// Replaces the differences by their sums after `before`. Returns whether these fit.
  __device__ bool add_up(const DcSums& before) const {
    DcSums sums = restarts_ ? DcSums{} : before;
    bool fits = true;
    each(sums, [&](std::int16_t& value, std::int32_t sum) {
      value = static_cast<std::int16_t>(sum);
      fits &= value == sum;
    });
    return fits;
  }

 private:
  template <class Visit>
  __device__ void each(DcSums& sums, Visit visit) const {
    for (std::uint32_t block = 0; is_there_ && block < layout_.blocks_in_mcu; ++block) {
      const std::uint32_t which = layout_.component_of[block];
      std::int16_t& value = dc_[block];
      // An index that the compiler knows keeps the sums in registers.
#pragma unroll
      for (std::uint32_t i = 0; i < most_components; ++i) {
        if (i == which) {
          sums.of[i] += static_cast<std::uint32_t>(value);
          visit(value, static_cast<std::int32_t>(sums.of[i]));
        }
      }
    }
  }

  const Layout& layout_;
  std::int16_t* dc_;
  bool is_there_, restarts_;
};

__global__ void __launch_bounds__(dc_mcus) sum_dc_groups(const Picture* pictures) {
  __shared__ typename DcScan::TempStorage scratch;
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.dc_groups || is_given_up(picture)) return;
  const DcMcu own(picture, blockIdx.x * dc_mcus + threadIdx.x);
  DcSums within, all;
  DcScan(scratch).ExclusiveScan(own.sums(), within, DcSums{}, AddDc{}, all);
  if (threadIdx.x == 0) picture.dc_sums[blockIdx.x] = all;
}

__global__ void __launch_bounds__(sum_threads) sum_dc(const Picture* pictures) {
  const Picture& picture = pictures[blockIdx.x];
  if (has_failed(picture)) return;  // a thread of this kernel changes it only if all return
  if (picture.progress->segments_read != picture.turn.src.segments()) {
    fail(picture, JpegFault::missing_blocks);
    return;
  }
  sum_in_order<DcSums>(
      picture.dc_groups, AddDc{}, [&](std::uint32_t i) { return picture.dc_sums[i]; },
      [&](std::uint32_t i, const DcSums& before, const DcSums&) { picture.dc_sums[i] = before; });
}

__global__ void __launch_bounds__(dc_mcus) add_dc(const Picture* pictures) {
  __shared__ typename DcScan::TempStorage scratch;
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.dc_groups || is_given_up(picture)) return;
  const DcMcu own(picture, blockIdx.x * dc_mcus + threadIdx.x);
  DcSums within;
  DcScan(scratch).ExclusiveScan(own.sums(), within, DcSums{}, AddDc{});
  const DcSums before = AddDc{}(picture.dc_sums[blockIdx.x], within);
  if (!own.add_up(before)) fail(picture, JpegFault::range);
}

}  // namespace

std::uint32_t shared_bytes_for_reading() {
  int device = 0, limit = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  constexpr std::uint32_t other = 1024;  // what the kernel declares besides
  return static_cast<std::uint32_t>(limit) - other;
}

void read_coefficients(const Batch& batch, std::uint32_t shared_bytes) {
  if (batch.cut.spreads) {
    launch_read_codes<small_group, spread_of_few>(batch, shared_bytes);
  } else if (staged_bytes(batch, large_group) <= shared_bytes) {
    launch_read_codes<large_group>(batch, shared_bytes);
  } else if (staged_bytes(batch, medium_group) <= shared_bytes) {
    launch_read_codes<medium_group>(batch, shared_bytes);
  } else {
    launch_read_codes<small_group>(batch, shared_bytes);
  }
  const dim3 groups(batch.dc_groups, batch.count);
  device::launch(sum_dc_groups, groups, static_cast<int>(dc_mcus), 0, batch.stream, false,
                 batch.pictures);
  device::launch(sum_dc, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
  device::launch(add_dc, groups, static_cast<int>(dc_mcus), 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
