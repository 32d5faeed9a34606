// Blocks in the form that a caller wants: coefficients in their natural order, samples, pixels.
//
// Eight threads work on a block: each has a column of it in the first pass of the inverse DCT, and
// a row in the second one. Between the passes it lies in shared memory. A warp has four blocks side
// by side, so that each row of samples that it writes fills a sector of memory.
#include "kernels/jpeg/src/stages.hpp"

#include "kernels/jpeg/src/block_tile.cuh"
#include "kernels/jpeg/src/dct.hpp"
#include "kernels/jpeg/src/pixels.hpp"
#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/restored.hpp"
#include "kernels/jpeg/src/staged_bytes.cuh"
#include "kernels/jpeg/src/writing.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

/// Puts this thread's eight coefficients, in zigzag order, of block `number` where they belong in
/// `block`.
__device__ void expand(const Picture& picture, std::uint32_t number, const std::uint8_t* natural,
                       std::int16_t* block) {
  const std::uint32_t lane = threadIdx.x % block_side;
  const StoredBlock stored{picture.values + std::size_t{number} * coefficients,
                           picture.sets[number], picture.parted[number]};
  if (lane == 0) block[0] = picture.dc[number];
  auto left = static_cast<std::uint32_t>(stored.set() >> lane * block_side & 0xFF);
  for (; left != 0; left &= left - 1) {
    const std::uint32_t k = lane * block_side + static_cast<std::uint32_t>(lowest_bit(left));
    block[natural[k]] = static_cast<std::int16_t>(stored.value(CoefficientPlace::of(k, false)));
  }
}

/// Numbers out of range become zero, so that nothing overflows.
__device__ void keep_if(bool holds, std::int32_t (&x)[block_side]) {
#pragma unroll
  for (std::int32_t& each : x) each = holds ? each : 0;
}

/// The samples of the row of `block` that this thread has. Returns whether all versions of libjpeg
/// agree on them.
__device__ bool transform(std::int16_t* block, const std::uint16_t* steps,
                          std::uint32_t (&samples)[block_side]) {
  const std::uint32_t lane = threadIdx.x % block_side;
  InverseRange range;
  SampleRange sample_range;
  std::int32_t x[block_side];
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    x[i] = block[i * block_side + lane] * std::int32_t{steps[i * block_side + lane]};
    range.add(x[i]);
  }
  keep_if(range.holds(), x);
  inverse_pass(x, inverse_first_shift);
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) range.add(x[i]);
  keep_if(range.holds(), x);
  __syncwarp();
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    block[i * block_side + lane] = static_cast<std::int16_t>(x[i]);
  }
  __syncwarp();
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) x[i] = block[lane * block_side + i];
  inverse_pass(x, inverse_last_shift);
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    sample_range.add(x[i]);
    samples[i] = sample_of(x[i]);
  }
  return range.holds() && sample_range.holds();
}

/// Writes eight samples, or as many as the plane has.
__device__ void store_row(const Plane& plane, std::uint32_t x, std::uint32_t y,
                          const std::uint32_t (&samples)[block_side]) {
  if (y >= plane.height || x >= plane.width) return;
  std::uint8_t* to = plane.row(y) + x;
  if (x + block_side <= plane.width && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
    *reinterpret_cast<uint2*>(to) = {
        samples[0] | samples[1] << 8 | samples[2] << 16 | samples[3] << 24,
        samples[4] | samples[5] << 8 | samples[6] << 16 | samples[7] << 24};
    return;
  }
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    if (x + i < plane.width) to[i] = static_cast<std::uint8_t>(samples[i]);
  }
}

__global__ void __launch_bounds__(block_threads)
    restore(const Picture* pictures, const RestoredPicture* restored) {
  __shared__ __align__(16) std::int16_t staged[blocks_in_tile * staged_block];
  __shared__ std::uint16_t steps[coefficients];
  __shared__ std::uint8_t natural[coefficients];
  const Picture& picture = pictures[blockIdx.y];
  const RestoredPicture& to = restored[blockIdx.y];
  if (blockIdx.x >= to.tiles.count()) return;
  const BlockTiles::At at = to.tiles.at(blockIdx.x);
  const RestoredComponent& component = to.component[at.which];
  if (!component.is_wanted()) return;
  if (threadIdx.x < coefficients) {
    steps[threadIdx.x] = component.steps[threadIdx.x];
    natural[threadIdx.x] = zigzag_on_device.at[threadIdx.x];
  }
  if (is_given_up(picture)) return;

  const Layout& layout = picture.turn.src;
  const std::uint32_t group = threadIdx.x / block_side, lane = threadIdx.x % block_side;
  const Place place{at.place.x + group, at.place.y};
  const bool is_there = layout.holds(at.which, place);
  std::int16_t* block = staged + group * staged_block;
  *reinterpret_cast<uint4*>(block + lane * block_side) = {};
  __syncwarp();
  if (is_there) expand(picture, layout.number(at.which, place), natural, block);
  __syncwarp();
  if (is_there && component.coefficients) {
    std::uint8_t* row =
        component.coefficients + std::int64_t{place.y} * component.coefficient_pitch;
    reinterpret_cast<uint4*>(row)[std::size_t{place.x} * block_side + lane] =
        *reinterpret_cast<const uint4*>(block + lane * block_side);
  }
  if (!component.plane.samples) return;
  std::uint32_t samples[block_side];
  const bool holds = transform(block, steps, samples);
  if (!is_there) return;
  if (!holds) fail(picture, JpegFault::range);
  store_row(component.plane, place.x * block_side, place.y * block_side + lane, samples);
}

