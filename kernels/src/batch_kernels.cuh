// The tiles of a batch of pictures, each turned as it wants (batch_plan.cuh).
//
// What a tile is depends on the picture: transposes take rectangles that go through shared memory
// (turned_tile.cuh), copies and mirrors a stretch of granules of the destination
// (row_granules.cuh).
#ifndef QTURN_KERNELS_BATCH_KERNELS_CUH
#define QTURN_KERNELS_BATCH_KERNELS_CUH

#include <qturn/batch.hpp>

#include "kernels/src/batch_plan.cuh"
#include "kernels/src/row_granules.cuh"
#include "kernels/src/turned_tile.cuh"

namespace qturn::device {

/// One pixel size's tiles. `aligned` ones are `aligned_width` x `aligned_rows` pixels. The others
/// are `width` x `rows` in memory, of which the first `before` are shared with the tile above:
/// stored granules begin at multiples of 32, at another pixel in each row of the destination, so
/// that no two blocks write to one sector.
struct BatchTuning {
  int threads;
  int aligned_row_bytes;
  int aligned_rows;
  int row_bytes;
  int width;
  int rows;
  int before;
};

__host__ __device__ constexpr BatchTuning batch_tuning(int pixel) {
  switch (pixel) {
    case 1:
      return {512, 128, 128, 128, 112, 128, 32};
    case 2:
      return {512, 256, 64, 128, 56, 128, 16};
    case 3:
      return {512, 384, 64, 256, 80, 76, 12};
    case 4:
      return {256, 256, 32, 256, 60, 64, 8};
    case 6:
      return {384, 384, 32, 384, 60, 38, 6};
    case 8:
      return {256, 256, 32, 256, 31, 32, 4};
    case 12:
      return {384, 384, 32, 384, 31, 35, 3};
    case 16:
      return {128, 256, 16, 0, 0, 0, 0};
    case 24:
      return {192, 384, 16, 384, 15, 18, 2};
    case 32:
      return {128, 256, 16, 0, 0, 0, 0};
    default:
      return {256, 0, 0, 0, 0, 0, 0};
  }
}

/// The same in blocks of as many threads as other pixels of the launch want: 4-byte chroma beside
/// 2-byte luma.
__host__ __device__ constexpr BatchTuning batch_tuning(int pixel, int threads) {
  if (pixel == 4 && threads == 512) return {512, 256, 64, 256, 60, 64, 8};
  return batch_tuning(pixel);
}

/// One picture of a batch, reduced to one of three motions.
struct BatchPicture {
  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;  // of the source
  std::int64_t height;
  unsigned tiles_down;  // transposes: numbers go down a column of tiles, then to the next
  std::uint8_t motion;
  bool has_other_pixels;    // where a launch has pixels of two sizes
  std::uint16_t alignment;  // of all addresses and pitches: a power of two, up to 16
};

inline constexpr std::uint8_t copy_motion = 0;
inline constexpr std::uint8_t mirror_motion = 1;
inline constexpr std::uint8_t transpose_motion = 2;

/// Granules of a row that begins anywhere, counting one that begins before it.
__host__ __device__ inline std::int64_t granules_in_row(const BatchPicture& p, int pixel) {
  return (p.width * pixel + (p.alignment == granule ? granule - 1 : 2 * granule - 2)) / granule;
}

/// Granules that a thread makes of a picture that is copied or mirrored.
inline constexpr int granules_of_thread = 2;

enum class BatchTile { aligned, any, words };

__host__ __device__ constexpr BatchTile batch_tile(int pixel, int alignment) {
  const BatchTuning tuning = batch_tuning(pixel);
  return alignment == granule && tuning.aligned_rows != 0     ? BatchTile::aligned
         : alignment >= word_bytes(pixel) && tuning.rows != 0 ? BatchTile::any
                                                              : BatchTile::words;
}

/// Fills in `p`, and returns its number of tiles. Done by the host, or by the device where the
/// descriptors lie there.
__host__ __device__ inline std::int64_t plan_picture(const BatchImage& image, int pixel,
                                                     const BatchTuning& tuning, BatchPicture& p) {
  const bool swaps = is_in(swapped, image.orientation);
  const bool mirrors = is_in(from_right, image.orientation);
  p.src = static_cast<const Byte*>(image.src.data);
  p.dst = static_cast<Byte*>(image.dst.data);
  p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
  p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
  p.width = image.src.width;
  p.height = image.src.height;
  p.tiles_down = 1;
  p.motion = swaps ? transpose_motion : mirrors ? mirror_motion : copy_motion;
  p.has_other_pixels = false;
  p.alignment = granule;
  if (p.width == 0 || p.height == 0) return 0;
  if (is_in(from_bottom, image.orientation)) {
    p.src += (image.src.height - 1) * p.src_pitch;
    p.src_pitch = -p.src_pitch;
  }
  if (swaps && mirrors) {
    p.dst += (image.dst.height - 1) * p.dst_pitch;
    p.dst_pitch = -p.dst_pitch;
  }
  const auto bits =
      reinterpret_cast<std::uintptr_t>(p.src) | reinterpret_cast<std::uintptr_t>(p.dst) |
      static_cast<std::uintptr_t>(p.src_pitch) | static_cast<std::uintptr_t>(p.dst_pitch);
  while ((bits & (p.alignment - 1u)) != 0) p.alignment /= 2;

  const auto up = [](std::int64_t number, std::int64_t by) { return (number + by - 1) / by; };
  if (p.motion != transpose_motion) {
    return up(granules_in_row(p, pixel) * p.height, tuning.threads * granules_of_thread);
  }
  std::int64_t across = 0;
  std::int64_t down = 0;
  switch (batch_tile(pixel, p.alignment)) {
    case BatchTile::aligned:
      across = up(p.width * pixel, tuning.aligned_row_bytes);
      down = up(p.height, tuning.aligned_rows);
      break;
    case BatchTile::any:
      across = up(p.width, tuning.width);
      down = up(p.height + tuning.before, tuning.rows - tuning.before);
      break;
    case BatchTile::words:
      across = up(p.width, word_tile_side(pixel));
      down = up(p.height, word_tile_side(pixel));
      break;
  }
  p.tiles_down = static_cast<unsigned>(down);
  return across * down;
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
  using Any = TurnedTile<some, has_any ? tuning.row_bytes : 128, has_any ? tuning.width : 1,
                         has_any ? tuning.rows : 8, threads, false>;
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
      const bool aligned = p.alignment == granule && p.width * pixel % granule == 0;
      with_mirror<pixel_known>(pixel, p.alignment, aligned,
                               [&](auto policy) { move_rows<decltype(policy)>(p, pixel, number); });
    } else {
      const std::int64_t across = number / p.tiles_down;
      const std::int64_t down = number % p.tiles_down;
      const BatchTile kind = batch_tile(pixel_known, p.alignment);
      if constexpr (has_aligned) {
        if (kind == BatchTile::aligned) return transpose_aligned(tile, p, across, down);
      }
      if constexpr (has_any) {
        if (kind == BatchTile::any) return transpose_any(tile, p, across, down);
      }
      const int word = p.alignment < word_bytes(pixel) ? p.alignment : word_bytes(pixel);
      if (word == 1) transpose_words<1>(tile, p, pixel, across, down);
      if constexpr (may_be_word(2)) {
        if (word == 2) transpose_words<2>(tile, p, pixel, across, down);
      }
      if constexpr (may_be_word(4)) {
        if (word == 4) transpose_words<4>(tile, p, pixel, across, down);
      }
      if constexpr (may_be_word(8)) {
        if (word == 8) transpose_words<8>(tile, p, pixel, across, down);
      }
      if constexpr (may_be_word(16)) {
        if (word == 16) transpose_words<16>(tile, p, pixel, across, down);
      }
    }
  }

 private:
  // Whether pictures of these pixels are ever moved by words of that many bytes.
  static __host__ __device__ constexpr bool may_be_word(int word) {
    return pixel_known == 0 || word < word_bytes(pixel_known);
  }

  template <class Policy>
  static __device__ __forceinline__ void move_rows(const BatchPicture& p, int pixel,
                                                   unsigned number) {
    constexpr int of_block = threads * granules_of_thread;
    const std::int64_t granules = granules_in_row(p, pixel);
    const std::int64_t row_bytes = p.width * pixel;
    const std::int64_t first = std::int64_t{number} * of_block;
    // The 64-bit division costs more than all else.
    const bool is_short = ((first | granules) >> 32) == 0;
    const std::int64_t first_row =
        is_short ? static_cast<unsigned>(first) / static_cast<unsigned>(granules)
                 : first / granules;
    const std::int64_t in_first_row = first - first_row * granules;
    const Extent picture = extent(p.src, p.src_pitch, p.height, row_bytes);
    // All reads come before the first write.
    Granule value[granules_of_thread];
    Byte* out[granules_of_thread];
    std::int64_t at[granules_of_thread];
#pragma unroll
    for (int step = 0; step < granules_of_thread; ++step) {
      const std::int64_t index = in_first_row + step * threads + static_cast<int>(threadIdx.x);
      const unsigned rows_on = granules >= of_block
                                   ? index >= granules
                                   : static_cast<unsigned>(index) / static_cast<unsigned>(granules);
      const std::int64_t y = first_row + rows_on;
      const std::int64_t in_row = index - rows_on * granules;
      out[step] = p.dst + y * p.dst_pitch;
      at[step] = y < p.height ? in_row * granule - low_bits(out[step]) % granule : row_bytes;
      if (at[step] < row_bytes) {
        const SourceRow row{p.src + y * p.src_pitch, row_bytes, picture.begin, picture.end, pixel};
        value[step] = Policy::make(row, at[step], static_cast<unsigned>(in_row));
      }
    }
#pragma unroll
    for (int step = 0; step < granules_of_thread; ++step) {
      if (at[step] < row_bytes) store_in_row(out[step], value[step], at[step], row_bytes);
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
                       0, rows_here, extent(p.src, p.src_pitch, p.height, p.width * pixel));
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
    const int end_row = static_cast<int>(p.height - y < tuning.rows ? p.height - y : tuning.rows);
    const Byte* src = p.src + y * p.src_pitch + x * pixel;
    Any::load_rows(tile, src, p.src_pitch, columns_here * pixel, y < 0 ? static_cast<int>(-y) : 0,
                   end_row, extent(p.src, p.src_pitch, p.height, p.width * pixel));
    finish_copies();
    const RowPhases phases = Any::phases_of(src, p.src_pitch);
    Any::exchange_pixels(tile, phases);
    if constexpr (Any::exchanged) __syncthreads();
    Any::template store_columns<own_rows * pixel / granule, 32>(
        tile, phases,
        {p.dst + x * p.dst_pitch + y * pixel, p.dst_pitch, columns_here, before * pixel, -y * pixel,
         (p.height - y) * pixel});
  }

  // Rare, and with more to keep in registers than the others: it shall not cost them theirs.
  template <int word>
  static __device__ __noinline__ void transpose_words(Byte* tile, const BatchPicture& p, int pixel,
                                                      std::int64_t across, std::int64_t down) {
    const int side = word_tile_side(pixel);
    const std::int64_t x = across * side;
    const std::int64_t y = down * side;
    const int columns = static_cast<int>(p.width - x < side ? p.width - x : side);
    const int rows = static_cast<int>(p.height - y < side ? p.height - y : side);
    load_words<word>(tile, p.src + y * p.src_pitch + x * pixel, p.src_pitch, columns, rows, pixel,
                     threads);
    __syncthreads();
    store_words<word>(tile, p.dst + x * p.dst_pitch + y * pixel, p.dst_pitch, columns, rows, pixel,
                      threads);
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

// A call, so that nothing of one tile is held in registers for the next.
template <int pixel>
__device__ __noinline__ void turn_tile_in_memory(Byte* tile, const BatchPicture& picture,
                                                 int pixel_bytes, unsigned number) {
  BatchBlock<pixel>::run(tile, picture, pixel_bytes, number);
}

/// Fewer than for the others: what those find in their parameters takes registers here.
inline constexpr int resident_threads_in_memory = 1536;

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

#endif  // QTURN_KERNELS_BATCH_KERNELS_CUH
