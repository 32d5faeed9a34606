// Tiles whose rows in the planes are not whole granules.
//
// A thread makes aligned granules, wherever they begin, and gathers their samples from shared
// memory one by one. Rows without padding are one long line, so that no granule is cut but the
// first and the last of a tile. 256 of 227x227 bytes to halves reach 68 % of a copy, to floats 82;
// written through shared memory a second time they reached 46 and 53 (H200, 2026-11-26).
#pragma once

#include "kernels/src/cuda/planar/planar_plan.cuh"
#include "kernels/src/cuda/planar/planar_samples.cuh"
#include "kernels/src/cuda/transpose/phased.cuh"

namespace qturn::device {

/// Calls run(row, column) for all of `rows` x `columns`, distributed over the threads.
template <int threads, class Run>
__device__ __forceinline__ void for_each_in_rows(int columns, int rows, Run run) {
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

/// `src` has `channels` samples of `src_type`, destinations have samples of `dst_sample` bytes.
template <SampleType src_type, int channels, int dst_sample, int threads>
struct PlanarAnyTile {
  using Conversion = PlanarConversion<src_type, dst_sample>;
  static constexpr int pixel = channels * Conversion::src_sample;
  static constexpr int run_pixels = granule / dst_sample;

  /// Makes all planes of a tile of `rows` x `columns` pixels. Row or column i of the tile becomes
  /// the row at `dst + i * p.dst_pitch` of plane 0.
  template <bool swapped>
  static __device__ __forceinline__ void make_planes(Byte* tile, const PlanarPicture& p,
                                                     const PlanarSamples& samples, const Byte* src,
                                                     int columns, int rows, Byte* dst) {
    const PlanarRows at(columns * pixel, low_bits(src), p.src_pitch, swapped);
    const Extent picture = extent(p.src, p.src_pitch, p.height, p.width * pixel);
    for_each_in_rows<threads>(
        PlanarRows::granules(columns * pixel), rows, [&](int row, int column) {
          const int place = at.place(row);
          const int offset = column * granule - place % granule;
          if (offset < columns * pixel) {
            start_copy_between<128>(tile + place + offset, src + row * p.src_pitch + offset,
                                    picture.begin, picture.end);
          }
        });
    finish_copies();

    // Lines of the planes in the order in which they lie in memory; one, if they follow each other.
    const int length = swapped ? rows : columns;
    const int lines = swapped ? columns : rows;
    const bool backwards = p.dst_pitch < 0;
    const std::int64_t pitch = backwards ? -p.dst_pitch : p.dst_pitch;
    const bool joined = length * dst_sample == pitch && length >= run_pixels;
    const int in_line = joined ? length * lines : length;
    const int granules = (in_line * dst_sample + 2 * granule - 2) / granule;
    const int work = joined ? granules : granules * lines;
    const float inverse = 1.0f / static_cast<float>(joined ? length : granules);
    const auto divided = [&](int number) {  // exact for all numbers of a tile
      return static_cast<int>((static_cast<float>(number) + 0.5f) * inverse);
    };
    const int step = swapped ? at.pitch : p.mirrored ? -pixel : pixel;
    const int next_line = (backwards ? -1 : 1) * (swapped ? pixel : at.pitch);
    const Byte* const first = tile + at.first + (p.mirrored ? (columns - 1) * pixel : 0) +
                              (backwards ? -next_line * (lines - 1) : 0);
    dst += backwards ? (lines - 1) * p.dst_pitch : 0;
    int number = static_cast<int>(threadIdx.x);  // goes on from plane to plane, so all have work
#pragma unroll 1
    for (int c = 0; c < samples.arithmetic.planes; ++c, number -= work) {
      const Byte* const of_channel = first + samples.arithmetic.channel[c] * Conversion::src_sample;
      Byte* const plane = dst + c * p.plane_pitch;
#pragma unroll 1
      for (; number < work; number += threads) {
        int line = 0;
        Byte* to = plane;
        int byte = number * granule;
        if (!joined) {
          line = divided(number);
          to += line * pitch;
          byte -= line * granules * granule;
        }
        byte -= static_cast<int>(low_bits(to) % granule);
        int sample = byte >> dst_sample / 2;  // of the line
        const int begin = -sample;
        const int end = in_line - sample;
        if (joined) {
          line = divided(sample > 0 ? sample : 0);
          sample -= line * length;
        }
        // Where the run's samples are before and after the skew, of bytes a second one, and in the
        // next line of the tile.
        constexpr bool skews_twice = swapped && run_pixels > 8;
        const int left = length - sample;
        const int before_skew = 8 - (sample & 7);
        const Byte* const here =
            of_channel + line * next_line + sample * step + (sample >> 3) * at.skew;
        const Byte* const there = of_channel + (line + 1) * next_line - left * step;
        const auto sample_of = [&](int i) {
          const Byte* from = swapped && i >= before_skew ? here + at.skew : here;
          const Byte* next = there;
          if (skews_twice && i >= before_skew + 8) from += at.skew;
          if (skews_twice && i >= left + 8) next += at.skew;
          return Conversion::sample_at((i < left ? from : next) + i * step);
        };
        if (begin <= 0 && end >= run_pixels) {
          store_granule(to + byte, Conversion::convert(samples, c, sample_of));
        } else if (end > 0) {
          const Granule value = Conversion::convert(
              samples, c, [&](int i) { return i >= begin && i < end ? sample_of(i) : 0.0f; });
          store_between(to + byte, value, begin * dst_sample, end * dst_sample);
        }
      }
    }
  }
};

}  // namespace qturn::device
