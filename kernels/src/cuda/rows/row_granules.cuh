// One aligned granule (16 bytes) of a row that is copied or mirrored, made by one thread.
//
// Its bytes lie together in the source, mirrored or not, so they are a window of at most 20 bytes
// at any address. A thread does aligned reads, whose cache lines the neighbouring threads share, a
// shift, and an exchange of pixels in registers.
#pragma once

#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn::device {

/// A row to be copied or mirrored, and the picture that it is in: bytes outside that are not read.
struct SourceRow {
  const Byte* data;
  std::int64_t bytes;
  const Byte* begin;
  const Byte* end;
  int pixel;

  __device__ __forceinline__ const Byte* after() const { return data + bytes; }
};

/// The `count` words that begin at `from`, which need not be aligned. Only bytes that are among the
/// first `needed` and inside the picture count.
template <int count, int needed = 4 * count>
__device__ __forceinline__ void load_row_window(const SourceRow& row, const Byte* from,
                                                std::uint32_t (&words)[count]) {
  constexpr int granules = (4 * count + 15 + 15) / granule;
  const auto phase = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % granule);
  const Byte* aligned = from - phase;
  if (aligned >= row.begin && aligned + granules * granule <= row.end) {
    std::uint32_t in[4 * granules];
#pragma unroll
    for (int i = 0; i < granules; ++i) {
      // Only the row decides whether the last one holds any of the words.
      if (i + 1 == granules && phase + needed <= i * granule) break;
      const Granule part = load_granule(aligned + i * granule);
#pragma unroll
      for (int k = 0; k < 4; ++k) in[4 * i + k] = part.word[k];
    }
    take_window(in, phase, words);
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      words[i] = 0;
#pragma unroll 1
      for (int k = 0; k < 4; ++k) {
        const Byte* at = from + 4 * i + k;
        if (at >= row.begin && at < row.end) words[i] |= std::uint32_t{*at} << (8 * k);
      }
    }
  }
}

/// Policies: how the granule at byte `at` of the row (from 15 before it to its last one) is made.
/// read() gets `words` words of the source, made() makes the granule of them. `aligned`: both rows
/// and their lengths are, to a granule. `together`: how many granules a thread of a batch makes; it
/// reads all of them first. Two where few registers wait for memory.
template <class Policy>
__device__ __forceinline__ Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
  std::uint32_t in[Policy::words];
  Policy::read(row, at, index, in);
  return Policy::made(in, at, index);
}

template <int count>
__device__ __forceinline__ void load_row_granule(const Byte* from, std::uint32_t (&words)[count],
                                                 int first = 0) {
  const Granule value = load_granule(from);
#pragma unroll
  for (int i = 0; i < 4; ++i) words[first + i] = value.word[i];
}

/// The last granule of an aligned row need not be a whole one.
template <bool aligned_>
struct CopyRow {
  static constexpr bool aligned = aligned_;
  static constexpr int together = aligned ? 2 : 1;
  static constexpr int words = 4;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[4]) {
    if (aligned && at + granule <= row.bytes) {
      load_row_granule(row.data + at, in);
    } else {
      load_row_window(row, row.data + at, in);
    }
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], std::int64_t, unsigned) {
    return {{in[0], in[1], in[2], in[3]}};
  }
};

/// Whether with_pixel_mirror() has a policy for aligned rows of pixels of this size.
__host__ __device__ constexpr bool has_aligned_mirror(int pixel) {
  return (pixel >= 1 && pixel <= 4) || pixel == 6 || pixel == 8;
}

/// The pixels of four words in opposite order.
template <int pixel>
__device__ __forceinline__ Granule reversed_pixels(const std::uint32_t (&in)[4]) {
  if constexpr (pixel == 1 || pixel == 2) {
    constexpr std::uint32_t order = pixel == 1 ? 0x0123 : 0x1032;
    return {{pick(in[3], 0, order), pick(in[2], 0, order), pick(in[1], 0, order),
             pick(in[0], 0, order)}};
  } else if constexpr (pixel == 4) {
    return {{in[3], in[2], in[1], in[0]}};
  } else {
    static_assert(pixel == 8);
    return {{in[2], in[3], in[0], in[1]}};
  }
}

