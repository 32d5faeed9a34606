// Interleaved pictures made planar: read once, turned, converted, written once.
//
// A tile of the source goes to shared memory by asynchronous copies, which keep the phase that each
// row has in global memory, so that rows may begin anywhere. Then a thread takes a few runs of
// source pixels that are 16 bytes of each plane into its registers, and makes those 16 bytes plane
// after plane. What such a run is, and how a tile lies in shared memory, depends on the motion:
//
//   axes swapped  a run is a piece of a column, and the tile `width` x (128 bytes of a row of the
//                 destination). A thread has neighbouring columns that together are whole words, so
//                 it reads words of each row; the granules of a row change places with the row, so
//                 that a warp, which is 8 runs down and 4 threads across, meets different banks.
//   axes kept     a run is a piece of a row, mirrored or not, and the tile as many rows as have
//                 runs for all threads, so narrow pictures leave few idle.
//
// A warp writes pieces of 128 bytes. Where the planes are not aligned to 16 bytes, they are written
// by way of shared memory: first as the tile lies, then in aligned granules.
//
// The planes are at least as many bytes as the pixels in most uses (bytes to halves: twice), so the
// order of tiles is that in which writes come in sequence.
#ifndef QTURN_KERNELS_PLANAR_KERNELS_CUH
#define QTURN_KERNELS_PLANAR_KERNELS_CUH

#include <qturn/to_planar.hpp>

#include "kernels/src/batch_plan.cuh"
#include "kernels/src/planar_format.hpp"
#include "kernels/src/sample_conversion.cuh"
#include "kernels/src/turned_tile.cuh"

