// The state before each subsequence, without reading everything before it.
//
// A thread guesses: it reads a stretch of bits before its subsequence, from a state that is likely
// wrong. Then it reads its subsequence. If the one before ended in another state than this one
// began with, this one is read again, until nothing changes in the block of threads. In a
// photograph a third to a half are read again, then a twentieth, then hardly any: the first threads
// of the block read them, so that most warps are idle. The first threads of a block do so for the
// end of the block before, whose state is hardly ever wrong then. In further launches the first
// thread after them compares its state with the end of the block before, as the launch before left
// it; a block with nothing to do leaves at once. A few launches are enough for photographs. What is
// not synchronised after the last one (large areas of one colour, whose codes repeat) is left to
// the CPU, so the time is bounded for any data. No block reads what another one writes in the same
// launch, so the same pictures are left every time.
#include "kernels/jpeg/src/stages.hpp"

#include <algorithm>

#include "kernels/jpeg/src/segments.cuh"

namespace qturn::jpeg {
namespace {

constexpr int rounds = 8;
constexpr std::uint32_t owned = synchronised_group;
constexpr std::uint32_t overlap = 8;  // subsequences that the block before owns
constexpr std::uint32_t group = owned + overlap;
constexpr int resident_groups = std::min(device::Tuning::jpeg.resident_groups,
                                         device::resident_threads / static_cast<int>(group));

/// The subsequences of a block of threads, in shared memory. If one is read again from another
/// state, the reader most likely comes to the state that was found at a quarter of the way, and the
/// rest stays as it is.
struct Group {
  static constexpr std::uint32_t unknown = ~0u;

  std::uint32_t start[group], end[group], blocks[group];
  std::uint32_t quarter[group], quarter_blocks[group];

  // The subsequences that have to be read, in any order, and the states before them.
  std::uint32_t waiting;
  std::uint8_t next[group];
  std::uint32_t next_start[group];

