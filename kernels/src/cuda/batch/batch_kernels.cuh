// The tiles of a batch of pictures, each with its own orientation (batch_plan.cuh).
//
// What a tile is depends on the picture: transposes take rectangles that go through shared memory
// (turned_tile.cuh, skewed_tile.cuh), copies and mirrors a stretch of granules of the destination
// (row_granules.cuh).
//
// A launch of small pictures takes some microseconds, so a block must request its pixels early. It
// divides by multiplication, finds extents and alignment in the picture (batch_picture.cuh), and
// looks for the picture in a fine table. In % of a copy before and after, 256 of 224x224 with
// 3-byte pixels, tight: rotate90 89.5 and 92.0, flop 85.0 and 96.8, all orientations 87.8 and 93.1
// (H200, 2026-11-22).
#ifndef QTURN_KERNELS_CUDA_BATCH_BATCH_KERNELS_CUH
#define QTURN_KERNELS_CUDA_BATCH_BATCH_KERNELS_CUH

#include <type_traits>

#include "kernels/src/cuda/batch/batch_picture.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"
#include "kernels/src/cuda/transpose/skewed_tile.cuh"
#include "kernels/src/cuda/transpose/turned_tile.cuh"
#include "kernels/src/cuda/transpose/word_tile.cuh"

namespace qturn::device {

/// Words that a policy of rows reads before it makes anything of them; 0 if it does both at once.
template <class Policy>
__host__ __device__ constexpr int words_of() {
  if constexpr (requires { Policy::words; }) {
    return Policy::words;
  } else {
    return 0;
  }
}

template <int pixel_known, int threads = batch_tuning(pixel_known).threads>
struct BatchBlock {
  static constexpr BatchTuning tuning = batch_tuning(pixel_known, threads);
  static_assert(tuning.threads == threads);
  static constexpr bool has_aligned = tuning.aligned_rows != 0;
  static constexpr bool has_any = tuning.rows != 0;
  static constexpr int some = pixel_known != 0 ? pixel_known : 1;
  using Aligned = TurnedTile<some, has_aligned ? tuning.aligned_row_bytes : 128,
                             has_aligned ? tuning.aligned_row_bytes / some : 1,
                             has_aligned ? tuning.aligned_rows : 8, threads, true>;
  // The other sizes that are exchanged in registers have not been measured.
  static constexpr bool is_skewed = pixel_known == 1 || pixel_known == 3;
  using Any = std::conditional_t<
      is_skewed,
      SkewedTile<some, tuning.width, tuning.rows, tuning.before, threads, 1, some == 1 ? 8 : 16,
                 some == 1 ? 4 : 8, 8>,
      TurnedTile<some, has_any ? tuning.row_bytes : 128, has_any ? tuning.width : 1,
                 has_any ? tuning.rows : 8, threads, false>>;
  static constexpr int larger_tile =
      has_any && Any::bytes > Aligned::bytes ? Any::bytes : Aligned::bytes;
  static constexpr int tile_bytes = larger_tile > word_tile_bytes ? larger_tile : word_tile_bytes;