/// How many bytes before its row the row's first granule begins. `at` belongs to granule `index`.
template <bool aligned>
__device__ __forceinline__ unsigned before_row(std::int64_t at, unsigned index) {
  return aligned ? 0 : granule * index - static_cast<unsigned>(at);
}

/// The granule at `from` and `reach` words before and after it.
template <bool aligned, int reach>
__device__ __forceinline__ void load_around(const SourceRow& row, const Byte* from,
                                            std::uint32_t (&words)[4 + 2 * reach]) {
  if constexpr (aligned) {
    load_row_granule(from, words, reach);
    const bool is_first = from <= row.begin, is_last = from + granule >= row.end;
#pragma unroll
    for (int i = 0; i < reach; ++i) {
      words[i] = is_first ? 0 : load<4>(from + 4 * (i - reach));
      words[reach + 4 + i] = is_last ? 0 : load<4>(from + granule + 4 * i);
    }
  } else {
    load_row_window(row, from - 4 * reach, words);
  }
}

/// Pixels of 1, 2, 4 or 8 bytes, aligned to the pixel: a granule's pixels are 16 bytes of the
/// source, wherever in the row they lie.
template <int pixel, bool aligned_>
struct MirrorRow {
  static constexpr bool aligned = aligned_;
  static constexpr int together = aligned ? 2 : 1;
  static constexpr int words = 4;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[4]) {
    load_around<aligned, 0>(row, row.after() - granule - at, in);
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], std::int64_t, unsigned) {
    return reversed_pixels<pixel>(in);
  }
};

/// 3-byte pixels at any address. A granule begins `phase` = 0, 1 or 2 bytes into a pixel and shows
/// bytes of six pixels. In the source they lie within 20 bytes, five words. Word m of the granule
/// takes its bytes from words 3 - m and 4 - m, in one of three patterns.
template <bool aligned_>
struct MirrorRow<3, aligned_> {
  static constexpr bool aligned = aligned_;
  static constexpr int together = aligned ? 2 : 1;
  static constexpr int words = 6;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&around)[6]) {
    load_around<aligned, 1>(row, row.after() - granule - at, around);
  }
  __device__ static Granule made(const std::uint32_t (&around)[6], std::int64_t at,
                                 unsigned index) {
    // at % 3, of 15 more: 16 is 1 modulo 3.
    const unsigned phase =
        aligned ? index % 3 : (index % 3 + 15 - before_row<aligned>(at, index)) % 3;
    std::uint32_t in[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) in[i] = __funnelshift_r(around[i], around[i + 1], 16);
    const std::uint32_t first = phase == 0 ? 0x0543 : phase == 1 ? 0x2165 : 0x4327;
    const std::uint32_t second = phase == 0 ? 0x2165 : phase == 1 ? 0x4327 : 0x0543;
    const std::uint32_t third = phase == 0 ? 0x4327 : phase == 1 ? 0x0543 : 0x2165;
    return {{pick(in[3], in[4], first), pick(in[2], in[3], second), pick(in[1], in[2], third),
             pick(in[0], in[1], first)}};
  }
};

/// 6-byte pixels, aligned to 2. A granule begins 0, 2 or 4 bytes into a pixel and shows halves of
/// words of four. In the source they lie within 24 bytes.
template <bool aligned_>
struct MirrorRow<6, aligned_> {
  static constexpr bool aligned = aligned_;
  static constexpr int together = aligned ? 2 : 1;
  static constexpr int words = 6;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[6]) {
    load_around<aligned, 1>(row, row.after() - granule - at, in);
  }
  __device__ static Granule made(const std::uint32_t (&in)[6], std::int64_t at, unsigned index) {
    // at % 6, of 18 more: 16 is 4 modulo 6, and the pattern repeats after three granules.
    const unsigned inside = (index % 3 * 4 + 18 - before_row<aligned>(at, index)) % 6;
    const auto word = [&](int lower, int upper) {  // numbers of the two halves
      return pick(in[lower / 2], in[upper / 2],
                  (lower % 2 != 0 ? 0x32u : 0x10u) | (upper % 2 != 0 ? 0x7600u : 0x5400u));
    };
    if (inside == 0) return {{word(7, 8), word(9, 4), word(5, 6), word(1, 2)}};
    if (inside == 2) return {{word(9, 10), word(5, 6), word(7, 2), word(3, 4)}};
    return {{word(11, 6), word(7, 8), word(3, 4), word(5, 0)}};
  }
};

