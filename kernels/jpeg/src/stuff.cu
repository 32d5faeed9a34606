// The turned data as a file has it: a zero after each 0xFF, restart markers, the marker of the end.
#include "kernels/jpeg/src/stages.hpp"

#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/staged_bytes.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t thread_bytes = chunk_bytes / chunk_threads;
constexpr std::uint32_t marker_bytes = 2, word_bytes = sizeof(std::uint32_t);

using ChunkScan = cub::BlockScan<std::uint32_t, chunk_threads, cub::BLOCK_SCAN_WARP_SCANS>;

struct Add {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

/// 0xFF for each byte that is 0xFF, 0 for the others.
__device__ std::uint32_t ff_bytes(std::uint32_t word) { return __vcmpeq4(word, ~0u); }

/// A thread's bytes, out of the tiles' strings.
struct Piece {
  static constexpr std::uint32_t words = thread_bytes / word_bytes;

  std::uint32_t begin, count = 0, ffs = 0;
  std::uint32_t word[words]{};  ///< the first byte lowest; 0 after the last one

  __device__ explicit Piece(const Picture& picture)
      : begin(blockIdx.x * chunk_bytes + threadIdx.x * thread_bytes) {
    const std::uint32_t bytes = picture.progress->turned_bytes;
    if (begin >= bytes) return;
    count = min(bytes - begin, thread_bytes);
    CodeStrings strings(picture.strings, picture.tile_strings, picture.chunk_tile[blockIdx.x],
                        picture.tiles);
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) {
      word[i] = big_endian(strings.next(8 * begin + 32 * i));
      ffs += static_cast<std::uint32_t>(__popc(ff_bytes(word[i]))) / 8;
    }
  }
};

/// The byte after segment `segment`, which is not the last one.
__device__ std::uint32_t segment_end(const Picture& picture, std::uint32_t segment) {
  const std::uint32_t tile = (picture.turn.dst.blocks_until(segment) - 1) / tile_blocks;
  return picture.tile_strings[tile].second / 8 + picture.segment_end[segment];
}

/// Where the restart marker after `ends` ends of segments belongs, if there is one.
__device__ std::uint32_t next_restart(const Picture& picture, std::uint32_t ends) {
  return ends + 1 < picture.turn.dst.segments() ? segment_end(picture, ends) : ~0u;
}

