// Coefficients out of codes, a subsequence for each thread.
#include "kernels/jpeg/src/stages.hpp"

#include "kernels/jpeg/src/segments.cuh"
#include "kernels/src/cuda/dynamic_shared.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

__global__ void __launch_bounds__(group) read_codes(const Picture* pictures, Cut cut) {
  __shared__ bool failed;
  const Picture& picture = pictures[blockIdx.y];
  const std::uint32_t first = blockIdx.x * group, i = first + threadIdx.x;
  if (threadIdx.x == 0) failed = has_failed(picture);
  __syncthreads();
  if (failed || first >= subsequences(picture)) return;
  const ReadTables tables = load_tables(picture, device::dynamic_shared());
  __syncthreads();
  if (i >= subsequences(picture)) return;

  const Subsequence at(picture, cut, i);
  const std::uint32_t last = picture.turn.src.blocks_until(at.segment);
  std::uint32_t number = picture.blocks_in[i];
  if (number >= last) return;
  State state = State::unpacked(picture.start[i], at.begin);
  const ReadBlocks to{picture.dc, picture.values, picture.sets, picture.parted};
  if (!read(picture.words, tables, state, at.end, number, last, to)) {
    fail(picture, JpegFault::code);
  } else if (number == last) {
    atomicAdd(&picture.progress->segments_read, 1u);
    if (state.bit > at.segment_end) fail(picture, JpegFault::missing_blocks);
    if (state.bit + 8 <= at.segment_end) fail(picture, JpegFault::extra_data);
  }
}

/// The sums of DC differences in an MCU, or in several.
struct DcSums {
  std::int32_t of[most_components] = {};
  std::uint32_t restarts = 0;
};

struct AddDc {
  __device__ DcSums operator()(const DcSums& a, const DcSums& b) const {
    if (b.restarts != 0) return b;
    DcSums sum = a;
    for (std::uint32_t i = 0; i < most_components; ++i) sum.of[i] += b.of[i];
    return sum;
  }
};

__global__ void __launch_bounds__(sum_threads) sum_dc(const Picture* pictures) {
  const Picture& picture = pictures[blockIdx.x];
  const Layout& layout = picture.turn.src;
  if (has_failed(picture)) return;  // no thread of this kernel changes it before the sum
  bool fits = true;
  const auto each = [&](std::uint32_t mcu, DcSums& sums, auto visit) {
    for (std::uint32_t block = 0; block < layout.blocks_in_mcu; ++block) {
      const std::uint32_t which = layout.component_of[block];
      std::int16_t& value = picture.dc[mcu * layout.blocks_in_mcu + block];
      // An index that the compiler knows keeps the sums in registers.
#pragma unroll
      for (std::uint32_t i = 0; i < most_components; ++i) {
        if (i == which) {
          sums.of[i] += value;
          visit(value, sums.of[i]);
        }
      }
    }
  };
  sum_in_order<DcSums>(
      layout.mcus, AddDc{},
      [&](std::uint32_t mcu) {
        DcSums sums;
        sums.restarts = mcu % layout.mcus_in_segment == 0 ? 1 : 0;
        each(mcu, sums, [](std::int16_t&, std::int32_t) {});
        return sums;
      },
      [&](std::uint32_t mcu, const DcSums& before, const DcSums& own) {
        DcSums sums = own.restarts != 0 ? DcSums{} : before;
        each(mcu, sums, [&](std::int16_t& value, std::int32_t sum) {
          value = static_cast<std::int16_t>(sum);
          fits &= value == sum;
        });
      });
  if (!fits) fail(picture, JpegFault::range);
  if (threadIdx.x == 0 && picture.progress->segments_read != layout.segments()) {
    fail(picture, JpegFault::missing_blocks);
  }
}

}  // namespace

void read_coefficients(const Batch& batch) {
  const dim3 grid((batch.subsequences + group - 1) / group, batch.count);
  const std::size_t shared = table_bytes(batch.read_tables);
  device::allow_dynamic_shared(read_codes, static_cast<int>(shared));
  device::launch(read_codes, grid, group, shared, batch.stream, false, batch.pictures, batch.cut);
  device::launch(sum_dc, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
