// Codes of the turned picture, a block for each thread.
//
// A turned block's coefficients are read where its source lies, in another order. The first kernel
// only counts bits; a prefix sum says where each block's codes begin; the second one writes them,
// together with its neighbours in shared memory, and from there to the picture's data.
#include "kernels/jpeg/src/stages.hpp"

#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/writing.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t bits_per_byte = 8;
constexpr int tile_threads = static_cast<int>(tile_blocks);
/// Tiles on a multiprocessor at a time. Fewer registers cost some spills, and more threads gain 9 %
/// (H200, 2026-11-23).
constexpr int resident_tiles = device::resident_threads >= 1536 ? 5 : 4;
/// Words of a tile's codes in shared memory; a tile that has more is written past it.
constexpr std::uint32_t most_staged = 3072;

using TileScan = cub::BlockScan<Runs, tile_threads>;

/// What all blocks need, in shared memory.
struct Coding {
  WriteTable tables[2 * most_components];
  Order order;

  __device__ void load(const Picture& picture) {
    constexpr std::uint32_t codes = sizeof(WriteTable::code) / sizeof(std::uint32_t);
    for (std::uint32_t i = threadIdx.x; i < 2 * picture.turn.dst.components * codes;
         i += blockDim.x) {
      tables[i / codes].code[i % codes] = picture.write_tables[i / codes].code[i % codes];
    }
    if (threadIdx.x < coefficients) order.source[threadIdx.x] = picture.order.source[threadIdx.x];
    if (threadIdx.x == 0) {
      order.negated = picture.order.negated;
      order.transposes = picture.order.transposes;
    }
  }
};

template <class Bits>
__device__ void put_block(const Picture& picture, const Coding& coding, std::uint32_t number,
                          Bits& out) {
  const Turn& turn = picture.turn;
  const std::uint32_t mcu = number / turn.dst.blocks_in_mcu;
  const std::uint32_t block = number % turn.dst.blocks_in_mcu;
  const WriteTable* tables = coding.tables + 2 * turn.dst.component_of[block];
  const std::uint32_t source = turn.source(mcu, block);
  if (source == no_block) {
    put_dc(out, tables[0], 0);
    put_ac(out, tables[1], coding.order, {});
    return;
  }
  const std::uint32_t predecessor = turn.predecessor(mcu, block);
  const std::int32_t before = predecessor == no_block ? 0 : picture.dc[predecessor];
  const std::int32_t difference = picture.dc[source] - before;
  if (size_of(difference) > largest_dc_size) {
    fail(picture, JpegFault::range);
    return;
  }
  put_dc(out, tables[0], difference);
  put_ac(out, tables[1], coding.order,
         {picture.values + std::size_t{source} * coefficients, picture.sets[source],
          picture.parted[source]});
}

__device__ bool ends_segment(const Layout& layout, std::uint32_t number) {
  return (number + 1) % layout.blocks_in_segment() == 0 || number + 1 == layout.blocks();
}

__device__ Runs runs_of(std::uint32_t bits, bool ends) {
  Runs runs;
  runs.add(bits);
  if (ends) runs.end_segment(bits_per_byte);
  return runs;
}

__global__ void __launch_bounds__(tile_threads, resident_tiles)
    count_bits(const Picture* pictures) {
  __shared__ Coding coding;
  __shared__ typename TileScan::TempStorage scratch;
  __shared__ bool failed;
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.tiles) return;
  if (threadIdx.x == 0) failed = has_failed(picture);
  __syncthreads();
  if (failed) return;
  coding.load(picture);
  __syncthreads();
  const Layout& layout = picture.turn.dst;
  const std::uint32_t number = blockIdx.x * tile_blocks + threadIdx.x;
  Runs own;
  if (number < layout.blocks()) {
    BitCount count;
    put_block(picture, coding, number, count);
    if (count.lacks_code) fail(picture, JpegFault::tables);
    picture.code_bits[number] = static_cast<std::uint16_t>(count.bits);
    own = runs_of(count.bits, ends_segment(layout, number));
  }
  Runs within, all;
  TileScan(scratch).ExclusiveScan(own, within, Runs{}, AddRuns{bits_per_byte}, all);
  if (threadIdx.x == 0) picture.tile_runs[blockIdx.x] = all;
}