  static __device__ __forceinline__ void run(Byte* tile, const BatchPicture& p, int pixel_bytes,
                                             unsigned number) {
    const int pixel = pixel_known != 0 ? pixel_known : pixel_bytes;
    if (p.motion == copy_motion) {
      with_copy(p.alignment == granule,
                [&](auto policy) { move_rows<decltype(policy)>(p, pixel, number); });
    } else if (p.motion == mirror_motion) {
      mirror_rows(p, pixel, number);
    } else {
      const unsigned column = quotient(p, number);
      const std::int64_t across = column;
      const std::int64_t down = number - column * p.divisor;
      const BatchTile kind = batch_tile(pixel_known, p.alignment);
      if constexpr (has_aligned) {
        if (kind == BatchTile::aligned) return transpose_aligned(tile, p, across, down);
      }
      if constexpr (has_any) {
        if (kind == BatchTile::any) return transpose_any(tile, p, across, down);
      }
      const int side = word_tile_side(pixel);
      const std::int64_t x = across * side;
      const std::int64_t y = down * side;
      const WordArea area{p.src + y * p.src_pitch + x * pixel,
                          p.src_pitch,
                          p.dst + x * p.dst_pitch + y * pixel,
                          p.dst_pitch,
                          static_cast<int>(p.width - x < side ? p.width - x : side),
                          static_cast<int>(p.height - y < side ? p.height - y : side),
                          pixel};
      const int word = p.alignment < word_bytes(pixel) ? p.alignment : word_bytes(pixel);
      if (word == 1) transpose_words<1>(tile, area);
      if constexpr (may_be_word(2)) {
        if (word == 2) transpose_words<2>(tile, area);
      }
      if constexpr (may_be_word(4)) {
        if (word == 4) transpose_words<4>(tile, area);
      }
      if constexpr (may_be_word(8)) {
        if (word == 8) transpose_words<8>(tile, area);
      }
      if constexpr (may_be_word(16)) {
        if (word == 16) transpose_words<16>(tile, area);
      }
    }
  }

 private:
  // Whether pictures of these pixels are ever moved by words of that many bytes.
  static __host__ __device__ constexpr bool may_be_word(int word) {
    return pixel_known == 0 || word < word_bytes(pixel_known);
  }

  static __device__ __forceinline__ void mirror_rows(const BatchPicture& p, int pixel,
                                                     unsigned number) {
    const auto run = [&](auto policy) { move_rows<decltype(policy)>(p, pixel, number); };
    if constexpr (pixel_known == 0) {
      with_words_mirror(pixel, p.alignment, run);
    } else if constexpr (word_bytes(pixel_known) == 1) {
      with_pixel_mirror<pixel_known>(p.alignment == granule, run);
    } else if (p.alignment >= word_bytes(pixel_known)) {
      with_pixel_mirror<pixel_known>(p.alignment == granule, run);
    } else {
      run(MirrorWordsRow<pixel_known, 1>());
    }
  }

  template <class Policy>
  static __device__ __forceinline__ void move_rows(const BatchPicture& p, int pixel,
                                                   unsigned number) {
    constexpr int together = Policy::together;
    const std::int64_t row_bytes = p.width * pixel;
    const std::uint64_t first = std::uint64_t{number} * (threads * together);
    const auto first_row = static_cast<std::int64_t>(
        p.factor != 0 ? quotient(p, static_cast<unsigned>(first)) : first / p.divisor);
    const unsigned in_first_row =
        static_cast<unsigned>(first) - static_cast<unsigned>(first_row) * p.divisor + threadIdx.x;
    Byte* to[together];
    int begin[together];
    int end[together];  // at most 0 where there is nothing to do
    unsigned in_row[together];
    // All reads come before the first write, and before the first use where little is read.
    Granule value[together];
    std::uint32_t in[together][words_of<Policy>() != 0 ? words_of<Policy>() : 1];
#pragma unroll
    for (int step = 0; step < together; ++step) {
      const unsigned index = in_first_row + static_cast<unsigned>(step * threads);
      const unsigned rows_on = quotient(p, index);
      const std::int64_t y = first_row + rows_on;
      in_row[step] = index - rows_on * p.divisor;
      Byte* row_of_dst = p.dst + y * p.dst_pitch;
      std::int64_t at = std::int64_t{in_row[step]} * granule;
      if constexpr (words_of<Policy>() == 0) at -= low_bits(row_of_dst) % granule;
      to[step] = row_of_dst + at;
      begin[step] = at < 0 ? static_cast<int>(-at) : 0;
      end[step] = y >= p.height || at >= row_bytes ? 0
                  : row_bytes - at < granule       ? static_cast<int>(row_bytes - at)
                                                   : granule;
      if (end[step] <= 0) continue;
      const SourceRow row{p.src + y * p.src_pitch, row_bytes, p.picture.begin, p.picture.end,
                          pixel};
      if constexpr (words_of<Policy>() != 0) {
        Policy::read(row, at, in[step]);
      } else {
        value[step] = Policy::make(row, at, in_row[step]);
      }
    }
#pragma unroll
    for (int step = 0; step < together; ++step) {
      if (end[step] <= 0) continue;
      if constexpr (words_of<Policy>() != 0) value[step] = Policy::made(in[step], in_row[step]);
      if (begin[step] == 0 && end[step] == granule) {
        store_granule(to[step], value[step]);
      } else {
        store_cut(to[step], value[step], begin[step], end[step]);
      }
    }
  }

