// Codes of the turned picture, a block for each thread.
//
// A turned block's coefficients are read where its source lies, in another order. A thread encodes
// its block into words of its own. Once the bits of all blocks of the tile are counted, the words
// become one string in shared memory, which is stored (code_strings.hpp). A prefix sum says
// where each tile's string belongs; stuffing reads it there, so it is never moved.
//
// A warp takes as long as the longest of its blocks. So the blocks of a tile are sorted by the
// number of their coefficients first.
#include "kernels/jpeg/src/stages.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/staged_bytes.cuh"
#include "kernels/jpeg/src/writing.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr int tile_threads = static_cast<int>(tile_blocks);
constexpr JpegTuning tuning = device::Tuning::jpeg;
/// Tiles on a multiprocessor at a time.
constexpr int resident_tiles =
    std::min(tuning.resident_tiles, device::resident_threads / tile_threads);
/// Words of a block. A longer one is encoded again, when its place is known.
constexpr std::uint32_t slot_words = tuning.slot_words;
/// Words of a tile's string in shared memory. A longer one is made where it is stored.
constexpr std::uint32_t most_staged = tuning.most_staged;

using BitScan = cub::BlockScan<std::uint32_t, tile_threads, cub::BLOCK_SCAN_WARP_SCANS>;
using RunScan = cub::BlockScan<Runs, tile_threads, cub::BLOCK_SCAN_WARP_SCANS>;

/// What all blocks need, in shared memory.
struct Coding {
  WriteTable tables[2 * most_components];
  Order order;

  __device__ void load(const Picture& picture) {
    copy_words(picture.write_tables, tables,
               2 * picture.turn.dst.components * sizeof(WriteTable) / sizeof(std::uint32_t));
    copy_words(&picture.order, &order, sizeof(Order) / sizeof(std::uint32_t));
  }
};

/// Where a tile begins, and whether a segment begins or ends in it.
struct TilePlace {
  std::uint32_t first, end;  ///< blocks
  std::uint32_t mcu, block;  ///< of the first one
  std::uint32_t blocks_in_mcu, reciprocal;
  bool has_borders;

  TilePlace() = default;
  __device__ TilePlace(const Layout& layout, std::uint32_t tile) {
    first = tile * tile_blocks;
    end = min(first + tile_blocks, layout.blocks());
    blocks_in_mcu = layout.blocks_in_mcu;
    mcu = first / blocks_in_mcu;
    block = first % blocks_in_mcu;
    reciprocal = (1u << 16) / blocks_in_mcu + 1;
    const std::uint32_t in_segment = layout.blocks_in_segment();
    has_borders =
        first % in_segment == 0 || end / in_segment != first / in_segment || end == layout.blocks();
  }

  /// How many MCUs later than the first one of the tile a block begins, by its number there.
  __device__ std::uint32_t mcus_before(std::uint32_t within) const {
    return (block + within) * reciprocal >> 16;
  }
};

/// The blocks of a tile, in shared memory.
struct Tile {
  TilePlace place;
  bool failed;
  std::uint32_t source[tile_blocks];
  std::int16_t dc[tile_blocks];          ///< of the source
  std::int16_t difference[tile_blocks];  ///< of DC coefficients
  std::uint8_t component[tile_blocks];
  alignas(uint2) std::uint32_t with_count[coefficients];  ///< blocks by how many they have
  std::uint8_t sorted[tile_blocks];
  std::uint32_t bits[tile_blocks];  ///< later where they begin
  std::uint32_t string, string_words;
};

/// The difference that is coded for a block whose source is `source`. Most blocks have the one
/// before them of their component in the tile.
__device__ std::int32_t dc_difference(const Picture& picture, const Tile& tile,
                                      std::uint32_t source, std::uint32_t mcu,
                                      std::uint32_t block) {
  const Layout& layout = picture.turn.dst;
  const Component& c = layout.component[layout.component_of[block]];
  const std::int32_t own = tile.dc[threadIdx.x];
  const bool is_first = block == c.first;
  if (is_first && tile.place.has_borders && mcu % layout.mcus_in_segment == 0) return own;
  const std::uint32_t distance = is_first ? layout.blocks_in_mcu + 1 - c.h * c.v : 1;
  if (distance <= threadIdx.x && tile.source[threadIdx.x - distance] != no_block) {
    return own - tile.dc[threadIdx.x - distance];
  }
  const std::uint32_t before = picture.turn.predecessor(mcu, block);
  return before == no_block ? own : own - picture.dc[before];
}

/// Each of the first 32 threads replaces its two counts by the sums of all counts before them.
__device__ void sum_counts(std::uint32_t* with_count) {
  static_assert(coefficients == 64);
  auto* pairs = reinterpret_cast<uint2*>(with_count);
  const uint2 own = pairs[threadIdx.x];
  std::uint32_t sum = own.x + own.y;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0u, sum, distance);
    if (threadIdx.x >= distance) sum += other;
  }
  pairs[threadIdx.x] = {sum - own.x - own.y, sum - own.y};
}