namespace qturn::device {

/// Tiles for pixels of so many bytes: their width where axes are swapped, and the threads.
struct PlanarTuning {
  int width;
  int threads;
};

__host__ __device__ constexpr PlanarTuning planar_tuning(int pixel) {
  switch (pixel) {
    case 1:
    case 2:
    case 3:
      return {128, 256};
    case 4:
    case 6:
      return {64, 256};
    case 8:
    case 12:
      return {32, 256};
    default:
      return {16, 128};
  }
}

/// What a tile of a row of the destination has where axes are swapped.
inline constexpr int planar_piece = 128;

/// Bytes from a row to the next in shared memory where axes are swapped.
__host__ __device__ constexpr int planar_row_bytes(int pixel) {
  return (planar_tuning(pixel).width * pixel + granule - 1 + 127) / 128 * 128;
}

__host__ __device__ constexpr int planar_tile_bytes(int pixel, int dst_sample) {
  const int in = planar_piece / dst_sample * planar_row_bytes(pixel);
  const int out = planar_tuning(pixel).width * planar_piece + 128;
  return in > out ? in : out;
}

/// Where axes are kept, a mirrored run that sticks out of a row at its end is read from before
/// the row; and the words around a run from behind it.
inline constexpr int planar_margin_before = 128;
inline constexpr int planar_margin_behind = 16;

/// Where axes are kept, rows of so many bytes keep the phase that they have in lines of 128 bytes,
/// shorter ones only that in granules.
inline constexpr int planar_long_row = 512;

/// Bytes from a row to the next in shared memory where axes are kept.
__host__ __device__ constexpr int planar_kept_row_bytes(int bytes) {
  const int line = bytes >= planar_long_row ? 128 : granule;
  return (bytes + 2 * line - 2) / line * line;
}

/// One picture of a batch. Sizes are the source's.
struct PlanarPicture {
  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t plane_pitch;
  std::int64_t width;
  std::int64_t height;
  unsigned tiles_inside;  // tiles of a column where axes are swapped, of a row where they are not
  std::uint16_t runs;     // axes kept: granules of a tile's row
  std::uint16_t rows;     // axes kept: rows of a tile
  bool swapped;
  bool mirrored;
  bool aligned;  // the destination's planes and rows, to granules
};

/// Fills in `p`, and returns its number of tiles. Done by the host, or by the device where the
/// descriptors lie there.
__host__ __device__ inline std::int64_t plan_planar(const PlanarImage& image, int planes,
                                                    int dst_sample, PlanarPicture& p) {
  const int pixel = image.src.pixel_bytes;
  const bool mirrors = is_in(from_right, image.orientation);
  p.src = static_cast<const Byte*>(image.src.data);
  p.dst = static_cast<Byte*>(image.dst.data);
  p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
  p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
  p.plane_pitch = planes > 1 ? image.dst.plane_pitch : 0;
  p.width = image.src.width;
  p.height = image.src.height;
  p.swapped = is_in(swapped, image.orientation);
  p.mirrored = mirrors && !p.swapped;
  if (p.width == 0 || p.height == 0) return 0;
  if (is_in(from_bottom, image.orientation)) {
    p.src += (image.src.height - 1) * p.src_pitch;
    p.src_pitch = -p.src_pitch;
  }
  if (p.swapped && mirrors) {
    p.dst += (image.dst.height - 1) * p.dst_pitch;
    p.dst_pitch = -p.dst_pitch;
  }
  p.aligned = ((reinterpret_cast<std::uintptr_t>(p.dst) | static_cast<std::uintptr_t>(p.dst_pitch) |
                static_cast<std::uintptr_t>(p.plane_pitch)) %
               granule) == 0;

  const auto up = [](std::int64_t number, std::int64_t by) { return (number + by - 1) / by; };
  const int tile_width = planar_tuning(pixel).width;
  const int run = granule / dst_sample;
  if (p.swapped) {
    p.tiles_inside = static_cast<unsigned>(up(p.height, planar_piece / dst_sample));
    p.runs = 0;
    p.rows = 0;
    return up(p.width, tile_width) * p.tiles_inside;
  }
  // A tile of whole rows has runs for all threads, but for the rest of a division; so its rows must
  // not be too long. An eighth of the runs is a row at most; there are 8 * tile_width.
  const std::int64_t runs = up(p.width, run);
  const std::int64_t pieces = up(runs, tile_width);
  const std::int64_t of_piece = pieces == 1 ? runs : up(up(runs, pieces), 8) * 8;
  const int row_bytes = planar_kept_row_bytes(static_cast<int>(of_piece) * run * pixel);
  const int room =
      planar_tile_bytes(pixel, dst_sample) - planar_margin_before - planar_margin_behind;
  const std::int64_t rows = 8 * tile_width / of_piece;
  p.runs = static_cast<std::uint16_t>(of_piece);
  p.rows = static_cast<std::uint16_t>(rows < room / row_bytes ? rows : room / row_bytes);
  p.tiles_inside = static_cast<unsigned>(up(runs, of_piece));
  return up(p.height, p.rows) * p.tiles_inside;
}

/// What becomes of samples, in all pictures of a launch.
struct PlanarSamples {
  PlanarArithmetic arithmetic;
  bool to_bfloat16;  // where destinations have 2 bytes
};

/// `src` has `channels` samples of `src_type`, destinations have samples of `dst_sample` bytes.
template <SampleType src_type, int channels, int dst_sample>
struct PlanarBlock {
  static constexpr int src_sample = sample_bytes(src_type);
  static constexpr int pixel = channels * src_sample;
  static constexpr int threads = planar_tuning(pixel).threads;
  static constexpr int tile_bytes = planar_tile_bytes(pixel, dst_sample);

  static __device__ __forceinline__ void run(Byte* tile, const PlanarPicture& p,
                                             const PlanarSamples& samples, unsigned number) {
    if (p.swapped) {
      swap_axes(tile, p, samples, number / p.tiles_inside, number % p.tiles_inside);
    } else {
      keep_axes(tile, p, samples, number % p.tiles_inside, number / p.tiles_inside);
    }
  }

 private:
  static constexpr int tile_width = planar_tuning(pixel).width;
  static constexpr int tile_rows = planar_piece / dst_sample;
  static constexpr int row_bytes = planar_row_bytes(pixel);
  static constexpr int run_pixels = granule / dst_sample;
  static constexpr int runs_down = planar_piece / granule;
  static constexpr int thread_runs = tile_width * runs_down / threads;
  static constexpr int run_words = run_pixels * pixel / 4;
  static constexpr int thread_row_words = thread_runs * pixel / 4;
  static_assert(thread_runs * pixel % 4 == 0 && run_pixels * pixel % 4 == 0);
  static_assert(run_pixels * pixel <= planar_margin_before);
  static_assert(runs_down == 8 && threads % 32 == 0);