  static __device__ __forceinline__ void transpose_aligned(Byte* tile, const BatchPicture& p,
                                                           std::int64_t across, std::int64_t down) {
    constexpr int pixel = some;
    constexpr int width = tuning.aligned_row_bytes / pixel;
    constexpr int rows = tuning.aligned_rows;
    const std::int64_t x = across * width;
    const std::int64_t y = down * rows;
    const int columns_here = static_cast<int>(p.width - x < width ? p.width - x : width);
    const int rows_here = static_cast<int>(p.height - y < rows ? p.height - y : rows);
    Aligned::load_rows(tile, p.src + y * p.src_pitch + x * pixel, p.src_pitch, columns_here * pixel,
                       0, rows_here, p.picture);
    finish_copies();
    const RowPhases none{0, 0};
    Aligned::exchange_pixels(tile, none);
    if constexpr (Aligned::exchanged) __syncthreads();
    Aligned::template store_columns<rows * pixel / granule, granule>(
        tile, none,
        {p.dst + x * p.dst_pitch + y * pixel, p.dst_pitch, columns_here, 0, 0, rows_here * pixel});
  }

  static __device__ __forceinline__ void transpose_any(Byte* tile, const BatchPicture& p,
                                                       std::int64_t across, std::int64_t down) {
    constexpr int pixel = some;
    constexpr int before = tuning.before;
    constexpr int own_rows = tuning.rows - before;
    static_assert(own_rows * pixel % 32 == 0 && before * pixel >= 31);
    const std::int64_t x = across * tuning.width;
    const std::int64_t y = down * own_rows - before;  // of row 0; that may not exist
    const int columns_here =
        static_cast<int>(p.width - x < tuning.width ? p.width - x : tuning.width);
    const int first_row = y < 0 ? static_cast<int>(-y) : 0;
    const int end_row = static_cast<int>(p.height - y < tuning.rows ? p.height - y : tuning.rows);
    const Byte* src = p.src + y * p.src_pitch + x * pixel;
    Byte* dst = p.dst + x * p.dst_pitch + y * pixel;
    if constexpr (is_skewed) {
      Any::run(tile,
               {src, p.src_pitch, dst, p.dst_pitch, columns_here, first_row, end_row, p.picture});
    } else {
      Any::load_rows(tile, src, p.src_pitch, columns_here * pixel, first_row, end_row, p.picture);
      finish_copies();
      const RowPhases phases = Any::phases_of(src, p.src_pitch);
      Any::exchange_pixels(tile, phases);
      if constexpr (Any::exchanged) __syncthreads();
      Any::template store_columns<own_rows * pixel / granule, 32>(
          tile, phases,
          {dst, p.dst_pitch, columns_here, before * pixel, -y * pixel, (p.height - y) * pixel});
    }
  }

  struct WordArea {
    const Byte* src;
    std::int64_t src_pitch;
    Byte* dst;
    std::int64_t dst_pitch;
    int columns;
    int rows;
    int pixel;
  };

