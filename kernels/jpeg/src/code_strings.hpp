// Codes of the turned picture before it is known where they belong: a string of bits for each tile.
//
// The codes of all tiles before it decide where a tile's codes begin, and how many bits pad the
// byte at the first end of a segment. What comes after that end begins with a whole byte. So a tile
// has two parts, each in its own words, and the reader fills in the bits between them:
//
//   tile        |..first.part..|
//                               1111|.codes.1.codes.11.rest.|
//   the next                                                |..first.part..
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/machine.hpp"
#include "kernels/jpeg/src/runs.hpp"

namespace qturn::jpeg {

/// The codes of a tile. Bits are counted from the start of the picture. After the last tile comes
/// one without codes, which begins where all end.
struct TileString {
  std::uint32_t word = 0;    ///< where its first part is stored
  std::uint32_t begin = 0;   ///< its first bit
  std::uint32_t first = 0;   ///< bits of the first part
  std::uint32_t second = 0;  ///< the first bit of the second part, which is stored after the first
};

/// The number of words that hold `bits`.
constexpr std::uint32_t words_of(std::uint32_t bits) { return (bits + 31) / 32; }

/// The units of a tile's Runs, which are counted in bits.
inline constexpr std::uint32_t bits_per_byte = 8;

/// Bits of the first part (0) or the second one (1) of a tile that has `runs`.
constexpr std::uint32_t bits_of_part(const Runs& runs, std::uint32_t part) {
  return part == 0 ? runs.first : bits_per_byte * runs.units + runs.last;
}

/// The first bit after `runs`.
constexpr std::uint32_t bit_after(const Runs& runs) {
  return bits_per_byte * runs.begin(bits_per_byte) + runs.open();
}

/// Where the codes of a tile that has `own` belong, after `before`. Not where they are stored.
constexpr TileString string_after(const Runs& before, const Runs& own) {
  TileString string;
  string.begin = bit_after(before);
  string.first = own.first;
  string.second = string.begin + own.first;
  if (own.ends != 0) {
    string.second = (string.second + bits_per_byte - 1) / bits_per_byte * bits_per_byte;
  }
  return string;
}

/// Reads what the tiles have, one after the other.
class CodeStrings {
 public:
  /// `tile` is the last one that begins at the first bit that is read, or one before it. A word may
  /// be read after the last one of a string.
  constexpr CodeStrings(const std::uint32_t* words, const TileString* tiles, std::uint32_t tile,
                        std::uint32_t count)
      : words_(words), tiles_(tiles), tile_(tile), count_(count) {}

  /// 32 bits from `bit` on. Each call is for later ones. After the end come zeros.
  constexpr std::uint32_t next(std::uint32_t bit) {
    std::uint32_t bits = 0, have = 0;
    while (true) {
      const Piece piece = piece_at(bit + have);
      if (have == 0 && piece.left >= 32) return piece.bits;
      if (piece.left == 0) return bits;
      const std::uint32_t kept = piece.left >= 32 ? ~0u : ~(~0u >> piece.left);
      bits |= (piece.bits & kept) >> have;
      have += piece.left;
      if (have >= 32) return bits;
    }
  }

 private:
  struct Piece {
    std::uint32_t bits, left;  ///< the next 32, and how many the part has from here on
  };

  constexpr Piece piece_at(std::uint32_t bit) {
    while (tile_ < count_) {
      const TileString tile = tiles_[tile_];
      const std::uint32_t first_end = tile.begin + tile.first;
      if (bit < first_end) return {stored(tile.word, bit - tile.begin), first_end - bit};
      if (bit < tile.second) return {~0u, tile.second - bit};
      const std::uint32_t end = tiles_[tile_ + 1].begin;
      if (bit < end) {
        return {stored(tile.word + words_of(tile.first), bit - tile.second), end - bit};
      }
      ++tile_;
    }
    return {0, 0};
  }
  constexpr std::uint32_t stored(std::uint32_t word, std::uint32_t bit) const {
    const std::uint32_t* from = words_ + word + bit / 32;
    return funnel(from[0], from[1], bit % 32);
  }

  const std::uint32_t* words_;
  const TileString* tiles_;
  std::uint32_t tile_, count_;
};

}  // namespace qturn::jpeg