  // Sample `channel` of the pixel that begins `at` bytes into the words.
  template <int count>
  static __device__ __forceinline__ float sample_of(const std::uint32_t (&words)[count], int at,
                                                    int channel) {
    const std::uint32_t low = words[at / 4];
    if constexpr (src_type == SampleType::float32) {
      const std::uint32_t word = channels == 1 || channel == 0   ? low
                                 : channels == 2 || channel == 1 ? words[at / 4 + 1]
                                 : channels == 3 || channel == 2 ? words[at / 4 + 2]
                                                                 : words[at / 4 + 3];
      return __uint_as_float(word);
    } else {
      const std::uint32_t high = words[at / 4 + 1 < count ? at / 4 + 1 : at / 4];
      const auto from = static_cast<unsigned>(at % 4 + channel * src_sample);
      if constexpr (src_type == SampleType::uint8) {
        return static_cast<float>(static_cast<std::uint8_t>(pick(low, high, from)));
      } else {
        const std::uint32_t bits = pick(low, high, from * 0x11 + 0x10);
        if constexpr (src_type == SampleType::float16) {
          return half_to_float(bits);
        } else {
          return static_cast<float>(static_cast<std::uint16_t>(bits));
        }
      }
    }
  }

  // 16 bytes of plane c, from sample(i), the i-th of the run's pixels.
  template <class Sample>
  static __device__ __forceinline__ Granule convert(const PlanarSamples& samples, int c,
                                                    Sample sample) {
    const float factor = samples.arithmetic.factor[c];
    const float offset = samples.arithmetic.offset[c];
    const int channel = samples.arithmetic.channel[c];
    Granule out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (dst_sample == 4) {
        out.word[i] = __float_as_uint(fmaf(sample(i, channel), factor, offset));
      } else {
        const float low = fmaf(sample(2 * i, channel), factor, offset);
        const float high = fmaf(sample(2 * i + 1, channel), factor, offset);
        out.word[i] = samples.to_bfloat16 ? to_bfloat16s(low, high) : to_halves(low, high);
      }
    }
    return out;
  }