  __device__ void add(std::uint32_t which, std::uint32_t before) {
    next_start[which] = before;
    next[atomicAdd(&waiting, 1u)] = static_cast<std::uint8_t>(which);
  }
};
static_assert(group <= 256);

__device__ std::uint32_t guess(const Picture& picture, const ReadTables& tables,
                               const Subsequence& at, Cut cut) {
  if (at.is_first()) return 0;
  State state{at.begin - min(at.before, cut.warm_up_bits), 0, 0};
  pass(picture.words, tables, state, at.begin);
  return state.packed(at.begin);
}

__device__ void pass_next(const Picture& picture, const ReadTables& tables, const Subsequence& at,
                          std::uint32_t which, Group& all) {
  const std::uint32_t start = all.next_start[which];
  State state = State::unpacked(start, at.begin);
  all.start[which] = start;
  const std::uint32_t quarter = at.begin + (at.end - at.begin) / 4;
  const std::uint32_t blocks = pass(picture.words, tables, state, quarter);
  const std::uint32_t packed = state.packed(quarter);
  all.blocks[which] += blocks - all.quarter_blocks[which];
  all.quarter_blocks[which] = blocks;
  if (packed == all.quarter[which]) return;
  all.quarter[which] = packed;
  all.blocks[which] = blocks + pass(picture.words, tables, state, at.end);
  // The state at the end of a segment is nobody's.
  all.end[which] = at.end < at.segment_end ? state.packed(at.end) : 0;
}

/// Whether the first subsequence of a block of threads has to begin with another state than it did
/// in the rounds before this one.
__device__ bool has_new_start(const Picture& picture, Cut cut, std::uint32_t first, int round,
                              std::uint32_t& start) {
  if (Subsequence(picture, cut, first, 0).is_first()) return false;
  start = picture.group_end[(round - 1) % 2][blockIdx.x - 1];
  return start != picture.start[first];
}

__global__ void __launch_bounds__(group, resident_groups)
    synchronise_group(const Picture* pictures, Cut cut, int round) {
  __shared__ Group all;
  __shared__ std::uint32_t incoming;
  __shared__ bool idle;
  const Picture& picture = pictures[blockIdx.y];
  // The first block has nothing before it: its first threads are beyond the last one.
  const std::uint32_t begin = blockIdx.x * owned, first = begin - overlap, i = first + threadIdx.x;
  if (threadIdx.x == 0) {
    all.waiting = 0;
    idle = has_failed(picture) || begin >= subsequences(picture);
    if (!idle && round > 0 && !has_new_start(picture, cut, begin, round, incoming)) {
      idle = true;
      picture.group_end[round % 2][blockIdx.x] = picture.group_end[(round - 1) % 2][blockIdx.x];
    }
  }
  __syncthreads();
  if (idle) return;
  const bool owns = threadIdx.x >= overlap && i < subsequences(picture);
  const bool active = round == 0 ? i < subsequences(picture) : owns;
  const StagedTables staged(picture);
  __syncthreads();

  const Subsequence own(picture, cut, active ? i : begin, 0);
  const bool follows = active && threadIdx.x > (round == 0 ? 0 : overlap) && !own.is_first();
  all.quarter[threadIdx.x] = Group::unknown;
  all.quarter_blocks[threadIdx.x] = 0;
  if (round == 0) {
    all.blocks[threadIdx.x] = 0;
    if (active) all.add(threadIdx.x, guess(picture, staged.tables, own, cut));
  } else if (active) {
    all.start[threadIdx.x] = picture.start[i];
    all.end[threadIdx.x] = picture.end[i];
    all.blocks[threadIdx.x] = picture.blocks_in[i];
    if (threadIdx.x == overlap) all.add(overlap, incoming);
  }
  __syncthreads();
  const std::uint32_t place =
      cut.spreads ? threadIdx.x % 32 * (group / 32) + threadIdx.x / 32 : threadIdx.x;
  while (all.waiting != 0) {
    if (place < all.waiting) {
      const std::uint32_t which = all.next[place];
      pass_next(picture, staged.tables, Subsequence(picture, cut, first + which, 0), which, all);
    }
    __syncthreads();
    if (threadIdx.x == 0) all.waiting = 0;
    __syncthreads();
    const std::uint32_t before = threadIdx.x > 0 ? all.end[threadIdx.x - 1] : 0;
    if (follows && before != all.start[threadIdx.x]) all.add(threadIdx.x, before);
    __syncthreads();
  }
  if (!owns) return;
  picture.start[i] = all.start[threadIdx.x];
  picture.end[i] = all.end[threadIdx.x];
  picture.blocks_in[i] = all.blocks[threadIdx.x];
  if (i + 1 == min(begin + owned, subsequences(picture))) {
    picture.group_end[round % 2][blockIdx.x] = all.end[threadIdx.x];
  }
}

/// Blocks since the start of a segment.
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
        const bool is_first = Subsequence(picture, cut, i, 0).is_first();
        if (!is_first && picture.start[i] != picture.end[i - 1]) synchronised = false;
        return BlockCount{picture.blocks_in[i], is_first ? 1u : 0u};
      },
      [&](std::uint32_t i, const BlockCount& before, const BlockCount& own) {
        const std::uint32_t segment = Subsequence(picture, cut, i, 0).segment;
        picture.blocks_in[i] = segment * per_segment + (own.restarts != 0 ? 0 : before.blocks);
      });
  if (!synchronised) fail(picture, JpegFault::synchronisation);
}

}  // namespace

void synchronise(const Batch& batch) {
  const dim3 grid((batch.subsequences + owned - 1) / owned, batch.count);
  const std::uint32_t shared = StagedTables::bytes(batch.read_tables);
  device::allow_dynamic_shared(synchronise_group, static_cast<int>(shared));
  // Each round settles at least one more group.
  const int needed = std::min(rounds, static_cast<int>(grid.x));
  for (int round = 0; round < needed; ++round) {
    device::launch(synchronise_group, grid, static_cast<int>(group), shared, batch.stream, false,
                   batch.pictures, batch.cut, round);
  }
  device::launch(number_blocks, dim3(batch.count), sum_threads, 0, batch.stream, false,
                 batch.pictures, batch.cut);
}

}  // namespace qturn::jpeg
