// Subsequences of a picture: where they are, and how blocks of threads read them.
#pragma once

#include "kernels/jpeg/src/picture.hpp"
#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/reading.hpp"
#include "kernels/jpeg/src/staged_bytes.cuh"
#include "kernels/jpeg/src/stages.hpp"
#include "kernels/src/cuda/dynamic_shared.cuh"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {

struct Subsequence {
  std::uint32_t segment;
  std::uint32_t begin, end;   ///< in bits; the last one of a segment ends with it
  std::uint32_t segment_end;  ///< in bits
  std::uint32_t before;       ///< bits of its segment before it

  /// Bits are counted from `base`.
  __device__ Subsequence(const Picture& picture, Cut cut, std::uint32_t i, std::uint32_t base) {
    segment = last_up_to(picture.segment_begin, picture.turn.src.segments(), i);
    const std::uint32_t segment_begin = picture.segment_begin[segment] * cut.subsequence_bits;
    segment_end = segment_begin + 8 * picture.segment_bytes[segment] - base;
    begin = i * cut.subsequence_bits - base;
    end = min(begin + cut.subsequence_bits, segment_end);
    before = begin + base - segment_begin;
  }
  __device__ bool is_first() const { return before == 0; }
};

/// How many there are.
__device__ inline std::uint32_t subsequences(const Picture& picture) {
  return picture.segment_begin[picture.turn.src.segments()];
}

/// The tables of a picture in shared memory.
struct StagedTables {
  static constexpr std::uint32_t table_words = sizeof(ReadTable) / sizeof(std::uint32_t);
  static constexpr std::uint32_t number_words = 2 * most_blocks_in_mcu / sizeof(std::uint32_t);

  /// Up to a multiple of 16.
  static constexpr std::uint32_t bytes(std::uint32_t tables) {
    constexpr std::uint32_t granule = device::granule;
    const std::uint32_t taken = (tables * table_words + number_words) * sizeof(std::uint32_t);
    return (taken + granule - 1) / granule * granule;
  }

  ReadTables tables;
  std::uint32_t* end;  ///< of the shared memory that they take

  /// All threads of the block call it, and wait after it.
  __device__ explicit StagedTables(const Picture& picture) {
    auto* to = reinterpret_cast<std::uint32_t*>(device::dynamic_shared());
    std::uint32_t* numbers = to + picture.read_table_count * table_words;
    copy_words(picture.read_tables, to, picture.read_table_count * table_words);
    copy_words(picture.read_table_of, numbers, number_words);
    tables = {reinterpret_cast<const ReadTable*>(to), reinterpret_cast<std::uint8_t*>(numbers),
              picture.turn.src.blocks_in_mcu};
    end = to + bytes(picture.read_table_count) / sizeof(std::uint32_t);
  }
};

}  // namespace qturn::jpeg
