// Frames of 4:2:0 made planes of RGB. A thread makes the 2 x 2 pixels that share their chroma; the
// square is turned in shared memory.
#include <qturn/yuv.hpp>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/planar/planar_square.cuh"
#include "kernels/src/yuv_rule.hpp"

namespace qturn {
namespace device {
namespace {

/// One frame of a batch. Sizes are the source's.
struct YuvPicture {
  static constexpr unsigned stretches = 128;

  const Byte* luma;
  const Byte* u;
  const Byte* v;
  std::int64_t luma_pitch;
  std::int64_t u_pitch;
  std::int64_t v_pitch;
  PlanesInMemory dst;
  int width;
  int height;
  Orientation orientation;
};

/// How all frames of a launch are converted.
struct YuvSamples {
  SquareSamples planes;
  YuvArithmetic rule;
};

template <int bytes>
__device__ __forceinline__ int yuv_sample(const Byte* from) {
  const int sample = load<bytes>(from);
  return bytes == 2 ? sample >> 6 : sample;
}

template <int bytes, int capacity>
__global__ void __launch_bounds__(square_threads)
    yuv_to_planes(const __grid_constant__ YuvSamples samples,
                  const __grid_constant__ BatchParameters<YuvPicture, capacity> batch) {
  using Square = PlanarSquare<3, bytes>;
  static_assert(square_side * square_side == 4 * square_threads);
  __shared__ alignas(16) Byte square[Square::bytes];
  const unsigned number = picture_of(batch, batch.shift, blockIdx.x);
  wait_for_previous_kernel();
  const YuvPicture& p = batch.pictures[number];
  const SquareTile tile(blockIdx.x - batch.first_tile[number], p.width, p.height);
  const int column = static_cast<int>(threadIdx.x) % (square_side / 2) * 2;
  const int row = static_cast<int>(threadIdx.x) / (square_side / 2) * 2;
  if (column < tile.columns && row < tile.rows) {
    const std::int64_t x = tile.x + column;
    const std::int64_t y = tile.y + row;
    const std::int64_t chroma = x / 2 * samples.rule.chroma_step;
    const int u = yuv_sample<bytes>(p.u + y / 2 * p.u_pitch + chroma);
    const int v = yuv_sample<bytes>(p.v + y / 2 * p.v_pitch + chroma);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int right = i % 2;
      const int down = i / 2;
      if (column + right >= tile.columns || row + down >= tile.rows) continue;
      const int luma = yuv_sample<bytes>(p.luma + (y + down) * p.luma_pitch + (x + right) * bytes);
      const Rgb rgb = samples.rule.rgb(luma, u, v);
      Byte* to = square + (row + down) * Square::row_bytes + (column + right) * Square::pixel;
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        store<bytes>(to + c * bytes, static_cast<Word<bytes>>(rgb.channel[c]));
      }
    }
  }
  __syncthreads();
  Square::store_planes(square, samples.planes, tile, {p.width, p.height}, p.orientation, p.dst);
}

}  // namespace
}  // namespace device

namespace {

using device::BatchParameters;
using device::YuvPicture;
using device::YuvSamples;

constexpr int few = 32;
constexpr int many = 300;
static_assert(sizeof(BatchParameters<YuvPicture, few>) + sizeof(YuvSamples) <=
              device::old_parameter_bytes);
static_assert(sizeof(BatchParameters<YuvPicture, many>) + sizeof(YuvSamples) <=
              device::new_parameter_bytes);
static_assert(device::begins_early(sizeof(YuvSamples) +
                                   device::last_array_offset<YuvPicture, many>()));

}  // namespace

void yuv_to_planar_batch(const YuvImage* images, std::size_t count, YuvRule rule,
                         const PlanarFormat& format, cudaStream_t stream) {
  if (count == 0) return;
  check_yuv(images, count, rule, format);
  const YuvSamples samples{device::SquareSamples(format), arithmetic_of(rule)};
  const int bytes = sample_bytes(rule.format);
  const auto bytes_of = [](const ConstView& view) {
    return static_cast<const device::Byte*>(view.data);
  };
  const auto plan = [&](std::size_t i, YuvPicture& p) -> std::int64_t {
    const YuvImage& image = images[i];
    if (image.luma.empty()) return 0;
    const bool pairs = rule.format != YuvFormat::i420;
    const ConstView& v = image.chroma[pairs ? 0 : 1];
    p.luma = bytes_of(image.luma);
    p.u = bytes_of(image.chroma[0]);
    p.v = bytes_of(v) + (pairs ? bytes : 0);
    p.luma_pitch = image.luma.pitch;
    p.u_pitch = image.chroma[0].pitch;
    p.v_pitch = v.pitch;
    p.dst = {static_cast<device::Byte*>(image.dst.data), image.dst.pitch, image.dst.plane_pitch};
    p.width = static_cast<int>(image.luma.width);
    p.height = static_cast<int>(image.luma.height);
    p.orientation = image.orientation;
    return device::squares_of(p.width, p.height);
  };
  device::launch_all<YuvPicture, few, many>(
      count, plan,
      [&]<int capacity>(const BatchParameters<YuvPicture, capacity>& batch, unsigned tiles) {
        device::launch_overlapping(
            bytes == 2 ? device::yuv_to_planes<2, capacity> : device::yuv_to_planes<1, capacity>,
            dim3(tiles), device::square_threads, stream, samples, batch);
      });
}

}  // namespace qturn