  // `count` words from byte `at` of a row on; place(byte) is where a word of it lies.
  template <int count, class Place>
  static __device__ __forceinline__ void load_words_at(int at, std::uint32_t* words, Place place) {
    if constexpr (src_type == SampleType::float32) {
#pragma unroll
      for (int i = 0; i < count; ++i) words[i] = load<4>(place(at + 4 * i));
    } else {
      const int begin = at & ~3;
      std::uint32_t low = load<4>(place(begin));
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const std::uint32_t high = load<4>(place(begin + 4 * i + 4));
        words[i] = __funnelshift_r(low, high, static_cast<unsigned>(at) * 8);
        low = high;
      }
    }
  }

  // Where a tile comes to lie in plane 0: rows of `bytes`, at `dst + row * pitch`.
  struct Target {
    Byte* dst;
    std::int64_t pitch;
    int rows;
    int bytes;
  };

  // Makes all planes of a tile: granule(c, run) of the run that begins at byte `at(run)` of row
  // `row(run)`.
  template <class Row, class At, class Make>
  static __device__ __forceinline__ void make_planes(Byte* tile, int tile_pitch,
                                                     const PlanarPicture& p,
                                                     const PlanarSamples& samples, const Target& to,
                                                     Row row, At at, Make make) {
#pragma unroll 1
    for (int c = 0; c < samples.arithmetic.planes; ++c) {
      Byte* plane = to.dst + c * p.plane_pitch;
      if (!p.aligned) __syncthreads();
#pragma unroll
      for (int run = 0; run < thread_runs; ++run) {
        if (row(run) >= to.rows) continue;
        const Granule value = make(c, run);
        if (p.aligned) {
          store_clipped<dst_sample>(plane + row(run) * to.pitch + at(run), value,
                                    to.bytes - at(run));
        } else {
          store_granule(tile + granule + row(run) * tile_pitch + at(run), value);
        }
      }
      if (!p.aligned) {
        __syncthreads();
        store_rows(tile + granule, tile_pitch, plane, to.pitch, to.rows, to.bytes);
      }
    }
  }

  // From shared memory to rows of `bytes` at any address, in aligned granules. Takes what it needs
  // by value: a reference would have that in memory in all cases.
  static __device__ __noinline__ void store_rows(const Byte* from, int from_pitch, Byte* plane,
                                                 std::int64_t pitch, int rows, int bytes) {
    const int granules = (bytes + 2 * granule - 2) / granule;
    for_each_in_rows(granules, rows, [&](int row, int column) {
      Byte* row_of_dst = plane + row * pitch;
      const int at = column * granule - static_cast<int>(low_bits(row_of_dst) % granule);
      if (at >= bytes) return;
      store_in_row(row_of_dst, load_across(from + row * from_pitch + at), at, bytes);
    });
  }

  // Calls run(row, column) for all of `rows` x `columns`, dealt out among the threads.
  template <class Run>
  static __device__ __forceinline__ void for_each_in_rows(int columns, int rows, Run run) {
    const int rows_on = threads / columns;
    const int columns_on = threads - rows_on * columns;
    int row = static_cast<int>(threadIdx.x) / columns;
    int column = static_cast<int>(threadIdx.x) - row * columns;
    while (row < rows) {
      run(row, column);
      row += rows_on;
      column += columns_on;
      if (column >= columns) {
        column -= columns;
        row += 1;
      }
    }
  }

  static __device__ __forceinline__ void swap_axes(Byte* tile, const PlanarPicture& p,
                                                   const PlanarSamples& samples, unsigned across,
                                                   unsigned down) {
    const std::int64_t x = std::int64_t{across} * tile_width;
    const std::int64_t y = std::int64_t{down} * tile_rows;
    const int columns =
        static_cast<int>(p.width - x < tile_width ? p.width - x : std::int64_t{tile_width});
    const int rows =
        static_cast<int>(p.height - y < tile_rows ? p.height - y : std::int64_t{tile_rows});
    const Byte* src = p.src + y * p.src_pitch + x * pixel;
    const RowPhases phases{low_bits(src), static_cast<unsigned>(p.src_pitch)};
    const Extent picture = extent(p.src, p.src_pitch, p.height, p.width * pixel);
    const int granules = (columns * pixel + 2 * granule - 2) / granule;
    for_each_in_rows(granules, rows, [&](int row, int column) {
      const int offset = column * granule - phases.of(row);
      if (offset < columns * pixel) {
        start_copy_between<128>(
            tile + row * row_bytes + swizzled(column, row / run_pixels) * granule,
            src + row * p.src_pitch + offset, picture.begin, picture.end);
      }
    });
    finish_copies();

    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int run_down = lane % runs_down;
    const int first_column = (static_cast<int>(threadIdx.x) / 32 * 4 + lane / 8) * thread_runs;
    std::uint32_t words[run_pixels][thread_row_words];
#pragma unroll
    for (int i = 0; i < run_pixels; ++i) {
      const int row = run_down * run_pixels + i;
      const Byte* in_row = tile + row * row_bytes;
      load_words_at<thread_row_words>(
          phases.of(row) + first_column * pixel, words[i],
          [&](int byte) { return in_row + (byte ^ run_down * granule); });
    }
    make_planes(
        tile, planar_piece, p, samples,
        Target{p.dst + x * p.dst_pitch + y * dst_sample, p.dst_pitch, columns, rows * dst_sample},
        [&](int run) { return first_column + run; }, [&](int) { return run_down * granule; },
        [&](int c, int run) {
          return convert(samples, c, [&](int i, int channel) {
            return sample_of(words[i], run * pixel, channel);
          });
        });
  }

  static __device__ __forceinline__ void keep_axes(Byte* tile, const PlanarPicture& p,
                                                   const PlanarSamples& samples, unsigned across,
                                                   unsigned down) {
    const int runs = p.runs;
    const std::int64_t x = std::int64_t{across} * runs * run_pixels;  // of the destination
    const std::int64_t y = std::int64_t{down} * p.rows;
    const int columns = static_cast<int>(
        p.width - x < runs * run_pixels ? p.width - x : std::int64_t{runs * run_pixels});
    const int rows = static_cast<int>(p.height - y < p.rows ? p.height - y : std::int64_t{p.rows});
    const Byte* src = p.src + y * p.src_pitch + (p.mirrored ? p.width - x - columns : x) * pixel;
    const Extent picture = extent(p.src, p.src_pitch, p.height, p.width * pixel);
    const int most_bytes = runs * run_pixels * pixel;
    const int pitch = planar_kept_row_bytes(most_bytes);
    const unsigned line = most_bytes >= planar_long_row ? 128 : granule;
    const auto phase_of = [&](int row) {
      return static_cast<int>(
          (low_bits(src) + static_cast<unsigned>(row) * static_cast<unsigned>(p.src_pitch)) % line);
    };
    const auto place = [&](int at) {
      at += planar_margin_before;
      return tile + (at ^ (at >> 3 & 0x70));
    };
    // Granules that a row may lie in, counted from its first one.
    const int granules = (columns * pixel + 2 * granule - 2) / granule;
    for_each_in_rows(granules, rows, [&](int row, int column) {
      const int phase = phase_of(row);
      const int offset = column * granule - phase % granule;
      if (offset < columns * pixel) {
        start_copy_between<128>(place(row * pitch + phase + offset),
                                src + row * p.src_pitch + offset, picture.begin, picture.end);
      }
    });
    finish_copies();

    // The runs of a tile are numbered row by row; one that does not exist is in row `rows`.
    std::uint32_t words[thread_runs][run_words];
    int row_of[thread_runs];
    int at[thread_runs];
    const int rows_on = threads / runs;
    const int runs_on = threads - rows_on * runs;
    int row = static_cast<int>(threadIdx.x) / runs;
    int in_row = static_cast<int>(threadIdx.x) - row * runs;
#pragma unroll
    for (int run = 0; run < thread_runs; ++run) {
      at[run] = in_row * granule;
      row_of[run] = at[run] < columns * dst_sample ? row : rows;
      if (row_of[run] < rows) {
        const int first = p.mirrored ? columns - (in_row + 1) * run_pixels : in_row * run_pixels;
        load_words_at<run_words>(row * pitch + phase_of(row) + first * pixel, words[run], place);
      }
      row += rows_on;
      in_row += runs_on;
      if (in_row >= runs) {
        in_row -= runs;
        row += 1;
      }
    }
    make_planes(
        tile, runs * granule, p, samples,
        Target{p.dst + y * p.dst_pitch + x * dst_sample, p.dst_pitch, rows, columns * dst_sample},
        [&](int run) { return row_of[run]; }, [&](int run) { return at[run]; },
        [&](int c, int run) {
          const Granule value = convert(samples, c, [&](int i, int channel) {
            return sample_of(words[run], i * pixel, channel);
          });
          return p.mirrored ? reversed_pixels<dst_sample>(value.word) : value;
        });
  }
};

