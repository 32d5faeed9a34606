// The three steps of a batch that is resized: weights, the first pass, and the second one, which
// also turns and converts.
//
// The weights of both axes and the bytes between the passes lie in the workspace, because a filter
// that shrinks reads each of these bytes several times, and each weight for a whole column. A block
// of a pass makes 32 x 32 pixels. The first pass reads runs of bytes anywhere, which begin at other
// phases for each thread, in whole words; the second one reads words that four sums share.
#pragma once

#include <qturn/resize.hpp>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/planar/planar_square.cuh"
#include "kernels/src/resized_axis.hpp"

namespace qturn::device {

/// The taps and the weights of all results of an axis, in the workspace. Weight k of result i lies
/// at weights[k * results + i], so that neighbours read neighbours.
struct WeighedAxis {
  Taps* taps;
  int* weights;
};

/// One picture of a batch.
struct ResizedPicture {
  static constexpr unsigned stretches = 128;

  const Byte* src;
  std::int64_t src_pitch;
  Byte* dst;
  std::int64_t dst_pitch;
  std::int64_t plane_pitch;
  Byte* work;
  std::int64_t between_at;  // in `work`: the bytes between the passes
  ResizedAxis x;
  ResizedAxis y;
  int first;          // the first row between the passes, or column if rows are made first
  int between_width;  // pixels
  int between_height;
  Orientation orientation;
  bool rows_first;

  /// Bytes of a row between the passes: whole words.
  __host__ __device__ std::int64_t between_pitch(int channels) const {
    return (std::int64_t{between_width} * channels + 3) / 4 * 4;
  }
  __device__ Byte* between() const { return work + between_at; }
  __device__ WeighedAxis weighed_x() const {
    auto* taps = reinterpret_cast<Taps*>(work);
    return {taps, reinterpret_cast<int*>(taps + x.results)};
  }
  __device__ WeighedAxis weighed_y() const {
    const WeighedAxis of_x = weighed_x();
    auto* taps = reinterpret_cast<Taps*>(of_x.weights + std::int64_t{x.results} * x.most_taps() +
                                         (x.results & x.most_taps() & 1));
    return {taps, reinterpret_cast<int*>(taps + y.results)};
  }
};

__device__ inline void weigh(const ResizedAxis& axis, const WeighedAxis& to, int i) {
  to.taps[i] = axis.weigh(
      i, [&](int k, int weight) { to.weights[std::int64_t{k} * axis.results + i] = weight; });
}

/// A tile is 256 results, of the columns and then of the rows. Of `nearest` it is an axis, which
/// one thread follows.
template <int capacity>
__global__ void __launch_bounds__(square_threads)
    weigh_axes(const __grid_constant__ BatchParameters<ResizedPicture, capacity> batch) {
  const unsigned number = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  const ResizedPicture& p = batch.pictures[number];
  const unsigned tile = blockIdx.x - batch.first_tile[number];
  if (p.x.filter == ResizeFilter::nearest) {
    if (threadIdx.x != 0) return;
    const WeighedAxis to = tile == 0 ? p.weighed_x() : p.weighed_y();
    (tile == 0 ? p.x : p.y).find_nearest([&](int i, Taps taps) {
      to.taps[i] = taps;
      to.weights[i] = 2 * one_half;
    });
    return;
  }
  const std::int64_t i = std::int64_t{tile} * square_threads + threadIdx.x;
  if (i < p.x.results) {
    weigh(p.x, p.weighed_x(), static_cast<int>(i));
  } else if (i - p.x.results < p.y.results) {
    weigh(p.y, p.weighed_y(), static_cast<int>(i - p.x.results));
  }
}

/// Adds `taps.count` pixels, `step` bytes apart, to the sums, byte by byte.
template <int channels>
__device__ __forceinline__ void add_bytes(const Byte* from, std::int64_t step, Taps taps,
                                          const int* weights, int weights_step,
                                          int (&sums)[channels]) {
  for (int k = 0; k < taps.count; ++k, from += step) {
    const int weight = weights[std::int64_t{k} * weights_step];
#pragma unroll
    for (int channel = 0; channel < channels; ++channel) sums[channel] += from[channel] * weight;
  }
}

/// The same of pixels that follow each other, in words that all lie in the picture.
template <int channels>
__device__ __forceinline__ void add_words(const Byte* from, Taps taps, const int* weights,
                                          int weights_step, int (&sums)[channels]) {
  const auto phase = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
  from -= phase;
  std::uint32_t next = load<4>(from);
  for (int k = 0; k < taps.count; k += 4) {
    std::uint32_t words[channels];  // four pixels
#pragma unroll
    for (int i = 0; i < channels; ++i) {
      from += 4;
      const std::uint32_t word = load<4>(from);
      words[i] = __funnelshift_r(next, word, phase * 8);
      next = word;
    }
#pragma unroll
    for (int pixel = 0; pixel < 4; ++pixel) {
      if (k + pixel >= taps.count) break;
      const int weight = weights[std::int64_t{k + pixel} * weights_step];
#pragma unroll
      for (int channel = 0; channel < channels; ++channel) {
        const int at = pixel * channels + channel;
        sums[channel] += static_cast<int>(words[at / 4] >> at % 4 * 8 & 0xff) * weight;
      }
    }
  }
}

/// Makes the bytes between the passes.
template <int channels, int capacity>
__global__ void __launch_bounds__(square_threads)
    resize_once(const __grid_constant__ BatchParameters<ResizedPicture, capacity> batch) {
  const unsigned number = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  const ResizedPicture& p = batch.pictures[number];
  const SquareTile tile(blockIdx.x - batch.first_tile[number], p.between_width, p.between_height);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane >= tile.columns) return;
  const int x = tile.x + lane;
  const Extent picture =
      extent(p.src, p.src_pitch, p.y.length, std::int64_t{p.x.length} * channels);
  const WeighedAxis axis = p.rows_first ? p.weighed_y() : p.weighed_x();
  const std::int64_t pitch = p.between_pitch(channels);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < tile.rows; row += square_threads / 32) {
    const int y = tile.y + row;
    int sums[channels];
#pragma unroll
    for (int& sum : sums) sum = one_half;
    if (p.rows_first) {
      const Taps taps = axis.taps[y];
      add_bytes(p.src + taps.first * p.src_pitch + (std::int64_t{p.first} + x) * channels,
                p.src_pitch, taps, axis.weights + y, p.y.results, sums);
    } else {
      const Taps taps = axis.taps[x];
      const Byte* from =
          p.src + (std::int64_t{p.first} + y) * p.src_pitch + std::int64_t{taps.first} * channels;
      // Four pixels at a time, and the words that they begin and end in.
      if (from - 3 >= picture.begin &&
          from + std::int64_t{(taps.count + 3) / 4 * 4} * channels + 4 <= picture.end) {
        add_words(from, taps, axis.weights + x, p.x.results, sums);
      } else {
        add_bytes(from, channels, taps, axis.weights + x, p.x.results, sums);
      }
    }
    Byte* to = p.between() + y * pitch + std::int64_t{x} * channels;
#pragma unroll
    for (int channel = 0; channel < channels; ++channel) {
      to[channel] = static_cast<Byte>(limited(sums[channel]));
    }
    // The second pass reads whole words.
    if (x == p.between_width - 1) {
      for (Byte* padding = to + channels; padding < p.between() + (y + 1) * pitch; ++padding) {
        *padding = 0;
      }
    }
  }
}

