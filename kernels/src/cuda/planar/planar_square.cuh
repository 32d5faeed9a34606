// Pixels that a block has made in shared memory, on their way to planes: a square of a picture is
// turned there, converted and stored.
#pragma once

#include <qturn/planar.hpp>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/planar/sample_conversion.cuh"
#include "kernels/src/planar_format.hpp"

namespace qturn::device {

inline constexpr int square_threads = 256;
inline constexpr int square_side = 32;  // in pixels

inline std::int64_t squares_of(std::int64_t width, std::int64_t height) {
  return (width + square_side - 1) / square_side * ((height + square_side - 1) / square_side);
}

/// The place of a square's first pixel, and how many of its 32 x 32 pixels exist.
struct SquareTile {
  int x;
  int y;
  int columns;
  int rows;

  __device__ SquareTile(unsigned number, int width, int height) {
    const auto across = static_cast<unsigned>((width + square_side - 1) / square_side);
    x = static_cast<int>(number % across) * square_side;
    y = static_cast<int>(number / across) * square_side;
    columns = min(width - x, square_side);
    rows = min(height - y, square_side);
  }
};

/// How samples are converted, the same for all pictures of a launch.
struct SquareSamples {
  PlanarArithmetic arithmetic;
  SampleType type;

  explicit SquareSamples(const PlanarFormat& format)
      : arithmetic(arithmetic_of(format)), type(format.dst_type) {}
};

/// Where planes lie.
struct PlanesInMemory {
  Byte* data;
  std::int64_t pitch;
  std::int64_t plane_pitch;
};

/// Squares whose pixels are `channels` samples of `src_sample` bytes, unsigned integers.
template <int channels, int src_sample>
struct PlanarSquare {
  static constexpr int pixel = channels * src_sample;
  static constexpr int row_bytes = square_side * pixel + 4;  // columns of it lie in all banks
  static constexpr int bytes = square_side * row_bytes;

  /// Stores the pixels of a picture of `size`, before the turn, that lie in `square`.
  static __device__ __forceinline__ void store_planes(const Byte* square,
                                                      const SquareSamples& samples,
                                                      const SquareTile& tile, Size size,
                                                      Orientation orientation,
                                                      PlanesInMemory planes) {
    switch (samples.type) {
      case SampleType::uint8:
        return store_as_samples<1>(
            square, samples, tile, size, orientation, planes,
            [](float value) { return static_cast<Byte>(to_bytes(value, 0, 0)); });
      case SampleType::float16:
        return store_as_samples<2>(
            square, samples, tile, size, orientation, planes,
            [](float value) { return static_cast<std::uint16_t>(to_halves(value, 0)); });
      case SampleType::bfloat16:
        return store_as_samples<2>(
            square, samples, tile, size, orientation, planes,
            [](float value) { return static_cast<std::uint16_t>(to_bfloat16s(value, 0)); });
      default:
        return store_as_samples<4>(square, samples, tile, size, orientation, planes,
                                   [](float value) { return __float_as_uint(value); });
    }
  }

 private:
  template <int dst_sample, class Convert>
  static __device__ __forceinline__ void store_as_samples(const Byte* square,
                                                          const SquareSamples& samples,
                                                          const SquareTile& tile, Size size,
                                                          Orientation orientation,
                                                          PlanesInMemory planes, Convert convert) {
    const bool swaps = is_in(swapped, orientation);
    const bool mirrors = is_in(from_right, orientation);
    const bool upends = is_in(from_bottom, orientation);
    for (int i = static_cast<int>(threadIdx.x); i < square_side * square_side;
         i += square_threads) {
      // Neighbours in a row of the destination.
      const int column = swaps ? i / square_side : i % square_side;
      const int row = swaps ? i % square_side : i / square_side;
      if (column >= tile.columns || row >= tile.rows) continue;
      const std::int64_t x = mirrors ? size.width - 1 - tile.x - column : tile.x + column;
      const std::int64_t y = upends ? size.height - 1 - tile.y - row : tile.y + row;
      Byte* to = planes.data + (swaps ? x : y) * planes.pitch + (swaps ? y : x) * dst_sample;
      const Byte* from = square + row * row_bytes + column * pixel;
      for (int plane = 0; plane < samples.arithmetic.planes; ++plane, to += planes.plane_pitch) {
        const auto sample = load<src_sample>(from + samples.arithmetic.channel[plane] * src_sample);
        store<dst_sample>(
            to, convert(fmaf(static_cast<float>(static_cast<unsigned>(sample)),
                             samples.arithmetic.factor[plane], samples.arithmetic.offset[plane])));
      }
    }
  }
};

}  // namespace qturn::device
