// The turned data as a file has it: a zero after each 0xFF, restart markers, the marker of the end.
#include "kernels/jpeg/src/stages.hpp"

#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t thread_bytes = chunk_bytes / chunk_threads;
constexpr std::uint32_t marker_bytes = 2;

using ChunkScan = cub::BlockScan<std::uint32_t, chunk_threads>;

struct Add {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

/// A thread's bytes, out of the tiles' strings.
struct Piece {
  static constexpr std::uint32_t words = thread_bytes / sizeof(std::uint32_t);

  std::uint32_t begin, count = 0, ffs = 0;
  std::uint32_t word[words]{};  ///< the first byte highest

  __device__ explicit Piece(const Picture& picture)
      : begin(blockIdx.x * chunk_bytes + threadIdx.x * thread_bytes) {
    const std::uint32_t bytes = picture.progress->turned_bytes;
    if (begin >= bytes) return;
    count = min(bytes - begin, thread_bytes);
    CodeStrings strings(picture.strings, picture.tile_strings, picture.chunk_tile[blockIdx.x],
                        picture.tiles);
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) word[i] = strings.next(8 * begin + 32 * i);
#pragma unroll
    for (std::uint32_t i = 0; i < thread_bytes; ++i) ffs += i < count && byte(i) == 0xFF ? 1 : 0;
  }

  __device__ std::uint32_t byte(std::uint32_t i) const {
    return word[i / 4] >> (24 - i % 4 * 8) & 0xFF;
  }
};

/// The byte after segment `segment`, which is not the last one.
__device__ std::uint32_t segment_end(const Picture& picture, std::uint32_t segment) {
  const std::uint32_t tile = (picture.turn.dst.blocks_until(segment) - 1) / tile_blocks;
  return picture.tile_strings[tile].second / 8 + picture.segment_end[segment];
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

__global__ void __launch_bounds__(chunk_threads) write_stuffed(const Picture* pictures) {
  __shared__ typename ChunkScan::TempStorage scratch;
  __shared__ std::uint8_t staged[4 * chunk_bytes];  // all 0xFF, and a marker before each
  __shared__ std::uint32_t chunk_begin, chunk_size;
  const Picture& picture = pictures[blockIdx.y];
  if (is_given_up(picture)) return;
  const std::uint32_t bytes = picture.progress->turned_bytes, first = blockIdx.x * chunk_bytes;
  if (first >= bytes) return;
  const Piece piece(picture);
  std::uint32_t ffs;
  ChunkScan(scratch).ExclusiveSum(piece.ffs, ffs);
  ffs += picture.ff_count[blockIdx.x];
  std::uint32_t ends = ends_before(picture, piece.begin);
  const std::uint32_t begin = piece.begin + ffs + marker_bytes * ends;
  if (threadIdx.x == 0) chunk_begin = begin;
  __syncthreads();

  std::uint8_t* to = staged + (begin - chunk_begin);
#pragma unroll
  for (std::uint32_t i = 0; i < thread_bytes; ++i) {
    if (i >= piece.count) break;
    if (ends + 1 < picture.turn.dst.segments() && segment_end(picture, ends) == piece.begin + i) {
      *to++ = 0xFF;
      *to++ = static_cast<std::uint8_t>(0xD0 + ends % 8);
      ++ends;
    }
    const std::uint32_t byte = piece.byte(i);
    *to++ = static_cast<std::uint8_t>(byte);
    if (byte == 0xFF) *to++ = 0;
  }
  const bool is_last =
      piece.count != 0 && (piece.begin + piece.count == bytes || threadIdx.x == chunk_threads - 1);
  if (is_last) chunk_size = static_cast<std::uint32_t>(to - staged);
  __syncthreads();
  std::uint8_t* out = picture.out + chunk_begin;
  for (std::uint32_t i = threadIdx.x; i < chunk_size; i += chunk_threads) out[i] = staged[i];
}

}  // namespace

void stuff(const Batch& batch) {
  const dim3 grid(batch.turned_chunks, batch.count);
  device::launch(count_ffs, grid, chunk_threads, 0, batch.stream, false, batch.pictures);
  device::launch(sum_ffs, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
  device::launch(write_stuffed, grid, chunk_threads, 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