/// Finds the sources of the tile's blocks and what is coded of their DC coefficients, and sorts
/// them. All threads call it, and wait after it.
__device__ void look_up(const Picture& picture, Tile& tile) {
  const Turn& turn = picture.turn;
  const TilePlace& place = tile.place;
  const bool is_there = place.first + threadIdx.x < place.end;
  const std::uint32_t mcus_before = place.mcus_before(threadIdx.x);
  const std::uint32_t mcu = place.mcu + mcus_before;
  const std::uint32_t block = place.block + threadIdx.x - mcus_before * place.blocks_in_mcu;
  const std::uint32_t source = is_there ? turn.source(mcu, block) : no_block;
  std::uint32_t count = 0;
  tile.source[threadIdx.x] = source;
  if (source != no_block) {
    count = bit_count(picture.sets[source]);
    tile.dc[threadIdx.x] = picture.dc[source];
  }
  const std::uint32_t alike = atomicAdd(&tile.with_count[count], 1u);
  __syncthreads();

  std::int32_t difference = 0;
  if (source != no_block) difference = dc_difference(picture, tile, source, mcu, block);
  if (size_of(difference) > largest_dc_size) {
    fail(picture, JpegFault::range);
    difference = 0;
  }
  tile.difference[threadIdx.x] = static_cast<std::int16_t>(difference);
  tile.component[threadIdx.x] = turn.dst.component_of[block];
  if (threadIdx.x < 32) sum_counts(tile.with_count);
  __syncthreads();
  tile.sorted[tile.with_count[count] + alike] = static_cast<std::uint8_t>(threadIdx.x);
}

template <class Packer>
__device__ void put_block(const Picture& picture, const Coding& coding, const Tile& tile,
                          std::uint32_t which, Packer& out) {
  const WriteTable* tables = coding.tables + 2 * tile.component[which];
  const std::uint32_t source = tile.source[which];
  StoredBlock block;
  if (source != no_block) {
    block = {picture.values + std::size_t{source} * coefficients, picture.sets[source],
             picture.parted[source]};
  }
  put_dc(out, tables[0], tile.difference[which]);
  put_ac(out, tables[1], coding.order, block);
}

/// A thread's words.
class Slot {
 public:
  __device__ explicit Slot(std::uint32_t* words) : words_(words), next_(words) {}

  /// Words come in order, and so does their place: with its number as a factor it takes five
  /// instructions more.
  constexpr void put(std::uint32_t at, std::uint32_t word) {
    if (at < slot_words) *next_ = word;
    next_ += tile_threads;
  }
  constexpr std::uint32_t word(std::uint32_t at) const { return words_[at * tile_threads]; }

 private:
  std::uint32_t *words_, *next_;
};