constexpr std::uint32_t rgb_bytes = 3, warp_threads = 32, pixel_rows = 8;
constexpr std::uint32_t warp_pixels = warp_threads * pixels_in_run;
constexpr std::uint32_t run_words = pixels_in_run * rgb_bytes / sizeof(std::uint32_t);

constexpr std::int32_t no_colour = 128;  // of Cb and Cr

__device__ Rgb pixel_at(const RestoredPicture& of, std::uint32_t x, std::uint32_t y) {
  std::int32_t values[3];
#pragma unroll
  for (std::uint32_t i = 0; i < 3; ++i) {
    values[i] = i > 0 && of.is_grey
                    ? no_colour
                    : value_at(of.component[i].plane, of.shared[i], of.is_smooth, x, y);
  }
  return rgb_of(values[0], values[1], values[2]);
}

/// A run of pixels, in shared memory at a multiple of 16.
__device__ void make_run(const RestoredPicture& of, std::uint32_t x, std::uint32_t y,
                         std::uint32_t* to) {
  std::int32_t values[3][pixels_in_run];
#pragma unroll
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (i > 0 && of.is_grey) {
#pragma unroll
      for (std::int32_t& value : values[i]) value = no_colour;
    } else {
      values_at(of.component[i].plane, of.shared[i], of.is_smooth, x, y, values[i]);
    }
  }
  std::uint32_t words[run_words]{};
#pragma unroll
  for (std::uint32_t i = 0; i < pixels_in_run; ++i) {
    const Rgb rgb = rgb_of(values[0][i], values[1][i], values[2][i]);
    const std::uint32_t bytes[rgb_bytes] = {rgb.r, rgb.g, rgb.b};
#pragma unroll
    for (std::uint32_t k = 0; k < rgb_bytes; ++k) {
      const std::uint32_t at = i * rgb_bytes + k;
      words[at / 4] |= bytes[k] << at % 4 * 8;
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < run_words; i += 4) {
    *reinterpret_cast<uint4*>(to + i) = {words[i], words[i + 1], words[i + 2], words[i + 3]};
  }
}

/// The same one by one: of a run that the edge cuts, or of samples that more than two pixels share.
__device__ void make_pixels(const RestoredPicture& of, std::uint32_t x, std::uint32_t y,
                            std::uint32_t* to) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(to);
  const std::uint32_t end = min(x + pixels_in_run, of.pixels.width);
  for (; x < end; ++x) {
    const Rgb rgb = pixel_at(of, x, y);
    *bytes++ = static_cast<std::uint8_t>(rgb.r);
    *bytes++ = static_cast<std::uint8_t>(rgb.g);
    *bytes++ = static_cast<std::uint8_t>(rgb.b);
  }
}

/// Each thread of a warp makes a run of pixels. The warp stores them in granules.
__global__ void __launch_bounds__(warp_threads* pixel_rows)
    convert(const Picture* pictures, const RestoredPicture* restored) {
  // The word after the last one may be looked at.
  __shared__ __align__(16) std::uint32_t staged[pixel_rows][warp_threads * run_words + 4];
  const RestoredPicture& of = restored[blockIdx.z];
  const std::uint32_t lane = threadIdx.x % warp_threads, row = threadIdx.x / warp_threads;
  const std::uint32_t first = blockIdx.x * warp_pixels, y = blockIdx.y * pixel_rows + row;
  if (!of.pixels.samples || first >= of.pixels.width || y >= of.pixels.height) return;
  if (has_failed(pictures[blockIdx.z])) return;  // nobody changes it meanwhile
  const std::uint32_t x = first + lane * pixels_in_run;
  std::uint32_t* own = staged[row] + lane * run_words;
  const bool in_runs = has_runs(of.shared[0]) && has_runs(of.shared[1]) && has_runs(of.shared[2]);
  if (in_runs && x + pixels_in_run <= of.pixels.width) {
    make_run(of, x, y, own);
  } else {
    make_pixels(of, x, y, own);
  }
  __syncwarp();
  const std::uint32_t count = min(of.pixels.width - first, warp_pixels) * rgb_bytes;
  store_by_warp(staged[row], of.pixels.row(y) + std::size_t{first} * rgb_bytes, count);
}

__global__ void report(const Picture* pictures, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Picture& picture = pictures[i];
  *picture.result = {picture.progress->faults, 0, picture.progress->src_bytes};
}

}  // namespace

void restore_blocks(const Batch& batch, const RestoredPicture* restored, std::uint32_t tiles) {
  if (tiles == 0) return;
  device::launch(restore, dim3(tiles, batch.count), block_threads, 0, batch.stream, false,
                 batch.pictures, restored);
}

void convert_pixels(const Batch& batch, const RestoredPicture* restored, Size largest) {
  if (largest.width == 0) return;
  const dim3 grid((static_cast<unsigned>(largest.width) + warp_pixels - 1) / warp_pixels,
                  (static_cast<unsigned>(largest.height) + pixel_rows - 1) / pixel_rows,
                  batch.count);
  device::launch(convert, grid, warp_threads * pixel_rows, 0, batch.stream, false, batch.pictures,
                 restored);
}

void report_results(const Batch& batch) {
  constexpr int threads = 128;
  device::launch(report, dim3((batch.count + threads - 1) / threads), threads, 0, batch.stream,
                 false, batch.pictures, batch.count);
}

}  // namespace qturn::jpeg
