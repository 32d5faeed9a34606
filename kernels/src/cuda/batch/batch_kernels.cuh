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
#pragma once

#include <type_traits>

#include "kernels/src/cuda/batch/batch_picture.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"
#include "kernels/src/cuda/transpose/any_tile.cuh"
#include "kernels/src/cuda/transpose/turned_tile.cuh"
#include "kernels/src/cuda/transpose/word_tile.cuh"

namespace qturn::device {

/// The same, but the compiler does not know that: so what is read of it need not stay in registers.
template <class T>
__device__ __forceinline__ const T& again(const T& value) {
  unsigned nothing = 0;
  asm volatile("" : "+r"(nothing));
  return (&value)[nothing];
}

/// Where a kernel has its pictures. In memory they are read again for each step of a tile, as they
/// are in parameters where registers lack: 64 of random sizes, tight, rotate90 with 4-byte pixels
/// went from 68 % of a copy to 80 (H200, 2026-11-26).
enum class PicturesIn { registers, parameters, memory };

template <int pixel_known, PicturesIn place, int threads = Tuning::batch(pixel_known).threads>
struct BatchBlock {
  static constexpr BatchTuning tuning = Tuning::batch(pixel_known, threads);
  static_assert(tuning.threads == threads);
  static constexpr bool has_aligned = tuning.aligned_rows != 0;
  static constexpr bool has_any = tuning.any.rows != 0;
  static constexpr int some = pixel_known != 0 ? pixel_known : 1;
  using Aligned = TurnedTile<some, has_aligned ? tuning.aligned_row_bytes : 128,
                             has_aligned ? tuning.aligned_row_bytes / some : 1,
                             has_aligned ? tuning.aligned_rows : 8, threads, true>;
  using Any = std::conditional_t<has_any, AnyTile<some, tuning.any, threads>, Aligned>;
  static constexpr bool reads_again =
      place == PicturesIn::memory ||
      (place == PicturesIn::parameters && pixel_known != 1 && pixel_known != 3);
  static constexpr int larger_tile =
      has_any && Any::bytes > Aligned::bytes ? Any::bytes : Aligned::bytes;
  static constexpr int tile_bytes = larger_tile > word_tile_bytes ? larger_tile : word_tile_bytes;