__global__ void __launch_bounds__(sum_threads) sum_tiles(const Picture* pictures) {
  const Picture& picture = pictures[blockIdx.x];
  if (has_failed(picture)) return;  // no thread of this kernel changes it before the sum
  // Crafted codes can have more bits than Runs can count.
  __shared__ unsigned long long all_bits;
  if (threadIdx.x == 0) all_bits = 0;
  unsigned long long bits = 0;
  const Runs all = sum_in_order<Runs>(
      picture.tiles, AddRuns{bits_per_byte},
      [&](std::uint32_t i) {
        const Runs runs = picture.tile_runs[i];
        bits += runs.first + std::uint64_t{bits_per_byte} * runs.units + runs.last;
        return runs;
      },
      [&](std::uint32_t i, const Runs& before, const Runs&) { picture.tile_runs[i] = before; });
  atomicAdd(&all_bits, bits);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (all_bits > bits_per_byte * picture.most_turned_bytes) {
    fail(picture, JpegFault::capacity);
    return;
  }
  picture.progress->turned_bytes = all.begin(bits_per_byte);
  if (all.begin(bits_per_byte) > picture.most_turned_bytes) fail(picture, JpegFault::capacity);
}

/// A tile's words: those in shared memory, or those of the picture.
class TileWords {
 public:
  constexpr TileWords(std::uint32_t* staged, std::uint32_t* words, std::uint32_t first, bool fits)
      : staged_(staged), words_(words), first_(first), fits_(fits) {}

  constexpr void put(std::uint32_t at, std::uint32_t word) const {
    if (fits_) {
      add_bits(staged_[at - first_], word);
    } else {
      add_bits(words_[at], big_endian(word));
    }
  }

 private:
  std::uint32_t *staged_, *words_;
  std::uint32_t first_;
  bool fits_;
};

__global__ void __launch_bounds__(tile_threads, resident_tiles)
    write_bits(const Picture* pictures) {
  __shared__ Coding coding;
  __shared__ typename TileScan::TempStorage scratch;
  __shared__ std::uint32_t staged[most_staged];
  __shared__ std::uint32_t tile_begin, tile_end;
  __shared__ bool failed;
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.tiles) return;
  if (threadIdx.x == 0) failed = has_failed(picture);
  __syncthreads();
  if (failed) return;
  coding.load(picture);
  const Layout& layout = picture.turn.dst;
  const std::uint32_t number = blockIdx.x * tile_blocks + threadIdx.x;
  const bool active = number < layout.blocks();
  const bool ends = active && ends_segment(layout, number);
  const std::uint32_t bits = active ? picture.code_bits[number] : 0;
  Runs within;
  TileScan(scratch).ExclusiveScan(active ? runs_of(bits, ends) : Runs{}, within, Runs{},
                                  AddRuns{bits_per_byte});
  const Runs before = AddRuns{bits_per_byte}(picture.tile_runs[blockIdx.x], within);
  const std::uint32_t begin = before.begin(bits_per_byte) * bits_per_byte + before.open();
  std::uint32_t end = begin + bits;
  if (ends) {
    end = (end + bits_per_byte - 1) / bits_per_byte * bits_per_byte;
    picture.turned_end[before.ends] = end / bits_per_byte;
  }
  if (threadIdx.x == 0) tile_begin = begin;
  if (number + 1 == layout.blocks() || (active && threadIdx.x == tile_blocks - 1)) tile_end = end;
  __syncthreads();

  const std::uint32_t first = tile_begin / 32, words = (tile_end + 31) / 32 - first;
  const bool fits = words <= most_staged;
  if (fits) {
    for (std::uint32_t i = threadIdx.x; i < words; i += tile_blocks) staged[i] = 0;
  }
  __syncthreads();
  if (active) {
    TileWords to(staged, picture.turned_words, first, fits);
    BitPacker out(to, begin);
    put_block(picture, coding, number, out);
    if (ends) out.align();
    out.flush();
  }
  __syncthreads();
  if (!fits) return;
  for (std::uint32_t i = threadIdx.x; i < words; i += tile_blocks) {
    const std::uint32_t word = big_endian(staged[i]);
    // The neighbours have bits of the first and of the last word.
    if (i == 0 || i == words - 1) {
      atomicOr(&picture.turned_words[first + i], word);
    } else {
      picture.turned_words[first + i] = word;
    }
  }
}

}  // namespace

void write_codes(const Batch& batch) {
  const dim3 grid(batch.tiles, batch.count);
  device::launch(count_bits, grid, tile_threads, 0, batch.stream, false, batch.pictures);
  device::launch(sum_tiles, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
  device::launch(write_bits, grid, tile_threads, 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