template <SampleType src_type, int channels, int dst_sample, int capacity>
__global__ void __launch_bounds__(planar_tuning(channels* sample_bytes(src_type)).threads,
                                  1024 / planar_tuning(channels * sample_bytes(src_type)).threads)
    make_planar(const __grid_constant__ PlanarSamples samples,
                const __grid_constant__ BatchParameters<PlanarPicture, capacity> batch) {
  using Block = PlanarBlock<src_type, channels, dst_sample>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  const unsigned i = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  Block::run(tile, batch.pictures[i], samples, blockIdx.x - batch.first_tile[i]);
}

/// Fewer than for the others, as with turn_batch_in_memory.
inline constexpr int planar_threads_in_memory = 768;

/// The same from memory.
template <SampleType src_type, int channels, int dst_sample>
__global__ void __launch_bounds__(planar_tuning(channels* sample_bytes(src_type)).threads,
                                  planar_threads_in_memory /
                                      planar_tuning(channels * sample_bytes(src_type)).threads)
    make_planar_in_memory(const __grid_constant__ PlanarSamples samples,
                          const BatchInMemory<PlanarPicture> batch) {
  using Block = PlanarBlock<src_type, channels, dst_sample>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  wait_for_previous_kernel();
  for_tiles_of_block(batch, [&](unsigned number, const PlanarPicture& picture) {
    Block::run(tile, picture, samples, number);
  });
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_PLANAR_KERNELS_CUH