/// 12-byte pixels, aligned to 4. A granule shows four words of two pixels, from word 0, 1 or 2 of
/// the first on.
template <>
struct MirrorRow<12, false> {
  static constexpr bool aligned = false;
  static constexpr int together = 2;
  static constexpr int words = 6;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned index,
                              std::uint32_t (&in)[6]) {
    load_row_window(row, row.after() - 24 - (at - inside(at, index)), in);
  }
  __device__ static Granule made(const std::uint32_t (&in)[6], std::int64_t at, unsigned index) {
    const int first = inside(at, index);
    if (first == 0) return {{in[3], in[4], in[5], in[0]}};
    if (first == 4) return {{in[4], in[5], in[0], in[1]}};
    return {{in[5], in[0], in[1], in[2]}};
  }

 private:
  __device__ static int inside(std::int64_t at, unsigned index) {
    // at % 12, of 24 more: 16 is 4 modulo 12, and the pattern repeats after three granules.
    return static_cast<int>((index % 3 * 4 + 24 - before_row<aligned>(at, index)) % 12);
  }
};

/// Any pixel, in words that divide it. `pixel` is 0 where its size is known only at run time.
template <int pixel, int word>
struct MirrorWordsRow {
  static constexpr bool aligned = false;
  static constexpr int together = has_aligned_mirror(pixel) ? 1 : 2;
  static constexpr int words = 4;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[4]) {
    const int bytes = pixel != 0 ? pixel : row.pixel;
    union {
      Granule value;
      Word<word> part[granule / word];
    } out;
    // `at` may be negative: a number of pixels more does not change the remainder.
    int inside = static_cast<int>((at + std::int64_t{bytes} * granule) % bytes);
    std::int64_t begin = at - inside;  // of the pixel that this word belongs to
#pragma unroll
    for (int i = 0; i < granule / word; ++i) {
      out.part[i] = {};
      if (begin >= 0 && begin < row.bytes) {
        out.part[i] = load<word>(row.after() - bytes - begin + inside);
      }
      inside += word;
      if (inside == bytes) {
        inside = 0;
        begin += bytes;
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) in[i] = out.value.word[i];
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], std::int64_t, unsigned) {
    return {{in[0], in[1], in[2], in[3]}};
  }
};

/// Rows of `columns` pixels that lie one after another: the source is one row of all of them. Each
/// is mirrored by itself, as when BGR becomes RGB.
template <int pixel, int columns, bool aligned_>
struct MirrorEachRow {
  static_assert(columns == 2 || columns == 4);
  static constexpr bool aligned = aligned_;
  static constexpr int words = 4;
  static constexpr int row_bytes = pixel * columns;  // a granule consists of whole rows
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[4]) {
    load_around<aligned, 0>(row, row.data + at, in);
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], std::int64_t, unsigned) {
    const Granule all = reversed_pixels<pixel>(in);
    if constexpr (row_bytes == granule) {
      return all;
    } else {
      return reversed_pixels<row_bytes>(all.word);
    }
  }
};

/// Rows of three pixels. A granule begins `phase` = 0, 1 or 2 pixels into a row.
template <int pixel, bool aligned_>
struct MirrorEachRow<pixel, 3, aligned_> {
  static constexpr bool aligned = aligned_;
  static constexpr int reach = pixel == 4 ? 2 : 1;
  static constexpr int words = 4 + 2 * reach;
  __device__ static void read(const SourceRow& row, std::int64_t at, unsigned,
                              std::uint32_t (&in)[words]) {
    load_around<aligned, reach>(row, row.data + at, in);
  }
  __device__ static Granule made(const std::uint32_t (&in)[words], std::int64_t at,
                                 unsigned index) {
    // at / pixel % 3, of 15 more.
    const unsigned before = before_row<aligned>(at, index) / pixel;
    const unsigned phase = (granule / pixel % 3 * (index % 3) + 15 - before) % 3;
    Granule out;
#pragma unroll
    for (int m = 0; m < 4; ++m) out.word[m] = word(in, m + reach, (m * 4 / pixel + phase) % 3);
    return out;
  }

