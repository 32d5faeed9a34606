// Interleaved pictures made planar: read once, turned, converted, written once.
//
// A tile of the source goes to shared memory by asynchronous copies, which keep the phase that each
// row has in global memory, so that rows may begin anywhere. Then a thread reads a few runs of
// source pixels, which become 16 bytes of each plane, into its registers, and makes those 16 bytes
// plane after plane. What a run is, and how a tile lies in shared memory, depends on the motion:
//
//   axes swapped  a run is a piece of a column, and the tile `width` x (128 bytes of a row of the
//                 destination). A thread has neighbouring columns that together are whole words, so
//                 it reads words of each row; the granules of a row change places with the row, so
//                 that a warp, which is 8 runs down and 4 threads across, meets different banks.
//   axes kept     a run is a piece of a row, mirrored or not, and the tile as many rows as have
//                 runs for all threads, so narrow pictures leave few idle.
//
// A warp writes pieces of 128 bytes. If the rows of source and planes are whole granules, as in a
// training loop, there is no shared memory for axes that are kept, and there are no phases for axes
// that are swapped: instructions limit these kernels, because 3 bytes become 6 with a conversion
// each. Rows of planes that are not whole granules have tiles of their own (planar_any_tile.cuh).
//
// In most uses the planes have at least as many bytes as the pixels (bytes to halves: twice as
// many), so the tiles are ordered such that writes are consecutive.
#pragma once

#include "kernels/src/cuda/planar/planar_any_tile.cuh"
#include "kernels/src/cuda/planar/planar_plan.cuh"
#include "kernels/src/cuda/planar/planar_samples.cuh"
#include "kernels/src/cuda/transpose/turned_tile.cuh"

namespace qturn::device {

/// `src` has `channels` samples of `src_type`, destinations have samples of `dst_sample` bytes.
template <SampleType src_type, int channels, int dst_sample>
struct PlanarBlock {
  using Conversion = PlanarConversion<src_type, dst_sample>;
  static constexpr int pixel = channels * Conversion::src_sample;
  static constexpr PlanarTuning tuning = planar_tuning(Tuning(), pixel, dst_sample);
  static constexpr int threads = tuning.threads;
  static constexpr int tile_bytes = planar_tile_bytes(tuning, pixel, dst_sample);

  static __device__ __forceinline__ void run(Byte* tile, const PlanarPicture& p,
                                             const PlanarSamples& samples, unsigned number) {
    if (p.swapped) {
      swap_axes(tile, p, samples, number / p.tiles_inside, number % p.tiles_inside);
    } else {
      keep_axes(tile, p, samples, number % p.tiles_inside, number / p.tiles_inside);
    }
  }

 private:
  using AnyTile = PlanarAnyTile<src_type, channels, dst_sample, threads>;
  static constexpr bool has_aligned = planar_has_aligned(Conversion::src_sample, dst_sample);
  static constexpr int tile_width = tuning.width;
  static constexpr int tile_rows = planar_piece / dst_sample;
  static constexpr int row_bytes = planar_row_bytes(tuning, pixel);
  static constexpr int run_pixels = granule / dst_sample;
  static constexpr int runs_down = planar_piece / granule;
  static constexpr int thread_runs = tile_width * runs_down / threads;
  static constexpr int run_words = run_pixels * pixel / 4;
  static constexpr int thread_row_words = thread_runs * pixel / 4;
  static_assert(thread_runs * pixel % 4 == 0 && run_pixels * pixel % 4 == 0);
  static_assert(runs_down == 8 && threads % 32 == 0);

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