  static __device__ __forceinline__ void run(Byte* tile, const BatchPicture& p, int pixel_bytes,
                                             unsigned number) {
    const int pixel = pixel_known != 0 ? pixel_known : pixel_bytes;
    const auto thread = [number] {
      auto this_one = static_cast<int>(threadIdx.x);
      if constexpr (place == PicturesIn::memory) {
        // The loop over tiles would keep whatever depends on the thread alone, in registers or
        // rather outside of them. So the compiler does not know that this does.
        asm("" : "+r"(this_one) : "r"(number));
      }
      return this_one;
    };
    if (p.motion == copy_motion) {
      with_copy(p.alignment == granule,
                [&](auto policy) { move_rows<decltype(policy)>(p, pixel, number, thread); });
    } else if (p.motion == mirror_motion) {
      mirror_rows(p, pixel, number, thread);
    } else {
      const unsigned column = p.line.quotient_of_any(number);
      const std::int64_t across = column;
      const std::int64_t down = number - column * p.line.divisor;
      const BatchTile kind =
          batch_tile(pixel_known, Tuning::batch(pixel_known, threads), p.alignment);
      if constexpr (has_aligned) {
        if (kind == BatchTile::aligned) return transpose_aligned(tile, p, across, down, thread);
      }
      if constexpr (has_any) {
        if (kind == BatchTile::any) {
          constexpr AnyTuning any = tuning.any;
          const auto area_in = [&](const BatchPicture& q) {
            const unsigned x = q.line.quotient_of_any(number);
            const std::int64_t y = number - x * q.line.divisor;
            return TileArea(q, q.picture, std::int64_t{x} * any.width, y * Any::own_rows, some,
                            any);
          };
          if constexpr (reads_again) {
            return Any::run_again(
                tile, [&] { return area_in(again(p)); }, thread);
          } else {
            return Any::run(
                tile, {p, p.picture, across * any.width, down * Any::own_rows, some, any}, thread);
          }
        }
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
  // Whether pictures with pixels of this size are ever moved by words of `word` bytes.
  static __host__ __device__ constexpr bool may_be_word(int word) {
    return pixel_known == 0 || word < word_bytes(pixel_known);
  }

  template <class Thread>
  static __device__ __forceinline__ void mirror_rows(const BatchPicture& p, int pixel,
                                                     unsigned number, Thread thread) {
    const auto run = [&](auto policy) { move_rows<decltype(policy)>(p, pixel, number, thread); };
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

  template <class Policy, class Thread>
  static __device__ __forceinline__ void move_rows(const BatchPicture& p, int pixel,
                                                   unsigned number, Thread thread) {
    constexpr int together = Policy::together;
    const std::int64_t row_bytes = p.width * pixel;
    const std::uint64_t first = std::uint64_t{number} * (threads * together);
    const auto first_row =
        static_cast<std::int64_t>(p.line.factor != 0 ? p.line.quotient(static_cast<unsigned>(first))
                                                     : first / p.line.divisor);
    const unsigned in_first_row = static_cast<unsigned>(first) -
                                  static_cast<unsigned>(first_row) * p.line.divisor +
                                  static_cast<unsigned>(thread());
    Byte* to[together];
    std::int64_t at[together];
    int begin[together];
    int end[together];  // at most 0 where there is nothing to do
    unsigned in_row[together];
    // All reads come before the first use.
    std::uint32_t in[together][Policy::words]{};  // or a loop keeps the words of its last round
#pragma unroll
    for (int step = 0; step < together; ++step) {
      const unsigned index = in_first_row + static_cast<unsigned>(step * threads);
      const unsigned rows_on = p.line.quotient_of_any(index);
      const std::int64_t y = first_row + rows_on;
      in_row[step] = index - rows_on * p.line.divisor;
      Byte* row_of_dst = p.dst + y * p.dst_pitch;
      at[step] = std::int64_t{in_row[step]} * granule;
      if constexpr (!Policy::aligned) at[step] -= low_bits(row_of_dst) % granule;
      to[step] = row_of_dst + at[step];
      begin[step] = at[step] < 0 ? static_cast<int>(-at[step]) : 0;
      end[step] = y >= p.height || at[step] >= row_bytes ? 0
                  : row_bytes - at[step] < granule       ? static_cast<int>(row_bytes - at[step])
                                                         : granule;
      if (end[step] <= 0) continue;
      const SourceRow row{p.src + y * p.src_pitch, row_bytes, p.picture.begin, p.picture.end,
                          pixel};
      Policy::read(row, at[step], in_row[step], in[step]);
    }
#pragma unroll
    for (int step = 0; step < together; ++step) {
      if (end[step] <= 0) continue;
      store_between(to[step], Policy::made(in[step], at[step], in_row[step]), begin[step],
                    end[step]);
    }
  }

  template <class Thread>
  static __device__ __forceinline__ void transpose_aligned(Byte* tile, const BatchPicture& p,
                                                           std::int64_t across, std::int64_t down,
                                                           Thread thread) {
    constexpr int pixel = some;
    constexpr int width = tuning.aligned_row_bytes / pixel;
    constexpr int rows = tuning.aligned_rows;
    const std::int64_t x = across * width;
    const std::int64_t y = down * rows;
    const int columns_here = static_cast<int>(p.width - x < width ? p.width - x : width);
    const int rows_here = static_cast<int>(p.height - y < rows ? p.height - y : rows);
    Aligned::load_rows(tile, p.src + y * p.src_pitch + x * pixel, p.src_pitch, columns_here * pixel,
                       0, rows_here, p.picture, thread);
    finish_copies();
    const RowPhases none{0, 0};
    Aligned::exchange_pixels(tile, none, thread);
    if constexpr (Aligned::exchanged) __syncthreads();
    Aligned::template store_columns<rows * pixel / granule, granule>(
        tile, none,
        {p.dst + x * p.dst_pitch + y * pixel, p.dst_pitch, columns_here, 0, 0, rows_here * pixel},
        thread);
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
__global__ void __launch_bounds__(Tuning::batch(pixel).threads,
                                  resident_threads / Tuning::batch(pixel).threads)
    turn_batch(const __grid_constant__ BatchParameters<BatchPicture, capacity> batch,
               int pixel_bytes) {
  using Block = BatchBlock<pixel, PicturesIn::parameters>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  const unsigned i = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  Block::run(tile, batch.pictures[i], pixel_bytes, blockIdx.x - batch.first_tile[i]);
}

/// Pictures of one shape, strides apart, so no block searches for its picture.
struct UniformPictures {
  BatchPicture first;
  std::int64_t src_stride;
  std::int64_t dst_stride;
  unsigned count;
};

template <int pixel>
__global__ void __launch_bounds__(Tuning::batch(pixel).threads,
                                  resident_threads / Tuning::batch(pixel).threads)
    turn_uniform_batch(const __grid_constant__ UniformPictures batch, int pixel_bytes) {
  using Block = BatchBlock<pixel, PicturesIn::registers>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  const unsigned i = blockIdx.z * gridDim.y + blockIdx.y;
  wait_for_previous_kernel();
  if (i >= batch.count) return;
  const std::int64_t src_on = i * batch.src_stride;
  BatchPicture picture = batch.first;
  picture.src += src_on;
  picture.dst += i * batch.dst_stride;
  picture.picture.begin += src_on;
  picture.picture.end += src_on;
  Block::run(tile, picture, pixel_bytes, blockIdx.x);
}

/// The same for pixels of two sizes.
template <int pixel, int other_pixel, int capacity>
__global__ void __launch_bounds__(Tuning::batch(pixel).threads,
                                  resident_threads / Tuning::batch(pixel).threads)
    turn_mixed_batch(const __grid_constant__ BatchParameters<BatchPicture, capacity> batch) {
  using Block = BatchBlock<pixel, PicturesIn::parameters>;
  using OtherBlock = BatchBlock<other_pixel, PicturesIn::parameters, Tuning::batch(pixel).threads>;
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

/// Fewer than for pictures in parameters: what lies there takes registers here.
inline constexpr int resident_threads_in_memory = 1024;

/// The same from memory.
template <int pixel>
__global__ void __launch_bounds__(Tuning::batch_in_memory(pixel).threads,
                                  resident_threads_in_memory /
                                      Tuning::batch_in_memory(pixel).threads)
    turn_batch_in_memory(const BatchInMemory<BatchPicture> batch, int pixel_bytes) {
  constexpr int threads = Tuning::batch_in_memory(pixel).threads;
  using Block = BatchBlock<pixel, PicturesIn::memory, threads>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  wait_for_previous_kernel();
  for_tiles_of_block<threads>(batch, [&](unsigned number, const BatchPicture& picture) {
    Block::run(tile, picture, pixel_bytes, number);
  });
}

}  // namespace qturn::device
