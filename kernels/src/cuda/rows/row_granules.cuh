// One aligned granule (16 bytes) of a row that is copied or mirrored, made by one thread.
//
// Its bytes lie together in the source, mirrored or not, so they are a window of at most 20 bytes
// at any address. A thread does aligned reads, whose cache lines the neighbouring threads share, a
// shift, and an exchange of pixels in registers.
#ifndef QTURN_KERNELS_CUDA_ROWS_ROW_GRANULES_CUH
#define QTURN_KERNELS_CUDA_ROWS_ROW_GRANULES_CUH

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

/// The `count` words that begin at `from`, which need not be aligned. Only the first `needed` bytes
/// count, and of those only the ones that lie in the picture.
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

/// Policies: how the granule at byte `at` of the row (from 15 before it to its last one) is made
/// from the row of the source. `together`: how many of them one thread of a batch makes. Policies
/// that need few registers while they wait for memory make two. Some, for aligned rows, can read
/// for both before they go on: made() of the `words` from read() is the same as make().
struct CopyRow {
  static constexpr int together = 1;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned) {
    Granule value;
    load_row_window(row, row.data + at, value.word);
    return value;
  }
};

/// The same, where both rows are aligned to a granule.
struct CopyAlignedRow {
  static constexpr int together = 2;
  static constexpr int words = 4;
  __device__ static void read(const SourceRow& row, std::int64_t at, std::uint32_t (&in)[4]) {
    const Granule value =
        at + granule > row.bytes ? CopyRow::make(row, at, 0) : load_granule(row.data + at);
#pragma unroll
    for (int i = 0; i < 4; ++i) in[i] = value.word[i];
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], unsigned) {
    return {{in[0], in[1], in[2], in[3]}};
  }
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned) {
    if (at + granule > row.bytes) return CopyRow::make(row, at, 0);
    return load_granule(row.data + at);
  }
};

/// Whether with_pixel_mirror() has a policy for aligned rows of such pixels.
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

/// Pixels of 1, 2, 4 or 8 bytes, aligned to the pixel: a granule's pixels are 16 bytes of the
/// source, wherever in the row they lie.
template <int pixel>
struct MirrorRow {
  static constexpr int together = 1;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned) {
    std::uint32_t in[4];
    load_row_window(row, row.after() - granule - at, in);
    return reversed_pixels<pixel>(in);
  }
};

/// The same, where both rows and their length are aligned to a granule.
template <int pixel>
struct MirrorAlignedRow {
  static constexpr int together = 2;
  static constexpr int words = 4;
  __device__ static void read(const SourceRow& row, std::int64_t at, std::uint32_t (&in)[4]) {
    const Granule value = load_granule(row.after() - granule - at);
#pragma unroll
    for (int i = 0; i < 4; ++i) in[i] = value.word[i];
  }
  __device__ static Granule made(const std::uint32_t (&in)[4], unsigned) {
    return reversed_pixels<pixel>(in);
  }
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    std::uint32_t in[4];
    read(row, at, in);
    return made(in, index);
  }
};

/// The 16 bytes of the source that lie opposite a granule, and a word before and after them.
template <bool aligned>
__device__ __forceinline__ void load_around(const SourceRow& row, std::int64_t at,
                                            std::uint32_t (&words)[6]) {
  const Byte* from = row.after() - granule - at;
  if constexpr (aligned) {
    const Granule middle = load_granule(from);
    words[0] = from > row.begin ? load<4>(from - 4) : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) words[1 + i] = middle.word[i];
    words[5] = from + granule < row.end ? load<4>(from + granule) : 0;
  } else {
    load_row_window(row, from - 4, words);
  }
}

/// 3-byte pixels in opposite order. A granule begins `phase` = 0, 1 or 2 bytes into a pixel and
/// shows bytes of six. In the source they lie within 20 bytes, and word m of the granule takes its
/// bytes from words 3 - m and 4 - m of those, in one of three patterns.
__device__ __forceinline__ Granule reversed_triples(const std::uint32_t (&around)[6],
                                                    unsigned phase) {
  std::uint32_t in[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) in[i] = __funnelshift_r(around[i], around[i + 1], 16);
  const std::uint32_t first = phase == 0 ? 0x0543 : phase == 1 ? 0x2165 : 0x4327;
  const std::uint32_t second = phase == 0 ? 0x2165 : phase == 1 ? 0x4327 : 0x0543;
  const std::uint32_t third = phase == 0 ? 0x4327 : phase == 1 ? 0x0543 : 0x2165;
  return {{pick(in[3], in[4], first), pick(in[2], in[3], second), pick(in[1], in[2], third),
           pick(in[0], in[1], first)}};
}

