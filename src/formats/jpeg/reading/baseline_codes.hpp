// The codes of baseline data, looked up by the bits that come next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn::jpeg {

/// What one code stands for.
struct JpegStep {
  std::uint8_t code = 0;     ///< its bits; 0: there is no such code
  std::uint8_t bits = 0;     ///< of code and value
  std::uint8_t advance = 0;  ///< coefficients, those that are zero included
  bool ends = false;         ///< the rest of the block is zero
};

inline constexpr unsigned jpeg_coefficients = 64;
inline constexpr unsigned jpeg_lookup_bits = 11;  ///< longer codes take a search

/// The codes of a table. Values that 8-bit samples cannot give have no code; a table that is not a
/// prefix code has none at all.
class JpegCodes {
 public:
  JpegCodes(const JpegHuffmanTable& table, bool dc);

  /// Looks up the step that the next 16 bits ask for.
  JpegStep find(unsigned next) const;

  /// Within a lookup of whose bits, at the top, `known` are known.
  JpegStep find_within(unsigned lookup, unsigned known) const;

 private:
  std::array<JpegStep, 1 << jpeg_lookup_bits> short_{};
  std::array<JpegStep, 256> steps_{};
  std::array<unsigned, 17> first_{}, count_{};
  std::array<std::size_t, 17> offset_{};
};

}  // namespace qturn::jpeg
