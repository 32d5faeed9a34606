// The state before each subsequence, without reading everything before it.
//
// A thread guesses: it reads some bits before its subsequence, from a state that is likely wrong.
// Then it reads its subsequence. If the one before ended in another state than this one began with,
// this one begins again, until nothing changes in the block of threads. In further launches the
// first thread of each block compares with the block before; a block that has nothing to do leaves
// at once. A few launches are enough for photographs. What is not synchronised then (large areas of
// one colour, whose codes repeat) is left to the CPU, so the time is bounded, whatever the data is.
#include "kernels/jpeg/src/stages.hpp"

#include "kernels/jpeg/src/segments.cuh"
#include "kernels/src/cuda/dynamic_shared.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr int rounds = 8;

/// What a thread knows of its subsequence.
struct Passed {
  std::uint32_t start = 0, end = 0, blocks = 0;
};

__device__ std::uint32_t guess(const Picture& picture, const ReadTables& tables,
                               const Subsequence& at, Cut cut) {
  if (at.is_first) return 0;
  const std::uint32_t from = max(at.begin, at.segment_begin + cut.warm_up_bits) - cut.warm_up_bits;
  State state{from, 0, 0};
  pass(picture.words, tables, state, at.begin);
  return state.packed(at.begin);
}

__device__ void pass_from(std::uint32_t start, const Picture& picture, const ReadTables& tables,
                          const Subsequence& at, Passed& passed) {
  State state = State::unpacked(start, at.begin);
  passed.start = start;
  passed.blocks = pass(picture.words, tables, state, at.end);
  // The state at the end of a segment is nobody's.
  passed.end = at.end < at.segment_end ? state.packed(at.end) : 0;
}

__global__ void __launch_bounds__(group)
    synchronise_group(const Picture* pictures, Cut cut, int round) {
  __shared__ std::uint32_t ends[group];
  __shared__ bool idle;
  const Picture& picture = pictures[blockIdx.y];
  const std::uint32_t first = blockIdx.x * group, i = first + threadIdx.x;
  if (threadIdx.x == 0) {
    idle = has_failed(picture) || first >= subsequences(picture);
    if (!idle && round > 0) {
      ends[0] = first == 0 ? picture.start[0]
                           : *static_cast<volatile std::uint32_t*>(&picture.end[first - 1]);
      idle = Subsequence(picture, cut, first).is_first || ends[0] == picture.start[first];
    }
  }
  __syncthreads();
  if (idle) return;
  const bool active = i < subsequences(picture);
  const std::uint32_t incoming = ends[0];
  const ReadTables tables = load_tables(picture, device::dynamic_shared());
  __syncthreads();

  const Subsequence at(picture, cut, active ? i : first);
  Passed passed;
  if (active && round == 0) {
    pass_from(guess(picture, tables, at, cut), picture, tables, at, passed);
  } else if (active) {
    passed = {picture.start[i], picture.end[i], picture.blocks_in[i]};
    if (threadIdx.x == 0) pass_from(incoming, picture, tables, at, passed);
  }
  while (true) {
    ends[threadIdx.x] = passed.end;
    __syncthreads();
    const bool has_other = active && !at.is_first && threadIdx.x > 0;
    const std::uint32_t start = has_other ? ends[threadIdx.x - 1] : passed.start;
    if (!__syncthreads_or(start != passed.start)) break;
    if (start != passed.start) pass_from(start, picture, tables, at, passed);
  }
  if (!active) return;
  picture.start[i] = passed.start;
  picture.end[i] = passed.end;
  picture.blocks_in[i] = passed.blocks;
}

/// Blocks since the begin of a segment.
struct BlockCount {
  std::uint32_t blocks = 0, restarts = 0;
};

struct AddBlocks {
  __device__ BlockCount operator()(const BlockCount& a, const BlockCount& b) const {
    return b.restarts != 0 ? b : BlockCount{a.blocks + b.blocks, a.restarts};
  }
};

__global__ void __launch_bounds__(sum_threads) number_blocks(const Picture* pictures, Cut cut) {
  const Picture& picture = pictures[blockIdx.x];
  if (has_failed(picture)) return;  // no thread of this kernel changes it before the sum
  const std::uint32_t per_segment = picture.turn.src.blocks_in_segment();
  bool synchronised = true;
  sum_in_order<BlockCount>(
      subsequences(picture), AddBlocks{},
      [&](std::uint32_t i) {
        const bool is_first = Subsequence(picture, cut, i).is_first;
        if (!is_first && picture.start[i] != picture.end[i - 1]) synchronised = false;
        return BlockCount{picture.blocks_in[i], is_first ? 1u : 0u};
      },
      [&](std::uint32_t i, const BlockCount& before, const BlockCount& own) {
        const std::uint32_t segment = Subsequence(picture, cut, i).segment;
        picture.blocks_in[i] = segment * per_segment + (own.restarts != 0 ? 0 : before.blocks);
      });
  if (!synchronised) fail(picture, JpegFault::synchronisation);
}

}  // namespace

void synchronise(const Batch& batch) {
  const dim3 grid((batch.subsequences + group - 1) / group, batch.count);
  const std::size_t shared = table_bytes(batch.read_tables);
  device::allow_dynamic_shared(synchronise_group, static_cast<int>(shared));
  for (int round = 0; round < rounds; ++round) {
    device::launch(synchronise_group, grid, group, shared, batch.stream, false, batch.pictures,
                   batch.cut, round);
  }
  device::launch(number_blocks, dim3(batch.count), sum_threads, 0, batch.stream, false,
                 batch.pictures, batch.cut);
}

}  // namespace qturn::jpeg