/// 3-byte pixels at any address.
struct MirrorTriplesRow {
  static constexpr int together = 1;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    std::uint32_t around[6];
    load_around<false>(row, at, around);
    // at % 3, of 15 more: 16 is 1 modulo 3.
    const unsigned before = 16 * index - static_cast<unsigned>(at);
    return reversed_triples(around, (index % 3 + 15 - before) % 3);
  }
};

/// The same, where both rows and their length are aligned to a granule.
struct MirrorAlignedTriplesRow {
  static constexpr int together = 2;
  static constexpr int words = 6;
  __device__ static void read(const SourceRow& row, std::int64_t at, std::uint32_t (&around)[6]) {
    load_around<true>(row, at, around);
  }
  __device__ static Granule made(const std::uint32_t (&around)[6], unsigned index) {
    return reversed_triples(around, index % 3);
  }
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    std::uint32_t around[6];
    read(row, at, around);
    return made(around, index);
  }
};

/// 6-byte pixels, aligned to 2. A granule begins 0, 2 or 4 bytes into a pixel and shows halves of
/// words of four. In the source they lie within 24 bytes.
template <bool aligned>
struct MirrorSixesRow {
  static constexpr int together = aligned ? 2 : 1;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    std::uint32_t in[6];
    load_around<aligned>(row, at, in);
    // at % 6, of 18 more: 16 is 4 modulo 6, and the pattern repeats after three granules.
    const unsigned before = 16 * index - static_cast<unsigned>(at);
    const unsigned inside = (index % 3 * 4 + 18 - before) % 6;
    const auto word = [&](int lower, int upper) {  // of these two halves
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
struct MirrorTwelvesRow {
  static constexpr int together = 2;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    // at % 12, of 24 more: 16 is 4 modulo 12, and the pattern repeats after three granules.
    const unsigned before = 16 * index - static_cast<unsigned>(at);
    const auto inside = static_cast<int>((index % 3 * 4 + 24 - before) % 12);
    std::uint32_t in[6];
    load_row_window(row, row.after() - 24 - (at - inside), in);
    if (inside == 0) return {{in[3], in[4], in[5], in[0]}};
    if (inside == 4) return {{in[4], in[5], in[0], in[1]}};
    return {{in[5], in[0], in[1], in[2]}};
  }
};

/// Any pixel, in words that divide it. `pixel` is 0 where its size is known only at run time.
template <int pixel, int word>
struct MirrorWordsRow {
  static constexpr int together = has_aligned_mirror(pixel) ? 1 : 2;
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned) {
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
    return out.value;
  }
};

/// The 16 bytes of the source at the place of a granule, and `reach` words before and after them.
/// `aligned`: the source and its length are, to a granule.
template <bool aligned, int reach>
__device__ __forceinline__ void load_in_place(const SourceRow& row, std::int64_t at,
                                              std::uint32_t (&words)[4 + 2 * reach]) {
  if constexpr (aligned) {
    const Byte* from = row.data + at;
    const Granule middle = load_granule(from);
#pragma unroll
    for (int i = 0; i < 4; ++i) words[reach + i] = middle.word[i];
    const bool is_first = at == 0, is_last = at + granule >= row.bytes;
#pragma unroll
    for (int i = 0; i < reach; ++i) {
      words[i] = is_first ? 0 : load<4>(from + 4 * (i - reach));
      words[reach + 4 + i] = is_last ? 0 : load<4>(from + granule + 4 * i);
    }
  } else {
    load_row_window(row, row.data + at - 4 * reach, words);
  }
}

/// Rows of `columns` pixels that lie one after another: the source is one row of all of them. Each
/// is mirrored by itself, as when BGR becomes RGB.
template <int pixel, int columns, bool aligned>
struct MirrorEachRow {
  static_assert(columns == 2 || columns == 4);
  static constexpr int row_bytes = pixel * columns;  // a granule consists of whole rows
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned) {
    std::uint32_t in[4];
    load_in_place<aligned, 0>(row, at, in);
    const Granule all = reversed_pixels<pixel>(in);
    if constexpr (row_bytes == granule) {
      return all;
    } else {
      return reversed_pixels<row_bytes>(all.word);
    }
  }
};