/// Makes the resized pixels of a tile, turns them in shared memory, and stores them as planes.
template <int channels, int capacity>
__global__ void __launch_bounds__(square_threads)
    resize_to_planes(const __grid_constant__ SquareSamples samples,
                     const __grid_constant__ BatchParameters<ResizedPicture, capacity> batch) {
  using Square = PlanarSquare<channels, 1>;
  constexpr int row_words = square_side * channels / 4;
  constexpr int row_bytes = Square::row_bytes;
  __shared__ alignas(16) Byte resized[Square::bytes];
  const unsigned number = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  const ResizedPicture& p = batch.pictures[number];
  const SquareTile tile(blockIdx.x - batch.first_tile[number], p.x.results, p.y.results);
  const std::int64_t pitch = p.between_pitch(channels);
  if (p.rows_first) {
    const WeighedAxis axis = p.weighed_x();
    for (int i = static_cast<int>(threadIdx.x); i < square_side * square_side;
         i += square_threads) {
      const int row = i / square_side;
      const int column = i % square_side;
      if (row >= tile.rows || column >= tile.columns) continue;
      const Taps taps = axis.taps[tile.x + column];
      int sums[channels];
#pragma unroll
      for (int& sum : sums) sum = one_half;
      add_bytes(p.between() + (tile.y + row) * pitch + (taps.first - p.first) * channels, channels,
                taps, axis.weights + tile.x + column, p.x.results, sums);
#pragma unroll
      for (int channel = 0; channel < channels; ++channel) {
        resized[row * row_bytes + column * channels + channel] =
            static_cast<Byte>(limited(sums[channel]));
      }
    }
  } else {
    const WeighedAxis axis = p.weighed_y();
#pragma unroll
    for (int step = 0; step < rounds(row_words * square_side, square_threads); ++step) {
      const int i = static_cast<int>(threadIdx.x) + step * square_threads;
      const int row = i / row_words;
      const int word = i % row_words;
      if (row >= tile.rows || word * 4 >= tile.columns * channels) continue;
      const Taps taps = axis.taps[tile.y + row];
      const int* weight = axis.weights + tile.y + row;
      const Byte* from =
          p.between() + (taps.first - p.first) * pitch + std::int64_t{tile.x} * channels + word * 4;
      int sums[4] = {one_half, one_half, one_half, one_half};
      for (int k = 0; k < taps.count; ++k, from += pitch, weight += p.y.results) {
        const std::uint32_t four = load<4>(from);
#pragma unroll
        for (int at = 0; at < 4; ++at)
          sums[at] += static_cast<int>(four >> at * 8 & 0xff) * *weight;
      }
      std::uint32_t four = 0;
#pragma unroll
      for (int at = 0; at < 4; ++at)
        four |= static_cast<std::uint32_t>(limited(sums[at])) << at * 8;
      store<4>(resized + row * row_bytes + word * 4, four);
    }
  }
  __syncthreads();

  Square::store_planes(resized, samples, tile, {p.x.results, p.y.results}, p.orientation,
                       {p.dst, p.dst_pitch, p.plane_pitch});
}

}  // namespace qturn::device
