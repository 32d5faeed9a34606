// A picture of a batch, as the kernels see it: what is done with it, and its part of the workspace.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/code_strings.hpp"
#include "kernels/jpeg/src/coefficients.hpp"
#include "kernels/jpeg/src/layout.hpp"
#include "kernels/jpeg/src/runs.hpp"
#include "kernels/jpeg/src/tables.hpp"

namespace qturn::jpeg {

/// Bytes of compressed data, and blocks, that a block of threads takes.
inline constexpr int chunk_threads = 256;
inline constexpr std::uint32_t chunk_bytes = 16 * chunk_threads;
inline constexpr std::uint32_t tile_blocks = 256;

/// Subsequences that a block of threads synchronises.
inline constexpr std::uint32_t synchronised_group = 248;

/// MCUs whose DC coefficients a block of threads adds up.
inline constexpr std::uint32_t dc_mcus = 256;

/// The sums of DC differences in an MCU, or in several.
struct DcSums {
  std::uint32_t of[most_components] = {};
  std::uint32_t restarts = 0;
};

/// What the stages find out about a picture.
struct Progress {
  std::uint32_t faults;
  std::uint32_t segments_read;  ///< whose last block was where it should be
  std::uint32_t src_bytes;
  std::uint32_t turned_bytes;  ///< without stuffing and restart markers
  std::uint64_t string_words;  ///< that tiles have taken
};

struct Picture {
  const std::uint8_t* data;
  std::uint32_t bytes;
  std::uint32_t chunks;
  std::uint8_t* out;
  std::uint64_t capacity;
  std::uint32_t known_faults;  ///< before anything is read; then it has neither data nor memory

  Turn turn;
  Order order;
  std::uint32_t read_table_count;
  alignas(4) std::uint8_t read_table_of[2 * most_blocks_in_mcu];
  const ReadTable* read_tables;
  const WriteTable* write_tables;  ///< [2 * component], and the next one for AC coefficients
  JpegResult* result;
  Progress* progress;

  // Of the source: by chunk, by segment, by subsequence, by block in the order of the scan.
  Runs* chunk_runs;
  std::uint32_t* segment_begin;  ///< its first subsequence; one more for the end of all
  std::uint32_t* segment_bytes;
  std::uint32_t most_subsequences;
  std::uint32_t* words;  ///< without stuffing; segments begin with a subsequence
  std::uint32_t* start;  ///< State::packed
  std::uint32_t* end;
  std::uint32_t* blocks_in;  ///< that end in it; later the number of the first block
  /// The states at the ends of groups, after rounds of even and of odd numbers.
  std::uint32_t* group_end[2];
  std::uint64_t* sets;
  std::int16_t* values;  ///< ReadBlocks
  std::uint8_t* parted;
  std::int16_t* dc;
  std::uint32_t dc_groups;  ///< of MCUs
  DcSums* dc_sums;          ///< by group; later the sums of all groups before it

  // Of the turned picture: by tile, by segment, by chunk of its data without stuffing.
  std::uint32_t tiles;
  Runs* tile_runs;
  TileString* tile_strings;  ///< and one after the last
  std::uint32_t* strings;
  /// Bytes between the first end of a segment in a tile and the end of this segment, there.
  std::uint32_t* segment_end;
  std::uint64_t most_turned_bytes;
  std::uint32_t* chunk_tile;  ///< the last one that begins before the chunk, or with it
  std::uint32_t* ff_count;    ///< by chunk; later the sum of all chunks before it

  constexpr std::uint32_t synchronised_groups() const {
    return (most_subsequences + synchronised_group - 1) / synchronised_group;
  }
  /// The words that `strings` has room for: two of each tile may be open.
  constexpr std::uint64_t most_string_words() const { return most_turned_bytes / 4 + 2 * tiles; }
};

/// How the source's data is cut, the same for all pictures of a batch.
struct Cut {
  std::uint32_t subsequence_bits;
  std::uint32_t warm_up_bits;  ///< read before a subsequence to find its state
  /// Whether reading threads are spread over many warps, so that fewer wait for others' branches.
  bool spreads = false;

  constexpr std::uint32_t subsequence_bytes() const { return subsequence_bits / 8; }
};

}  // namespace qturn::jpeg