/// Rows of three pixels. A granule begins `phase` = 0, 1 or 2 pixels into a row.
template <int pixel, bool aligned>
struct MirrorEachRow<pixel, 3, aligned> {
  __device__ static Granule make(const SourceRow& row, std::int64_t at, unsigned index) {
    // at / pixel % 3, of 15 more.
    const unsigned before = 16 * index - static_cast<unsigned>(at);
    const unsigned phase = (granule / pixel % 3 * (index % 3) + 15 - before / pixel) % 3;
    constexpr int reach = pixel == 4 ? 2 : 1;
    std::uint32_t in[4 + 2 * reach];
    load_in_place<aligned, reach>(row, at, in);
    Granule out;
#pragma unroll
    for (int m = 0; m < 4; ++m) out.word[m] = word(in, m + reach, (m * 4 / pixel + phase) % 3);
    return out;
  }

 private:
  // What word i becomes, if it begins in this column.
  template <int count>
  __device__ __forceinline__ static std::uint32_t word(const std::uint32_t (&in)[count], int i,
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
    run(CopyAlignedRow());
  } else {
    run(CopyRow());
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
  if constexpr (pixel == 3) {
    if (aligned) {
      run(MirrorAlignedTriplesRow());
    } else {
      run(MirrorTriplesRow());
    }
  } else if constexpr (pixel == 1 || pixel == 2 || pixel == 4 || pixel == 8) {
    if (aligned) {
      run(MirrorAlignedRow<pixel>());
    } else {
      run(MirrorRow<pixel>());
    }
  } else if constexpr (pixel == 6) {
    if (aligned) {
      run(MirrorSixesRow<true>());
    } else {
      run(MirrorSixesRow<false>());
    }
  } else if constexpr (pixel == 12) {
    run(MirrorTwelvesRow());
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

/// Stores bytes `begin` to before `end` of a granule, in words as wide as fit: an end of it takes
/// four at most.
__device__ __forceinline__ void store_cut(Byte* to, const Granule& value, int begin, int end) {
  std::uint32_t word[4] = {value.word[0], value.word[1], value.word[2], value.word[3]};
  if (begin == 0) {
    if ((end & 8) != 0) {
      store<8>(to, make_uint2(word[0], word[1]));
      word[0] = word[2];
      word[1] = word[3];
    }
    if ((end & 4) != 0) {
      store<4>(to + (end & 8), word[0]);
      word[0] = word[1];
    }
    if ((end & 2) != 0) {
      store<2>(to + (end & 12), static_cast<std::uint16_t>(word[0]));
      word[0] >>= 16;
    }
    if ((end & 1) != 0) store<1>(to + (end & 14), static_cast<Byte>(word[0]));
  } else if (end == granule) {
    const int count = granule - begin;
    Byte* last = to + granule;
    if ((count & 8) != 0) {
      store<8>(last - 8, make_uint2(word[2], word[3]));
      word[2] = word[0];
      word[3] = word[1];
    }
    if ((count & 4) != 0) {
      store<4>(last - (count & 12), word[3]);
      word[3] = word[2];
    }
    if ((count & 2) != 0) {
      store<2>(last - (count & 14), static_cast<std::uint16_t>(word[3] >> 16));
      word[3] <<= 16;
    }
    if ((count & 1) != 0) store<1>(last - count, static_cast<Byte>(word[3] >> 24));
  } else {
    store_part<1>(to, value, begin, end);
  }
}

/// Stores a granule at byte `at` of a row of `row_bytes`, as far as it lies in it.
__device__ __forceinline__ void store_in_row(Byte* row, const Granule& value, std::int64_t at,
                                             std::int64_t row_bytes) {
  if (at >= 0 && at + granule <= row_bytes) {
    store_granule(row + at, value);
  } else {
    const std::int64_t left = row_bytes - at;
    store_cut(row + at, value, at < 0 ? static_cast<int>(-at) : 0,
              left < granule ? static_cast<int>(left) : granule);
  }
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_CUDA_ROWS_ROW_GRANULES_CUH