  // The words of an aligned run, as many at once as it is a multiple of.
  static __device__ __forceinline__ void load_run(const Byte* from,
                                                  std::uint32_t (&words)[run_words]) {
    constexpr int at_once = word_bytes(run_words * 4);
#pragma unroll
    for (int i = 0; i < run_words; i += at_once / 4) {
      const Word<at_once> some = load<at_once>(from + 4 * i);
      if constexpr (at_once == 4) {
        words[i] = some;
      } else {
        words[i] = some.x;
        words[i + 1] = some.y;
      }
      if constexpr (at_once == 16) {
        words[i + 2] = some.z;
        words[i + 3] = some.w;
      }
    }
  }

  // Calls run(channel, plane) for all planes, the channel as a constant.
  template <int channel = 0, class Run>
  static __device__ __forceinline__ void for_each_plane(const PlanarSamples& samples, Run run) {
    if constexpr (channel < channels) {
#pragma unroll 1
      for (int c = samples.first_plane[channel]; c >= 0; c = samples.next_plane[c]) {
        run(std::integral_constant<int, channel>(), c);
      }
      for_each_plane<channel + 1>(samples, run);
    }
  }

  // Makes all planes of a thread's runs where they are aligned: run i goes to `to[i]` of plane 0,
  // if bit i of `exists` is set. sample_in(channel, i, j) is of its j-th pixel, from `words`.
  template <int rows, int columns, class Sample>
  static __device__ __forceinline__ void make_aligned_planes(
      const PlanarPicture& p, const PlanarSamples& samples, Byte* const (&to)[thread_runs],
      unsigned exists, bool mirrored, std::uint32_t (&words)[rows][columns], Sample sample_in) {
    for_each_plane(samples, [&](auto channel, int c) {
    // Without this the compiler would convert the samples before the loop over the planes of a
    // channel, usually one plane, and run out of registers.
#pragma unroll
      for (auto& of_row : words) {
#pragma unroll
        for (std::uint32_t& word : of_row) asm("" : "+r"(word));
      }
      const std::int64_t plane = c * p.plane_pitch;
#pragma unroll
      for (int run = 0; run < thread_runs; ++run) {
        Granule value =
            Conversion::convert(samples, c, [&](int i) { return sample_in(channel, run, i); });
        if (mirrored) value = reversed_pixels<dst_sample>(value.word);
        if ((exists >> run & 1) != 0) store_granule(to[run] + plane, value);
      }
    });
  }

  // Starts to copy a tile whose rows are whole granules. The places of a whole tile are distributed
  // evenly, so all but two numbers are constants.
  static __device__ __forceinline__ void start_aligned_tile(Byte* tile, const Byte* src,
                                                            std::int64_t pitch, int columns,
                                                            int rows) {
    constexpr int granules = tile_width * pixel / granule;
    constexpr int rows_on = threads / granules;
    const int first_row = static_cast<int>(threadIdx.x) / granules;
    const int column = static_cast<int>(threadIdx.x) % granules;
    if (first_row >= rows_on || column * granule >= columns * pixel) return;
    const Byte* from = src + first_row * pitch + column * granule;
#pragma unroll
    for (int step = 0; step < rounds(tile_rows, rows_on); ++step) {
      const int row = first_row + step * rows_on;
      if (row < rows) {
        start_copy<128>(tile + row * row_bytes + swizzled(column, row / run_pixels) * granule,
                        from);
      }
      from += rows_on * pitch;
    }
  }