__global__ void __launch_bounds__(tile_threads, resident_tiles)
    encode_tiles(const Picture* pictures) {
  __shared__ Coding coding;
  __shared__ Tile tile;
  __shared__ std::uint32_t slots[slot_words * tile_threads];
  __shared__ __align__(16) std::uint32_t staged[most_staged];
  __shared__ union Scratch {
    typename BitScan::TempStorage bits;
    typename RunScan::TempStorage runs;
  } scratch;
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x >= picture.tiles) return;
  const Layout& layout = picture.turn.dst;
  if (threadIdx.x == 0) tile.place = TilePlace(layout, blockIdx.x);
  if (threadIdx.x < coefficients) tile.with_count[threadIdx.x] = 0;
  if (is_given_up(picture)) return;
  coding.load(picture);
  for (std::uint32_t i = threadIdx.x; i < most_staged / 4; i += tile_threads) {
    reinterpret_cast<uint4*>(staged)[i] = {};
  }
  look_up(picture, tile);
  __syncthreads();

  Slot slot(slots + threadIdx.x);
  const std::uint32_t which = tile.sorted[threadIdx.x];
  std::uint32_t bits = 0;
  if (tile.place.first + which < tile.place.end) {
    BitPacker out(slot);
    put_block(picture, coding, tile, which, out);
    bits = out.end();
    if (out.lacks_code()) fail(picture, JpegFault::tables);
  }
  tile.bits[which] = bits;
  __syncthreads();

  // From here on a thread has the block of its number again.
  Runs own, within, all;
  const std::uint32_t number = tile.place.first + threadIdx.x;
  own.add(tile.bits[threadIdx.x]);
  if (tile.place.has_borders) {
    const bool ends = number + 1 == layout.blocks() ||
                      (number < tile.place.end && (number + 1) % layout.blocks_in_segment() == 0);
    if (ends) own.end_segment(bits_per_byte);
    RunScan(scratch.runs).ExclusiveScan(own, within, Runs{}, AddRuns{bits_per_byte}, all);
  } else {
    BitScan(scratch.bits).ExclusiveSum(own.first, within.first, all.first);
  }
  const std::uint32_t first_words = words_of(bits_of_part(all, 0));
  const std::uint32_t begin =
      within.ends == 0 ? within.first : 32 * first_words + bits_of_part(within, 1);
  tile.bits[threadIdx.x] = begin;
  if (threadIdx.x == 0) {
    tile.string_words = first_words + words_of(bits_of_part(all, 1));
    const std::uint64_t taken =
        atomicAdd(reinterpret_cast<unsigned long long*>(&picture.progress->string_words),
                  static_cast<unsigned long long>(tile.string_words));
    tile.failed = taken + tile.string_words > picture.most_string_words();
    tile.string = static_cast<std::uint32_t>(taken);
    picture.tile_runs[blockIdx.x] = all;
    picture.tile_strings[blockIdx.x].word = tile.string;
  }
  __syncthreads();
  if (tile.failed) return;  // sum_tiles() finds that there are too many bits

  const std::uint32_t words = tile.string_words;
  std::uint32_t* stored = picture.strings + tile.string;
  std::uint32_t* made = words <= most_staged ? staged : stored;
  if (made == stored) {
    for (std::uint32_t i = threadIdx.x; i < words; i += tile_threads) made[i] = 0;
    __syncthreads();
  }
  const StringInWords to(made, tile.bits[which]);
  if (bits <= 32 * slot_words) {
    for (std::uint32_t i = 0; i < words_of(bits); ++i) to.put(i, slot.word(i));
  } else {
    BitPacker out(to);
    put_block(picture, coding, tile, which, out);
    out.end();
  }
  if (own.ends != 0) {
    if (within.ends != 0) fill_byte(made, begin + own.first);
    picture.segment_end[number / layout.blocks_in_segment()] =
        AddRuns{bits_per_byte}(within, own).units;
  }
  if (made == stored) return;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < words; i += tile_threads) stored[i] = made[i];
}

/// The first chunk of the turned data that begins with `bit` or after it.
__device__ std::uint64_t first_chunk_after(std::uint32_t bit) {
  constexpr std::uint32_t chunk_bits = bits_per_byte * chunk_bytes;
  return (std::uint64_t{bit} + chunk_bits - 1) / chunk_bits;
}

__global__ void __launch_bounds__(sum_threads) sum_tiles(const Picture* pictures) {
  const Picture& picture = pictures[blockIdx.x];
  if (has_failed(picture)) return;  // no thread of this kernel changes it before the sum
  // Crafted codes can have more bits than Runs can count.
  __shared__ unsigned long long all_bits;
  if (threadIdx.x == 0) all_bits = 0;
  unsigned long long bits = 0;
  const AddRuns add{bits_per_byte};
  const Runs all = sum_in_order<Runs>(
      picture.tiles, add,
      [&](std::uint32_t i) {
        const Runs runs = picture.tile_runs[i];
        bits += runs.first + std::uint64_t{bits_per_byte} * runs.units + runs.last;
        return runs;
      },
      [&](std::uint32_t i, const Runs& before, const Runs& own) {
        const std::uint32_t word = picture.tile_strings[i].word;
        TileString& string = picture.tile_strings[i] = string_after(before, own);
        string.word = word;
        const std::uint32_t end = bit_after(add(before, own));
        if (i + 1 == picture.tiles) picture.tile_strings[i + 1].begin = end;
        const std::uint64_t last =
            min(std::uint64_t{end}, bits_per_byte * picture.most_turned_bytes);
        for (std::uint64_t at = first_chunk_after(string.begin);
             bits_per_byte * chunk_bytes * at < last; ++at) {
          picture.chunk_tile[at] = i;
        }
      });
  atomicAdd(&all_bits, bits);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (all_bits > bits_per_byte * picture.most_turned_bytes) {
    fail(picture, JpegFault::capacity);
    return;
  }
  picture.progress->turned_bytes = all.begin(bits_per_byte);
  if (all.begin(bits_per_byte) > picture.most_turned_bytes) fail(picture, JpegFault::capacity);
  // A reader of a string may read one word after it.
  picture.strings[picture.progress->string_words] = 0;
}

}  // namespace

void write_codes(const Batch& batch) {
  const dim3 grid(batch.tiles, batch.count);
  device::launch(encode_tiles, grid, tile_threads, 0, batch.stream, false, batch.pictures);
  device::launch(sum_tiles, dim3(batch.count), sum_threads, 0, batch.stream, false, batch.pictures);
}

}  // namespace qturn::jpeg
