// Where the elements of a tile lie in shared memory, and what that costs.
//
// Shared memory is dealt out to 32 banks, 4 bytes to each in turn. An access of a warp takes as
// many steps as the busiest bank has different words to deliver: one if there is no conflict, 32 if
// all lanes read a column of a 32 x 32 tile without padding. This follows from the layout alone, so
// the compiler computes it here; a profiler confirms it.
#pragma once

#include <cuda_runtime_api.h>

namespace qturn::bench {

/// Row after row, `pitch` floats apart. Here and below `floats` is the size in shared memory.
template <int length, int pitch>
struct Rows {
  static constexpr int side = length;
  static constexpr int floats = length * pitch;
  __host__ __device__ static constexpr int at(int row, int column) { return row * pitch + column; }
};

/// The tile as it is.
using Plain = Rows<32, 32>;

/// Rows are one float longer than needed, so that a column lies in all banks.
using Padded = Rows<32, 33>;

/// Columns lie where the rows of the other layout do: written by columns, read by rows.
template <class Tile>
struct Transposed {
  static constexpr int side = Tile::side;
  static constexpr int floats = Tile::floats;
  __host__ __device__ static constexpr int at(int y, int x) { return Tile::at(x, y); }
};

/// A warp is two rows of a tile of 16: two floats of padding after every two rows. One after each
/// row would leave one conflict on either side, two after each row one in writing.
struct PaddedPairs {
  static constexpr int side = 16;
  static constexpr int floats = 8 * 34;
  __host__ __device__ static constexpr int at(int row, int column) {
    return row / 2 * 34 + row % 2 * 16 + column;
  }
};

/// The columns of each row are permuted differently; no memory is wasted.
struct Swizzled {
  static constexpr int side = 32;
  static constexpr int floats = 32 * 32;
  __host__ __device__ static constexpr int at(int row, int column) {
    return row * 32 + (column ^ row);
  }
};

/// The same for groups of four columns, which stay together and aligned to 16 bytes, so that they
/// can be written at once.
template <int length>
struct SwizzledFours {
  static constexpr int side = length;
  static constexpr int floats = length * length;
  __host__ __device__ static constexpr int at(int row, int column) {
    return row * length + ((column / 4) ^ (row / 4 % 8)) * 4 + column % 4;
  }
};

/// What TMA makes of two boxes of 32 columns with its 128-byte swizzle, which is an XOR with the
/// number of a row in shared memory. The map delivers rows 0, 4, 8 ... first, then 1, 5, 9 ..., so
/// that this number is row / 4 and groups lie as in SwizzledFours.
struct TensorFours {
  static constexpr int side = 64;
  static constexpr int floats = 64 * 64;
  static constexpr int half = 64 * 32;
  __host__ __device__ static constexpr int at(int row, int column) {
    return column / 32 * half + (row % 4 * 16 + row / 4) * 32 +
           ((column % 32 / 4) ^ (row / 4 % 8)) * 4 + column % 4;
  }
};

/// The number of steps of an access in which the lanes of a warp need the 4-byte words word_of(0 to
/// 31).
template <class WordOf>
constexpr int steps(WordOf word_of) {
  int words[32] = {};
  int asked[32] = {};
  int most = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int word = words[lane] = word_of(lane);
    int first = 0;
    while (words[first] != word) ++first;
    if (first == lane && ++asked[word % 32] > most) most = asked[word % 32];
  }
  return most;
}

/// Steps of the slowest warp's access on the way into the tile and out of it. Where no layout could
/// do better both are 1.
struct BankConflicts {
  int write;
  int read;

  bool operator==(const BankConflicts&) const = default;
};

constexpr int larger(int a, int b) { return a < b ? b : a; }

/// A block has a thread for each column of the tile; a warp is one row, or two. It writes rows and
/// reads columns.
template <class Tile>
constexpr BankConflicts conflicts_by_ones() {
  BankConflicts worst{0, 0};
  for (int first = 0; first < Tile::side * Tile::side; first += 32) {
    const auto row = [first](int lane) { return (first + lane) / Tile::side; };
    const auto column = [first](int lane) { return (first + lane) % Tile::side; };
    worst.write = larger(worst.write, steps([&](int l) { return Tile::at(row(l), column(l)); }));
    worst.read = larger(worst.read, steps([&](int l) { return Tile::at(column(l), row(l)); }));
  }
  return worst;
}

/// A thread writes four columns of a row. If the four are written at once, a quarter of the warp is
/// one step. A warp then reads four columns of 32 rows, a lane four rows of one column.
template <class Tile, bool four_at_once>
constexpr BankConflicts conflicts_by_fours() {
  BankConflicts worst{0, 0};
  for (int first = 0; first < Tile::side * Tile::side / 4; first += 32) {
    const auto row = [first](int lane) { return (first + lane) / (Tile::side / 4); };
    const auto column = [first](int lane, int i) {
      return (first + lane) % (Tile::side / 4) * 4 + i;
    };
    for (int i = 0; i < 4; ++i) {
      const auto one = [&](int l) { return Tile::at(row(l), column(l, i)); };
      const auto four = [&](int word) {
        const int lane = i * 8 + word / 4;
        return Tile::at(row(lane), column(lane, word % 4));
      };
      worst.write = larger(worst.write, four_at_once ? steps(four) : steps(one));
    }
  }
  for (int top = 0; top < Tile::side; top += 32) {
    for (int left = 0; left < Tile::side; left += 4) {
      for (int i = 0; i < 4; ++i) {
        const auto one = [&](int l) { return Tile::at(top + l % 8 * 4 + i, left + l / 8); };
        worst.read = larger(worst.read, steps(one));
      }
    }
  }
  return worst;
}

}  // namespace qturn::bench