  static __device__ __forceinline__ void swap_axes(Byte* tile, const PlanarPicture& p,
                                                   const PlanarSamples& samples, unsigned across,
                                                   unsigned down) {
    const std::int64_t x = std::int64_t{across} * p.runs;
    const std::int64_t y = std::int64_t{down} * p.rows;
    const int columns = static_cast<int>(p.width - x < p.runs ? p.width - x : p.runs);
    const int rows = static_cast<int>(p.height - y < p.rows ? p.height - y : p.rows);
    const Byte* src = p.src + y * p.src_pitch + x * pixel;
    Byte* const dst = p.dst + x * p.dst_pitch + y * dst_sample;
    if (!has_aligned || !p.dst_aligned) {
      return AnyTile::template make_planes<true>(tile, p, samples, src, columns, rows, dst);
    }
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int run_down = lane % runs_down;
    const int first_column = (static_cast<int>(threadIdx.x) / 32 * 4 + lane / 8) * thread_runs;
    std::uint32_t words[run_pixels][thread_row_words];
    if (p.src_aligned) {
      start_aligned_tile(tile, src, p.src_pitch, columns, rows);
      finish_copies();
#pragma unroll
      for (int word = 0; word < thread_row_words; ++word) {
        const int byte = first_column * pixel + word * 4;
        const Byte* from = tile + run_down * run_pixels * row_bytes + (byte ^ run_down * granule);
#pragma unroll
        for (int i = 0; i < run_pixels; ++i) words[i][word] = load<4>(from + i * row_bytes);
      }
    } else {
      const RowPhases phases{low_bits(src), static_cast<unsigned>(p.src_pitch)};
      const Extent picture = extent(p.src, p.src_pitch, p.height, p.width * pixel);
      const int granules = (columns * pixel + 2 * granule - 2) / granule;
      for_each_in_rows<threads>(granules, rows, [&](int row, int column) {
        const int offset = column * granule - phases.of(row);
        if (offset < columns * pixel) {
          start_copy_between<128>(
              tile + row * row_bytes + swizzled(column, row / run_pixels) * granule,
              src + row * p.src_pitch + offset, picture.begin, picture.end);
        }
      });
      finish_copies();
#pragma unroll
      for (int i = 0; i < run_pixels; ++i) {
        const int row = run_down * run_pixels + i;
        const Byte* in_row = tile + row * row_bytes;
        load_words_at<thread_row_words>(
            phases.of(row) + first_column * pixel, words[i],
            [&](int byte) { return in_row + (byte ^ run_down * granule); });
      }
    }

    Byte* to[thread_runs];
    unsigned exists = 0;
#pragma unroll
    for (int run = 0; run < thread_runs; ++run) {
      to[run] = dst + (first_column + run) * p.dst_pitch + run_down * granule;
      exists |= static_cast<unsigned>(first_column + run < columns &&
                                      run_down * granule < rows * dst_sample)
                << run;
    }
    make_aligned_planes(p, samples, to, exists, false, words, [&](auto channel, int run, int i) {
      return Conversion::template known_sample<channel.value>(words[i], run * pixel);
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

    Byte* const dst = p.dst + y * p.dst_pitch + x * dst_sample;
    if (!has_aligned || !p.dst_aligned) {
      return AnyTile::template make_planes<false>(tile, p, samples, src, columns, rows, dst);
    }

    // The runs of a tile are numbered row by row; one that does not exist is in row `rows`.
    int row_of[thread_runs];
    int at[thread_runs];
    const int rows_on = threads / runs;
    const int runs_on = threads - rows_on * runs;
    int row = static_cast<int>(threadIdx.x) / runs;
    int in_row = static_cast<int>(threadIdx.x) - row * runs;
#pragma unroll
    for (int run = 0; run < thread_runs; ++run) {
      at[run] = in_row * granule;
      row_of[run] = at[run] < columns * dst_sample && row < rows ? row : rows;
      row += rows_on;
      in_row += runs_on;
      if (in_row >= runs) {
        in_row -= runs;
        row += 1;
      }
    }
    const auto first_pixel = [&](int run) {
      const int first = at[run] / dst_sample;
      return p.mirrored ? columns - first - run_pixels : first;
    };
    std::uint32_t words[thread_runs][run_words];
    if (p.src_aligned) {
      // Runs are whole words of the source, and every word is wanted once.
#pragma unroll
      for (int run = 0; run < thread_runs; ++run) {
        if (row_of[run] == rows) continue;
        load_run(src + row_of[run] * p.src_pitch + first_pixel(run) * pixel, words[run]);
      }
    } else {
      const Extent picture = extent(p.src, p.src_pitch, p.height, p.width * pixel);
      const int most_bytes = runs * run_pixels * pixel;
      const int pitch = planar_kept_row_bytes(most_bytes);
      const unsigned line = most_bytes >= planar_long_row ? 128 : granule;
      const auto phase_of = [&](int of_row) {
        return static_cast<int>(
            (low_bits(src) + static_cast<unsigned>(of_row) * static_cast<unsigned>(p.src_pitch)) %
            line);
      };
      const auto place = [&](int byte) { return tile + (byte ^ (byte >> 3 & 0x70)); };
      // Granules that a row may lie in, counted from its first one.
      const int granules = (columns * pixel + 2 * granule - 2) / granule;
      for_each_in_rows<threads>(granules, rows, [&](int of_row, int column) {
        const int phase = phase_of(of_row);
        const int offset = column * granule - phase % granule;
        if (offset < columns * pixel) {
          start_copy_between<128>(place(of_row * pitch + phase + offset),
                                  src + of_row * p.src_pitch + offset, picture.begin, picture.end);
        }
      });
      finish_copies();
#pragma unroll
      for (int run = 0; run < thread_runs; ++run) {
        if (row_of[run] == rows) continue;
        load_words_at<run_words>(
            row_of[run] * pitch + phase_of(row_of[run]) + first_pixel(run) * pixel, words[run],
            place);
      }
    }

    Byte* to[thread_runs];
    unsigned exists = 0;
#pragma unroll
    for (int run = 0; run < thread_runs; ++run) {
      to[run] = dst + row_of[run] * p.dst_pitch + at[run];
      exists |= static_cast<unsigned>(row_of[run] != rows) << run;
    }
    make_aligned_planes(
        p, samples, to, exists, p.mirrored, words, [&](auto channel, int run, int i) {
          return Conversion::template known_sample<channel.value>(words[run], i * pixel);
        });
  }
};

/// Threads that fit on a multiprocessor. A thread that makes bytes holds twice as many pixels.
__host__ __device__ constexpr int planar_threads(int dst_sample) {
  return dst_sample == 1 ? 640 : 1024;
}

/// The same with descriptors in memory: fewer threads fit, as with turn_batch_in_memory.
__host__ __device__ constexpr int planar_threads_in_memory(int dst_sample) {
  return dst_sample == 1 ? 512 : 768;
}

/// The samples come first because their arrays are indexed: see new_parameter_bytes.
template <SampleType src_type, int channels, int dst_sample, int capacity>
__global__ void __launch_bounds__(PlanarBlock<src_type, channels, dst_sample>::threads,
                                  planar_threads(dst_sample) /
                                      PlanarBlock<src_type, channels, dst_sample>::threads)
    make_planar(const __grid_constant__ PlanarSamples samples,
                const __grid_constant__ BatchParameters<PlanarPicture, capacity> batch) {
  using Block = PlanarBlock<src_type, channels, dst_sample>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  const unsigned i = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  Block::run(tile, batch.pictures[i], samples, blockIdx.x - batch.first_tile[i]);
}

/// The same from memory.
template <SampleType src_type, int channels, int dst_sample>
__global__ void __launch_bounds__(PlanarBlock<src_type, channels, dst_sample>::threads,
                                  planar_threads_in_memory(dst_sample) /
                                      PlanarBlock<src_type, channels, dst_sample>::threads)
    make_planar_in_memory(const __grid_constant__ PlanarSamples samples,
                          const BatchInMemory<PlanarPicture> batch) {
  using Block = PlanarBlock<src_type, channels, dst_sample>;
  alignas(128) __shared__ Byte tile[Block::tile_bytes];
  wait_for_previous_kernel();
  for_tiles_of_block<Block::threads>(batch, [&](unsigned number, const PlanarPicture& picture) {
    Block::run(tile, picture, samples, number);
  });
}

}  // namespace qturn::device
