// Subsequences of a picture: where they are, and how they are read.
#ifndef QTURN_KERNELS_JPEG_SEGMENTS_CUH
#define QTURN_KERNELS_JPEG_SEGMENTS_CUH

#include "kernels/jpeg/src/picture.hpp"
#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/reading.hpp"

namespace qturn::jpeg {

struct Subsequence {
  std::uint32_t segment;
  std::uint32_t segment_begin, segment_end;  ///< in bits
  std::uint32_t begin, end;                  ///< in bits; the last one of a segment ends with it
  bool is_first;                             ///< of its segment

  __device__ Subsequence(const Picture& picture, Cut cut, std::uint32_t i) {
    segment = last_up_to(picture.segment_begin, picture.turn.src.segments(), i);
    segment_begin = picture.segment_begin[segment] * cut.subsequence_bits;
    segment_end = segment_begin + 8 * picture.segment_bytes[segment];
    begin = i * cut.subsequence_bits;
    end = min(begin + cut.subsequence_bits, segment_end);
    is_first = begin == segment_begin;
  }
};

/// How many there are.
__device__ inline std::uint32_t subsequences(const Picture& picture) {
  return picture.segment_begin[picture.turn.src.segments()];
}

/// A picture's tables in shared memory. All threads of the block call it, and wait after it.
__device__ inline ReadTables load_tables(const Picture& picture, void* shared) {
  auto* to = static_cast<std::uint32_t*>(shared);
  const auto* from = reinterpret_cast<const std::uint32_t*>(picture.read_tables);
  const std::uint32_t words = picture.read_table_count * sizeof(ReadTable) / sizeof(std::uint32_t);
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
  auto* numbers = reinterpret_cast<std::uint8_t*>(to + words);
  if (threadIdx.x < 2 * most_blocks_in_mcu) {
    numbers[threadIdx.x] = picture.read_table_of[threadIdx.x];
  }
  return {static_cast<const ReadTable*>(shared), numbers, picture.turn.src.blocks_in_mcu};
}

inline std::size_t table_bytes(std::uint32_t tables) {
  return tables * sizeof(ReadTable) + 2 * most_blocks_in_mcu;
}

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_SEGMENTS_CUH
