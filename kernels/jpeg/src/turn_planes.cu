// Makes the blocks of the turned picture from planes, stored as reading stores a source's blocks.
//
// A block of threads gathers the samples of its tile, turned, in shared memory. Then eight threads
// work on a block: each transforms a row in the first pass of the DCT, and a column in the second
// one. The coefficients that are not zero are packed in shared memory.
#include "kernels/jpeg/src/block_tile.cuh"
#include "kernels/jpeg/src/planar.hpp"
#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/stages.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t most_ac_size = 10;
constexpr std::uint32_t tile_width = turned_wide * block_side,
                        tile_height = turned_high * block_side;
static_assert(turned_wide * turned_high == blocks_in_tile);
/// Four more bytes keep the rows in different banks.
constexpr std::uint32_t tile_pitch = tile_width + 4;

/// Turned samples of a tile, row by row. Each thread has eight that lie side by side in the source,
/// and its neighbours have the next ones.
__device__ void gather(const TurnedPlane& plane, Place first, std::uint32_t* tile) {
  static_assert(tile_width * tile_height == 8 * block_threads);
  constexpr std::uint32_t in_row = tile_width / 8, in_column = tile_height / 8;
  const bool swaps = plane.reading.swap_axes;
  const std::uint32_t x = swaps ? threadIdx.x / in_column : threadIdx.x % in_row * 8;
  const std::uint32_t y = swaps ? threadIdx.x % in_column * 8 : threadIdx.x / in_row;
  const std::uint64_t samples =
      plane.eight_samples(first.x * block_side + x, first.y * block_side + y);
  if (swaps) {
    auto* to = reinterpret_cast<std::uint8_t*>(tile) + y * tile_pitch + x;
#pragma unroll
    for (std::uint32_t i = 0; i < 8; ++i) {
      to[i * tile_pitch] = static_cast<std::uint8_t>(samples >> 8 * i);
    }
  } else {
    std::uint32_t* to = tile + (y * tile_pitch + x) / 4;
    to[0] = static_cast<std::uint32_t>(samples);
    to[1] = static_cast<std::uint32_t>(samples >> 32);
  }
}

/// A row of a block, with zero in the middle.
__device__ void load_row(const std::uint32_t* words, std::int32_t (&row)[block_side]) {
  constexpr std::int32_t middle = 128;
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    row[i] = static_cast<std::int32_t>(words[i / 4] >> i % 4 * 8 & 0xFF) - middle;
  }
}

/// The union of the parts of a set that eight threads hold.
__device__ std::uint64_t united(std::uint64_t set) {
#pragma unroll
  for (int distance = 1; distance < block_side; distance *= 2) {
    set |= __shfl_xor_sync(~0u, static_cast<unsigned long long>(set), distance);
  }
  return set;
}

/// Rows of the block in `block` are transformed; this does its columns, one for each thread, and
/// stores it as block `number`. Returns whether all coefficients have as many bits as JPEG allows.
__device__ bool store(const Picture& picture, std::uint32_t number, bool is_there,
                      std::int16_t* block, const Divisor* divisors, const std::uint8_t* number_at) {
  const std::uint32_t lane = threadIdx.x % block_side;
  std::int32_t x[block_side];
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) x[i] = block[i * block_side + lane];
  forward_pass(x, forward_last_shift);
  std::uint64_t set = 0;
  bool fits = true;
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    const std::uint32_t at = i * block_side + lane;
    x[i] = divisors[at].divide(x[i]);
    if (at == 0 || x[i] == 0) continue;
    set |= std::uint64_t{1} << number_at[at];
    fits &= size_of(x[i]) <= most_ac_size;
  }
  const std::uint64_t all = united(set);
  __syncwarp();  // all threads have read their columns
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    const std::uint32_t at = i * block_side + lane;
    if (at == 0 || x[i] == 0) continue;
    const std::uint64_t before = all & ((std::uint64_t{1} << number_at[at]) - 1);
    block[bit_count(before)] = static_cast<std::int16_t>(x[i]);
  }
  __syncwarp();
  if (!is_there) return true;
  if (lane * block_side < bit_count(all)) {
    auto* values = reinterpret_cast<uint4*>(picture.values + std::size_t{number} * coefficients);
    values[lane] = *reinterpret_cast<const uint4*>(block + lane * block_side);
  }
  if (lane == 0) {
    picture.dc[number] = static_cast<std::int16_t>(x[0]);
    picture.sets[number] = all;
    picture.parted[number] = 0;
  }
  return fits;
}

__global__ void __launch_bounds__(block_threads)
    turn_tile(const Picture* pictures, const PlanarPicture* planar) {
  __shared__ std::uint32_t tile[tile_pitch * tile_height / 4];
  __shared__ __align__(16) std::int16_t staged[blocks_in_tile * staged_block];
  __shared__ Divisor divisors[coefficients];
  __shared__ std::uint8_t number_at[coefficients];
  const Picture& picture = pictures[blockIdx.y];
  const PlanarPicture& turned = planar[blockIdx.y];
  if (blockIdx.x >= turned.tiles.count()) return;
  const BlockTiles::At at = turned.tiles.at(blockIdx.x);
  const PlanarComponent& component = turned.component[at.which];
  if (threadIdx.x < coefficients) {
    divisors[threadIdx.x] = component.divisors[threadIdx.x];
    number_at[zigzag_on_device.at[threadIdx.x]] = static_cast<std::uint8_t>(threadIdx.x);
  }
  if (is_given_up(picture)) return;

  gather(component.plane, at.place, tile);
  __syncthreads();
  const Layout& layout = picture.turn.dst;
  const std::uint32_t group = threadIdx.x / block_side, lane = threadIdx.x % block_side;
  const std::uint32_t column = group % turned_wide, row = group / turned_wide;
  const Place place{at.place.x + column, at.place.y + row};
  const bool is_there = layout.holds(at.which, place);
  std::int16_t* block = staged + group * staged_block;
  std::int32_t x[block_side];
  load_row(tile + ((row * block_side + lane) * tile_pitch + column * block_side) / 4, x);
  forward_pass(x, forward_first_shift);
#pragma unroll
  for (std::uint32_t i = 0; i < block_side; ++i) {
    block[lane * block_side + i] = static_cast<std::int16_t>(x[i]);
  }
  __syncwarp();
  const std::uint32_t number = is_there ? layout.number(at.which, place) : 0;
  if (!store(picture, number, is_there, block, divisors, number_at)) {
    fail(picture, JpegFault::range);
  }
}

}  // namespace

void turn_planes(const Batch& batch, const PlanarPicture* planar, std::uint32_t tiles) {
  if (tiles == 0) return;
  device::launch(turn_tile, dim3(tiles, batch.count), block_threads, 0, batch.stream, false,
                 batch.pictures, planar);
}

}  // namespace qturn::jpeg