  // Rare, and needs more registers than the others. As a function of its own it does not take
  // registers from them.
  template <int word>
  static __device__ __noinline__ void transpose_words(Byte* tile, WordArea t) {
    const auto words = word_tile<word>(t.pixel, word_tile_side(t.pixel), t.columns, t.rows);
    words.load_rows(tile, t.src, t.src_pitch, threads);
    __syncthreads();
    words.store_columns(tile, t.dst, t.dst_pitch, threads);
  }
};

template <int pixel, int capacity>
__global__ void __launch_bounds__(batch_tuning(pixel).threads,
                                  resident_threads / batch_tuning(pixel).threads)
    turn_batch(const __grid_constant__ BatchParameters<BatchPicture, capacity> batch,
               int pixel_bytes) {
  alignas(128) __shared__ Byte tile[BatchBlock<pixel>::tile_bytes];
  const unsigned i = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  BatchBlock<pixel>::run(tile, batch.pictures[i], pixel_bytes, blockIdx.x - batch.first_tile[i]);
}

/// Pictures of one shape, strides apart, so no block searches for its picture.
struct UniformPictures {
  BatchPicture first;
  std::int64_t src_stride;
  std::int64_t dst_stride;
  unsigned count;
};

template <int pixel>
__global__ void __launch_bounds__(batch_tuning(pixel).threads,
                                  resident_threads / batch_tuning(pixel).threads)
    turn_uniform_batch(const __grid_constant__ UniformPictures batch, int pixel_bytes) {
  alignas(128) __shared__ Byte tile[BatchBlock<pixel>::tile_bytes];
  const unsigned i = blockIdx.z * gridDim.y + blockIdx.y;
  wait_for_previous_kernel();
  if (i >= batch.count) return;
  const std::int64_t src_on = i * batch.src_stride;
  BatchPicture picture = batch.first;
  picture.src += src_on;
  picture.dst += i * batch.dst_stride;
  picture.picture.begin += src_on;
  picture.picture.end += src_on;
  BatchBlock<pixel>::run(tile, picture, pixel_bytes, blockIdx.x);
}

/// The same for pixels of two sizes.
template <int pixel, int other_pixel, int capacity>
__global__ void __launch_bounds__(batch_tuning(pixel).threads,
                                  resident_threads / batch_tuning(pixel).threads)
    turn_mixed_batch(const __grid_constant__ BatchParameters<BatchPicture, capacity> batch) {
  using Block = BatchBlock<pixel>;
  using OtherBlock = BatchBlock<other_pixel, batch_tuning(pixel).threads>;
  constexpr int tile_bytes =
      Block::tile_bytes > OtherBlock::tile_bytes ? Block::tile_bytes : OtherBlock::tile_bytes;
  alignas(128) __shared__ Byte tile[tile_bytes];
  const unsigned i = picture_of(batch, batch.shift, blockIdx.x);
  const unsigned number = blockIdx.x - batch.first_tile[i];
  wait_for_previous_kernel();
  if (batch.pictures[i].has_other_pixels) {
    OtherBlock::run(tile, batch.pictures[i], other_pixel, number);
  } else {
    Block::run(tile, batch.pictures[i], pixel, number);
  }
}

// A call, so that no registers are kept from one tile to the next.
template <int pixel>
__device__ __noinline__ void turn_tile_in_memory(Byte* tile, const BatchPicture& picture,
                                                 int pixel_bytes, unsigned number) {
  BatchBlock<pixel>::run(tile, picture, pixel_bytes, number);
}

/// Fewer than for the others: what those have in their parameters takes registers here.
inline constexpr int resident_threads_in_memory = resident_threads < 1536 ? resident_threads : 1536;

/// The same from memory.
template <int pixel>
__global__ void __launch_bounds__(batch_tuning(pixel).threads,
                                  resident_threads_in_memory / batch_tuning(pixel).threads)
    turn_batch_in_memory(const BatchInMemory<BatchPicture> batch, int pixel_bytes) {
  alignas(128) __shared__ Byte tile[BatchBlock<pixel>::tile_bytes];
  wait_for_previous_kernel();
  for_tiles_of_block(batch, [&](unsigned number, const BatchPicture& picture) {
    turn_tile_in_memory<pixel>(tile, picture, pixel_bytes, number);
  });
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_CUDA_BATCH_BATCH_KERNELS_CUH
