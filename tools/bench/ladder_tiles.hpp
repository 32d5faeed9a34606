// Where the elements of a tile lie in shared memory, and what that costs.
//
// Shared memory is dealt out to 32 banks, 4 bytes to each in turn. A warp's access takes as many
// steps as the busiest bank is asked for different words: one if there is no conflict, 32 if all
// lanes read down a column of a 32 x 32 tile without padding. That follows from the layout alone,
// so it is worked out here by the compiler; a profiler only confirms it.
#ifndef QTURN_TOOLS_BENCH_LADDER_TILES_HPP
#define QTURN_TOOLS_BENCH_LADDER_TILES_HPP

#include <cuda_runtime_api.h>

namespace qturn::bench {

/// The tile as it is. Here and below `floats` is its size in shared memory.
struct Plain {
  static constexpr int side = 32;
  static constexpr int floats = 32 * 32;
  __host__ __device__ static constexpr int at(int row, int column) { return row * 32 + column; }
};

/// Rows are one float longer than they need be, so that a column meets every bank.
struct Padded {
  static constexpr int side = 32;
  static constexpr int floats = 32 * 33;
  __host__ __device__ static constexpr int at(int row, int column) { return row * 33 + column; }
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

/// The columns of each row are exchanged in an order of its own; nothing is wasted.
struct Swizzled {
  static constexpr int side = 32;
  static constexpr int floats = 32 * 32;
  __host__ __device__ static constexpr int at(int row, int column) {
    return row * 32 + (column ^ row);
  }
};

/// The same for groups of four columns, which stay together and aligned to 16 bytes, so that they
/// can be written at once.
struct SwizzledFours {
  static constexpr int side = 32;
  static constexpr int floats = 32 * 32;
  __host__ __device__ static constexpr int at(int row, int column) {
    return row * 32 + ((column / 4) ^ (row / 4)) * 4 + column % 4;
  }
};

/// In how many steps a warp's access is done whose lanes ask for the 4-byte words word_of(0 to 31).
template <class WordOf>
constexpr int steps(WordOf word_of) {
  int asked[32] = {};
  int most = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int word = word_of(lane);
    bool first = true;
    for (int other = 0; other < lane; ++other) first = first && word_of(other) != word;
    if (first && ++asked[word % 32] > most) most = asked[word % 32];
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

/// Eight threads share a row of the tile, of which each has four columns; a warp is four rows. If
/// the four are written at once, a quarter of the warp is one step.
template <class Tile, bool four_at_once>
constexpr BankConflicts conflicts_by_fours() {
  BankConflicts worst{0, 0};
  for (int first = 0; first < Tile::side * Tile::side / 4; first += 32) {
    const auto row = [first](int lane) { return (first + lane) / 8; };
    const auto column = [first](int lane, int i) { return (first + lane) % 8 * 4 + i; };
    for (int i = 0; i < 4; ++i) {
      const auto one = [&](int l) { return Tile::at(row(l), column(l, i)); };
      const auto four = [&](int word) {
        const int lane = i * 8 + word / 4;
        return Tile::at(row(lane), column(lane, word % 4));
      };
      worst.write = larger(worst.write, four_at_once ? steps(four) : steps(one));
      worst.read = larger(worst.read, steps([&](int l) { return Tile::at(column(l, i), row(l)); }));
    }
  }
  return worst;
}

}  // namespace qturn::bench

#endif  // QTURN_TOOLS_BENCH_LADDER_TILES_HPP