/// How many segments end before byte `at`.
__device__ std::uint32_t ends_before(const Picture& picture, std::uint32_t at) {
  std::uint32_t low = 0, high = picture.turn.dst.segments() - 1;  // the last one has no restart
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (segment_end(picture, middle) < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void __launch_bounds__(chunk_threads) count_ffs(const Picture* pictures) {
  __shared__ typename ChunkScan::TempStorage scratch;
  const Picture& picture = pictures[blockIdx.y];
  if (is_given_up(picture) || blockIdx.x * chunk_bytes >= picture.progress->turned_bytes) return;
  std::uint32_t within, all;
  ChunkScan(scratch).ExclusiveSum(Piece(picture).ffs, within, all);
  if (threadIdx.x == 0) picture.ff_count[blockIdx.x] = all;
}

// The last stage that can give a picture up, so it also says how it went.
__global__ void __launch_bounds__(sum_threads) sum_ffs(const Picture* pictures) {
  const Picture& picture = pictures[blockIdx.x];
  const bool failed = is_given_up(picture);
  const std::uint32_t bytes = failed ? 0 : picture.progress->turned_bytes;
  const std::uint32_t ffs = sum_in_order<std::uint32_t>(
      (bytes + chunk_bytes - 1) / chunk_bytes, Add{},
      [&](std::uint32_t i) { return picture.ff_count[i]; },
      [&](std::uint32_t i, std::uint32_t before, std::uint32_t) { picture.ff_count[i] = before; });
  if (threadIdx.x != 0) return;
  const std::uint64_t size =
      std::uint64_t{bytes} + ffs + marker_bytes * std::uint64_t{picture.turn.dst.segments()};
  if (!failed && size > picture.capacity) fail(picture, JpegFault::capacity);
  const std::uint32_t faults = picture.progress->faults;
  *picture.result = {faults, faults == 0 ? size : 0, picture.progress->src_bytes};
  if (faults != 0) return;
  picture.out[size - 2] = 0xFF;
  picture.out[size - 1] = 0xD9;
}

/// Puts `count` bytes, the first one in the lowest bits of `word`, with a zero after each 0xFF.
__device__ void put_stuffed(std::uint32_t word, std::uint32_t count, BytePacker& to) {
  std::uint32_t ffs = ff_bytes(word);
  if (ffs == 0) {
    to.put(word, count);
    return;
  }
  std::uint64_t bytes = word;
  for (; ffs != 0; ++count) {  // from the last one on, so that the others stay in their places
    const std::uint32_t end = bit_width(ffs);
    const std::uint64_t up_to = (std::uint64_t{1} << end) - 1;
    bytes = (bytes & up_to) | (bytes & ~up_to) << 8;
    ffs &= (1u << (end - 8)) - 1;
  }
  to.put(static_cast<std::uint32_t>(bytes), min(count, 4u));
  if (count > 4) to.put(static_cast<std::uint32_t>(bytes >> 32), count - 4);
}

__global__ void __launch_bounds__(chunk_threads) write_stuffed(const Picture* pictures) {
  __shared__ typename ChunkScan::TempStorage scratch;
  // All 0xFF, and a marker before each.
  __shared__ __align__(16) std::uint32_t staged[(4 * chunk_bytes + granule_bytes) / 4];
  __shared__ std::uint32_t chunk_begin, chunk_size;
  const Picture& picture = pictures[blockIdx.y];
  if (is_given_up(picture)) return;
  const std::uint32_t bytes = picture.progress->turned_bytes, first = blockIdx.x * chunk_bytes;
  if (first >= bytes) return;
  const std::uint32_t segments = picture.turn.dst.segments();
  clear_staged(staged, segments > 1 ? sizeof staged : 2 * chunk_bytes + granule_bytes);
  const Piece piece(picture);
  std::uint32_t ffs;
  ChunkScan(scratch).ExclusiveSum(piece.ffs, ffs);
  ffs += picture.ff_count[blockIdx.x];
  std::uint32_t ends = ends_before(picture, piece.begin);
  const std::uint32_t begin = piece.begin + ffs + marker_bytes * ends;
  if (threadIdx.x == 0) chunk_begin = begin;
  __syncthreads();

  std::uint8_t* to = picture.out + chunk_begin;
  BytePacker packer(staged, staged_begin(to) + begin - chunk_begin);
  std::uint32_t restart = next_restart(picture, ends);
#pragma unroll
  for (std::uint32_t i = 0; i < Piece::words; ++i) {
    std::uint32_t at = piece.begin + i * word_bytes, word = piece.word[i];
    const std::uint32_t end = min(at + word_bytes, piece.begin + piece.count);
    while (at < end) {
      if (restart == at) {
        packer.put(0xD0FF + (ends % 8 << 8), marker_bytes);
        restart = next_restart(picture, ++ends);
      }
      const std::uint32_t count = min(end, restart) - at;
      put_stuffed(count == word_bytes ? word : word & ((1u << 8 * count) - 1), count, packer);
      word = count == word_bytes ? 0 : word >> 8 * count;
      at += count;
    }
  }
  packer.end();
  const bool is_last =
      piece.count != 0 && (piece.begin + piece.count == bytes || threadIdx.x == chunk_threads - 1);
  if (is_last) {
    const std::uint32_t added = ends - ends_before(picture, piece.begin);
    chunk_size = begin - chunk_begin + piece.count + piece.ffs + marker_bytes * added;
  }
  __syncthreads();
  copy_staged(staged, to, chunk_size);
}

}  // namespace

void stuff(const Batch& batch) {
  const dim3 grid(batch.turned_chunks, batch.count);
  device::launch(count_ffs, grid, chunk_threads, 0, batch.stream, false, batch.pictures);
  device::launch(sum_ffs, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
  device::launch(write_stuffed, grid, chunk_threads, 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
