// Planes made interleaved: a square of each plane goes to shared memory, and the pixels that it
// becomes leave as words, whatever the address that a row of them begins at.
#include <qturn/planar.hpp>

#include <type_traits>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/planar/planar_square.cuh"

namespace qturn {
namespace device {
namespace {

/// One picture of a batch. Sizes are the source's.
struct PicturePlanes {
  static constexpr unsigned stretches = 128;

  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t plane_pitch;
  std::int64_t dst_pitch;
  int width;
  int height;
  Orientation orientation;
};

/// Samples have 1 << `shift` bytes.
template <int planes, int capacity>
__global__ void __launch_bounds__(square_threads)
    interleave(int shift, const __grid_constant__ BatchParameters<PicturePlanes, capacity> batch) {
  constexpr int row_bytes = square_side * 4 + 4;  // columns of it lie in all banks
  constexpr int plane_bytes = square_side * row_bytes;
  __shared__ alignas(16) Byte square[planes * plane_bytes];
  const unsigned number = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  const PicturePlanes& p = batch.pictures[number];
  const SquareTile tile(blockIdx.x - batch.first_tile[number], p.width, p.height);
  const int lane = static_cast<int>(threadIdx.x) % square_side;
  const int warp = static_cast<int>(threadIdx.x) / square_side;
  if (lane < tile.columns) {
#pragma unroll
    for (int step = 0; step < square_side * square_side / square_threads; ++step) {
      const int row = warp + step * (square_threads / square_side);
      if (row >= tile.rows) break;
      const Byte* from = p.src + (std::int64_t{tile.y} + row) * p.src_pitch +
                         ((std::int64_t{tile.x} + lane) << shift);
      Byte* to = square + row * row_bytes + (lane << shift);
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        if (shift == 0) store<1>(to, load<1>(from));
        if (shift == 1) store<2>(to, load<2>(from));
        if (shift == 2) store<4>(to, load<4>(from));
        from += p.plane_pitch;
        to += plane_bytes;
      }
    }
  }
  __syncthreads();

  const bool swaps = is_in(swapped, p.orientation);
  const bool mirrors = is_in(from_right, p.orientation);
  const bool upends = is_in(from_bottom, p.orientation);
  // Where the square comes to lie, and its own row or column for each of the destination.
  const std::int64_t x = mirrors ? std::int64_t{p.width} - tile.x - tile.columns : tile.x;
  const std::int64_t y = upends ? std::int64_t{p.height} - tile.y - tile.rows : tile.y;
  const int length = swaps ? tile.rows : tile.columns;
  const int lines = swaps ? tile.columns : tile.rows;
  const bool backwards = swaps ? upends : mirrors;
  const int step = swaps ? row_bytes : 1 << shift;
  const int line_step = swaps ? 1 << shift : row_bytes;
  const bool lines_backwards = swaps ? mirrors : upends;
  const int pixel = planes << shift;
  const int in_line = length * pixel;
  const int words = (square_side * pixel) / 4 + 1;
  for (int line = warp; line < lines; line += square_threads / square_side) {
    Byte* const to = p.dst + ((swaps ? x : y) + line) * p.dst_pitch + (swaps ? y : x) * pixel;
    const int phase = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 4);
    const Byte* const of_line = square + (lines_backwards ? lines - 1 - line : line) * line_step;
    for (int word = lane; word < words; word += square_side) {
      const int begin = word * 4 - phase;
      std::uint32_t value = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int byte = begin + i;
        if (byte < 0 || byte >= in_line) continue;
        const int sample = byte >> shift;
        const int at = sample / planes;
        const Byte* from = of_line + (backwards ? length - 1 - at : at) * step +
                           (sample - at * planes) * plane_bytes + (byte & ((1 << shift) - 1));
        value |= static_cast<std::uint32_t>(*from) << i * 8;
      }
      if (begin >= 0 && begin + 4 <= in_line) {
        store<4>(to + begin, value);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (begin + i >= 0 && begin + i < in_line) {
            to[begin + i] = static_cast<Byte>(value >> i * 8);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace device

namespace {

using device::BatchParameters;
using device::PicturePlanes;

constexpr int few = 48;
constexpr int many = 400;
static_assert(sizeof(BatchParameters<PicturePlanes, few>) + 8 <= device::old_parameter_bytes);
static_assert(sizeof(BatchParameters<PicturePlanes, many>) + 8 <= device::new_parameter_bytes);
static_assert(device::begins_early(8 + device::last_array_offset<PicturePlanes, many>()));

}  // namespace

void from_planar_batch(const InterleavedImage* images, std::size_t count, int planes,
                       cudaStream_t stream) {
  if (count == 0) return;
  const int bytes = check_interleaved(images, count, planes);
  const int shift = bytes / 2;
  const auto plan = [&](std::size_t i, PicturePlanes& p) -> std::int64_t {
    const InterleavedImage& image = images[i];
    p.src = static_cast<const device::Byte*>(image.src.data);
    p.dst = static_cast<device::Byte*>(image.dst.data);
    p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
    p.plane_pitch = planes > 1 ? image.src.plane_pitch : 0;
    p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
    p.width = static_cast<int>(image.src.width);
    p.height = static_cast<int>(image.src.height);
    p.orientation = image.orientation;
    return device::squares_of(image.src.width, image.src.height);
  };
  device::launch_all<PicturePlanes, few, many>(
      count, plan,
      [&]<int capacity>(const BatchParameters<PicturePlanes, capacity>& batch, unsigned tiles) {
        const auto launch = [&](auto kernel) {
          device::launch_overlapping(kernel, dim3(tiles), device::square_threads, stream, shift,
                                     batch);
        };
        if (planes == 1) return launch(device::interleave<1, capacity>);
        if (planes == 2) return launch(device::interleave<2, capacity>);
        if (planes == 3) return launch(device::interleave<3, capacity>);
        launch(device::interleave<4, capacity>);
      });
}

}  // namespace qturn
