// The units of thin pictures: which order of bytes becomes which other order, known to the
// compiler, and how a thread selects the bytes. thin_units.cu uses them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/src/cuda/device_memory.cuh"

namespace qturn::device {

inline constexpr int warp = 32;

/// weave: a few long rows become the line; unweave: the line becomes a few long rows; mirror: the
/// few pixels of each column of the line change places.
enum class Exchange { weave, unweave, mirror };

/// One side of units, source or destination: a unit has a piece of each of `rows` rows. If the side
/// is `backwards`, its rows are counted from their ends.
template <int rows_, int piece_words_, bool backwards_>
struct UnitSide {
  static constexpr int rows = rows_;
  static constexpr int piece_words = piece_words_;
  static constexpr int piece = 4 * piece_words;
  static constexpr bool backwards = backwards_;

  /// Pieces of other lengths go through shared memory: a warp that moved them word by word would
  /// touch each of its lines again and again.
  static constexpr bool staged = piece_words != 1 && piece_words != 2 && piece_words != 4;

  /// Where the piece of the `lane`th unit of a chunk is, from the first byte of the chunk's row.
  __device__ __forceinline__ static int place(int lane) {
    return (backwards ? warp - 1 - lane : lane) * piece;
  }

  /// Where that first byte is, from the beginning (or the end) of the row.
  __device__ __forceinline__ static std::int64_t chunk_place(std::int64_t chunk) {
    return (backwards ? -1 - chunk : chunk) * (warp * piece);
  }
};

/// The columns of a unit, whose pieces are whole words. A thread should have 16 bytes in flight.
constexpr int unit_columns(int few, int pixel, Exchange exchange) {
  const int piece = exchange == Exchange::mirror ? few * pixel : pixel;  // of a column
  int columns = piece % 2 != 0 ? 4 : piece % 4 != 0 ? 2 : 1;
  while (few * pixel * columns < granule) columns *= 2;
  return columns;
}

/// A unit of `few` rows of `columns` pixels, or of `columns` columns of `few` pixels.
template <int few_, int pixel_, Exchange exchange_, bool backwards_>
struct ThinUnit {
  static constexpr int few = few_;
  static constexpr int pixel = pixel_;
  static constexpr Exchange exchange = exchange_;
  static constexpr bool backwards = backwards_;
  static constexpr int columns = unit_columns(few, pixel, exchange);
  static constexpr int words = few * pixel * columns / 4;
  using Line = UnitSide<1, words, false>;
  using Rows = UnitSide<few, pixel * columns / 4, backwards>;

  using From = std::conditional_t<exchange == Exchange::weave, Rows, Line>;
  using To = std::conditional_t<exchange == Exchange::unweave, Rows, Line>;

  /// Which byte of the unit as it is read becomes byte `at` of the unit as it is written.
  __host__ __device__ static constexpr int source(int at) {
    const int number = at / pixel;
    int from = 0;
    if (exchange == Exchange::weave) {
      const int column = number / few;
      from = number % few * columns + (backwards ? columns - 1 - column : column);
    } else if (exchange == Exchange::mirror) {
      from = number / few * few + few - 1 - number % few;
    } else {
      const int column = number % columns;
      from = (backwards ? columns - 1 - column : column) * few + number / columns;
    }
    return from * pixel + at % pixel;
  }
};

/// Two bytes in one word, and which of its bytes they are.
struct BytePair {
  std::uint32_t word;
  unsigned first;
  unsigned second;
};

/// Bytes `a` and `b` of `in`. If they are in two words, this selects the 16-bit half around each
/// and interleaves the two. `a ^ 1` and `b ^ 1` give the same word, so the compiler selects it
/// once.
__device__ __forceinline__ BytePair byte_pair(const std::uint32_t* in, int a, int b) {
  const auto in_word = [](int byte) { return static_cast<unsigned>(byte % 4); };
  if (a / 4 == b / 4) return {in[a / 4], in_word(a), in_word(b)};
  const unsigned half_a = in_word(a) & 2;
  const unsigned half_b = in_word(b) & 2;
  const unsigned order = half_a | (half_b + 4) << 4 | (half_a + 1) << 8 | (half_b + 5) << 12;
  return {pick(in[a / 4], in[b / 4], order), in_word(a) % 2 * 2, in_word(b) % 2 * 2 + 1};
}

/// Word `number` of a unit as it is written, of the words as they are read.
template <class U>
__device__ __forceinline__ std::uint32_t unit_word(const std::uint32_t (&in)[U::words],
                                                   int number) {
  const int a = U::source(4 * number);
  const int b = U::source(4 * number + 1);
  const int c = U::source(4 * number + 2);
  const int d = U::source(4 * number + 3);
  const int first = a / 4;
  const int second = b / 4 != first ? b / 4 : c / 4 != first ? c / 4 : d / 4;
  const auto of_both = [&](int byte) { return byte / 4 == first || byte / 4 == second; };
  if (of_both(b) && of_both(c) && of_both(d)) {
    const auto place = [&](int byte) {
      return static_cast<unsigned>(byte % 4 + (byte / 4 == first ? 0 : 4));
    };
    const unsigned order = place(a) | place(b) << 4 | place(c) << 8 | place(d) << 12;
    return order == 0x3210 ? in[first] : pick(in[first], in[second], order);
  }
  const BytePair low = byte_pair(in, a, b);
  const BytePair high = byte_pair(in, c, d);
  return pick(low.word, high.word,
              low.first | low.second << 4 | (high.first + 4) << 8 | (high.second + 4) << 12);
}

/// The widest words of a piece of `count` 32-bit words that lies at a multiple of its length.
template <int count>
inline constexpr int piece_access = word_bytes(4 * count);

template <int count>
__device__ __forceinline__ void load_piece(const Byte* from, std::uint32_t* to) {
  constexpr int step = piece_access<count>;
#pragma unroll
  for (int i = 0; i < count; i += step / 4) {
    const Word<step> word = load<step>(from + 4 * i);
    if constexpr (step == 16) {
      to[i] = word.x, to[i + 1] = word.y, to[i + 2] = word.z, to[i + 3] = word.w;
    } else if constexpr (step == 8) {
      to[i] = word.x, to[i + 1] = word.y;
    } else {
      to[i] = word;
    }
  }
}

template <int count>
__device__ __forceinline__ void store_piece(Byte* to, const std::uint32_t* from) {
  constexpr int step = piece_access<count>;
#pragma unroll
  for (int i = 0; i < count; i += step / 4) {
    if constexpr (step == 16) {
      store<16>(to + 4 * i, make_uint4(from[i], from[i + 1], from[i + 2], from[i + 3]));
    } else if constexpr (step == 8) {
      store<8>(to + 4 * i, make_uint2(from[i], from[i + 1]));
    } else {
      store<4>(to + 4 * i, from[i]);
    }
  }
}

}  // namespace qturn::device