 private:
  // What word i becomes, if it begins in this column.
  __device__ __forceinline__ static std::uint32_t word(const std::uint32_t (&in)[words], int i,
                                                       unsigned column) {
    if constexpr (pixel == 1) {
      const std::uint32_t order = column == 0 ? 0x7234 : column == 1 ? 0x5612 : 0x3450;
      return pick(__funnelshift_r(in[i - 1], in[i], 16), __funnelshift_r(in[i], in[i + 1], 16),
                  order);
    } else if constexpr (pixel == 2) {
      return pick(column == 0 ? in[i] : in[i - 1], column == 1 ? in[i] : in[i + 1],
                  column == 2 ? 0x7610 : 0x3254);
    } else {
      static_assert(pixel == 4);
      return column == 0 ? in[i + 2] : column == 1 ? in[i] : in[i - 2];
    }
  }
};

/// Calls `run(policy)` with a policy for rows of so many pixels of this size that lie one after
/// another, and returns true; false if there is none. `aligned`: both begin at multiples of 16, and
/// so do their ends.
template <class Run>
bool with_mirror_of_each(int pixel_bytes, int columns, bool aligned, Run run) {
  return with_pixel(pixel_bytes, [&](auto pixel) {
    return with_pixel(columns, [&](auto count) {
      constexpr bool is_known = (pixel.value == 1 || pixel.value == 2 || pixel.value == 4) &&
                                count.value >= 2 && count.value <= 4;
      if constexpr (is_known) {
        if (aligned) {
          run(MirrorEachRow<pixel.value, count.value, true>());
        } else {
          run(MirrorEachRow<pixel.value, count.value, false>());
        }
      }
      return is_known;
    });
  });
}

/// Calls `run(policy)` with the policy that copies rows of any pixels. Host code calls it to choose
/// a kernel, device code to choose within one.
#pragma nv_exec_check_disable
template <class Run>
__host__ __device__ __forceinline__ void with_copy(bool aligned, Run run) {
  if (aligned) {
    run(CopyRow<true>());
  } else {
    run(CopyRow<false>());
  }
}

/// Calls `run(policy)` with the policy that mirrors rows of any pixels, in words that divide the
/// pixel and, as `alignment` says, all addresses.
#pragma nv_exec_check_disable
template <class Run>
__host__ __device__ __forceinline__ void with_words_mirror(int pixel_bytes, int alignment,
                                                           Run run) {
  const int most = word_bytes(pixel_bytes);
  const int word = most < alignment ? most : alignment;
  if (word == 1) run(MirrorWordsRow<0, 1>());
  if (word == 2) run(MirrorWordsRow<0, 2>());
  if (word == 4) run(MirrorWordsRow<0, 4>());
  if (word == 8) run(MirrorWordsRow<0, 8>());
  if (word == 16) run(MirrorWordsRow<0, 16>());
}

/// The same for pixels of a common size, with addresses that are multiples of their words.
/// `aligned`: of 16, and so are row lengths.
#pragma nv_exec_check_disable
template <int pixel, class Run>
__host__ __device__ __forceinline__ void with_pixel_mirror(bool aligned, Run run) {
  if constexpr (has_aligned_mirror(pixel)) {
    if (aligned) {
      run(MirrorRow<pixel, true>());
    } else {
      run(MirrorRow<pixel, false>());
    }
  } else if constexpr (pixel == 12) {
    run(MirrorRow<pixel, false>());
  } else {
    run(MirrorWordsRow<pixel, word_bytes(pixel)>());
  }
}

/// The same for pixels of any size, for host code that chooses a kernel.
template <class Run>
void with_mirror(int pixel_bytes, int alignment, bool aligned, Run run) {
  with_pixel(pixel_bytes, [&](auto pixel) {
    if constexpr (pixel.value == 0) {
      with_words_mirror(pixel_bytes, alignment, run);
    } else if (alignment < word_bytes(pixel.value)) {
      with_words_mirror(pixel_bytes, alignment, run);
    } else {
      with_pixel_mirror<pixel.value>(aligned, run);
    }
  });
}

}  // namespace qturn::device
