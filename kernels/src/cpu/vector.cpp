// The CPU's three motions with Highway's vectors, compiled once for each instruction set.
//
// A vector is one, two or four blocks of 16 bytes. Transposes go tile by tile: n rows of n lanes in
// each block, where n pixels are 16 bytes. If n vectors are shuffled like a deck of cards, the
// upper half into the lower, log2(n) times, the bits of an element's number have rotated so far
// that row and lane have changed places:
//
//   A0 A1 A2 A3      A0 C0 A1 C1      A0 B0 C0 D0
//   B0 B1 B2 B3  ->  A2 C2 A3 C3  ->  A1 B1 C1 D1
//   C0 C1 C2 C3      B0 D0 B1 D1      A2 B2 C2 D2
//   D0 D1 D2 D3      B2 D2 B3 D3      A3 B3 C3 D3
//
// The blocks of a vector are loaded from rows n apart, so that a transposed row is one vector: 64
// bytes of it with AVX-512, a whole cache line. Pixels of 3, 6 and 12 bytes are spread to lanes of
// 4, 8 and 16 on the way in, and packed on the way out. A tile at an edge is moved back until it
// fits; it moves some pixels twice.
//
// Pictures that no cache holds go past the caches: 256 or 512 bytes of the transposed rows are
// collected in a buffer and then written in whole lines that are not read first. That and asking
// for the rows of the source ahead of time is what makes large transposes fast: 0.73 of memcpy
// for 3 bytes at 4000x3000, 0.52 without (docs/measurements/cpu-kernels.md).
//
// On aarch64, a vector of NEON is one block. The size of SVE's is known at run time only, so that
// they cannot be in an array, as the rows of a tile are; and to interleave within blocks takes
// three instructions. So SVE mirrors rows, and leaves the rest to NEON, which all these processors
// have.
#include <algorithm>
#include <cstring>

#include "kernels/src/cpu/instruction_sets.hpp"
#include "kernels/src/cpu/paths.hpp"
#include "kernels/src/cpu/rows.hpp"
#include "kernels/src/cpu/shuffles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/src/cpu/vector.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#if HWY_TARGETS & HWY_SVE
#include <sys/auxv.h>
#endif

#if HWY_TARGET & (HWY_SSSE3 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_SVE)
#if HWY_HAVE_SCALABLE
namespace qturn::N_NEON {
void move(const Reduced& reduced, Store store);
}
#else
namespace qturn::HWY_NAMESPACE {  // in resize_vector.cpp
void make_columns(ConstView src, int first, const WeighedAxis& axis, View dst);
void make_rows(ConstView src, int first, const WeighedAxis& axis, View dst);
}  // namespace qturn::HWY_NAMESPACE
#endif
HWY_BEFORE_NAMESPACE();
namespace qturn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_SCALABLE
// Moves as many whole pixels at a time as a vector holds, whatever the sizes of both. Masks keep it
// from reading or writing outside the row.
bool mirror_rows(ConstView src, View dst) {
  constexpr hn::ScalableTag<std::uint8_t> d;
  const int pixel_bytes = dst.pixel_bytes;
  const int step = static_cast<int>(hn::Lanes(d)) / pixel_bytes * pixel_bytes;
  if (step == 0) return false;
  std::uint8_t places[HWY_MAX_BYTES];
  for (int i = 0; i < step; ++i)
    places[i] = static_cast<std::uint8_t>(step - pixel_bytes - i + i % pixel_bytes * 2);
  const auto whole = hn::FirstN(d, step);
  const auto index = hn::IndicesFromVec(d, hn::MaskedLoad(whole, d, places));
  const auto move = [&](const std::uint8_t* in, auto taken, std::uint8_t* out,
                        auto written) HWY_ATTR {
    hn::BlendedStore(hn::TableLookupLanes(hn::MaskedLoad(taken, d, in), index), written, d, out);
  };
  const std::int64_t bytes = dst.row_bytes(), rest = bytes % step;
  const auto first = hn::FirstN(d, rest);
  const auto last = hn::AndNot(hn::FirstN(d, step - rest), whole);
  for (std::int64_t y = 0; y < dst.height; ++y) {
    const std::uint8_t* end = row_of(src, y) + bytes - step;
    std::uint8_t* out = row_of(dst, y);
    std::int64_t at = 0;
    for (; at + step <= bytes; at += step) move(end - at, whole, out + at, whole);
    if (rest > 0) move(end - at, last, out + at, first);
  }
  return true;
}
#else
constexpr int most_blocks = HWY_MAX_BYTES / block_bytes;

// Rows that are not done in tiles get vectors of 32 bytes: vectors of 64 cross cache lines too
// often, 0.70 of memcpy against 0.94 for the flop of 1 byte at 224x224.
constexpr int row_blocks = std::min(most_blocks, 2);

template <int blocks>
using Bytes = hn::CappedTag<std::uint8_t, blocks * block_bytes>;

// The blocks of a vector from addresses `stride` apart.
template <int blocks>
HWY_INLINE auto load_blocks(const std::uint8_t* in, std::int64_t stride) {
  constexpr Bytes<blocks> d;
  if constexpr (blocks == 1) {
    return hn::LoadU(d, in);
  } else {
    constexpr int half = blocks / 2;
    return hn::Combine(d, load_blocks<half>(in + half * stride, stride),
                       load_blocks<half>(in, stride));
  }
}

// --- copy

// Past the caches, except for the ends that do not fill a line.
HWY_INLINE void stream_row(const std::uint8_t* in, std::uint8_t* out, std::int64_t bytes) {
  constexpr Bytes<most_blocks> d;
  const auto misplaced =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % line_bytes);
  std::int64_t at = std::min((line_bytes - misplaced) % line_bytes, bytes);
  std::memcpy(out, in, static_cast<std::size_t>(at));
  for (; at + line_bytes <= bytes; at += line_bytes) {
    for (int i = 0; i < line_bytes; i += most_blocks * block_bytes) {
      hn::Stream(hn::LoadU(d, in + at + i), d, out + at + i);
    }
  }
  std::memcpy(out + at, in + at, static_cast<std::size_t>(bytes - at));
}

// A call of memcpy() for each row costs more than the row where it is short: 0.69 of memcpy() of
// the whole for rows of 224 bytes. From 2112 bytes on, glibc copies by `rep movsb` on an AMD EPYC
// (Zen 3), which takes 145 us for 1024 rows of 4200 bytes, this 128 (2026-11-28).
constexpr std::int64_t short_row_bytes = 8192;

// As many vectors are loaded before the first is stored. A processor that sees the same last 12
// bits in the address of a load and of an earlier store waits, and large arrays of NumPy all begin
// 16 bytes after a page: 224 rows of 672 bytes take 3.9 us instead of 4.9.
template <int vectors>
void copy_short_rows(ConstView src, View dst) {
  constexpr Bytes<row_blocks> d;
  constexpr std::int64_t step = row_blocks * block_bytes;
  const std::int64_t bytes = dst.row_bytes();
  for (std::int64_t y = 0; y < dst.height; ++y) {
    const std::uint8_t* in = row_of(src, y);
    std::uint8_t* out = row_of(dst, y);
    for (std::int64_t at = 0; at < bytes; at += vectors * step) {
      const std::int64_t moved_back = std::min(at, bytes - vectors * step);
      const std::uint8_t* from = in + moved_back;
      std::uint8_t* to = out + moved_back;
      if constexpr (vectors == 1) {
        hn::StoreU(hn::LoadU(d, from), d, to);
      } else {
        static_assert(vectors == 4);
        const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + step);
        const auto c = hn::LoadU(d, from + 2 * step), e = hn::LoadU(d, from + 3 * step);
        hn::StoreU(a, d, to);
        hn::StoreU(b, d, to + step);
        hn::StoreU(c, d, to + 2 * step);
        hn::StoreU(e, d, to + 3 * step);
      }
    }
  }
}

bool copy(ConstView src, View dst, Store store) {
  std::int64_t bytes = dst.row_bytes();
  std::int64_t rows = dst.height;
  const bool packed = src.pitch == bytes && dst.pitch == bytes;
  if (store == Store::through_caches) {
    constexpr std::int64_t step = row_blocks * block_bytes;
    if (packed || bytes > short_row_bytes || bytes < step) return false;
    (bytes < 4 * step ? copy_short_rows<1> : copy_short_rows<4>)(src, dst);
    return true;
  }
  if (packed) {
    bytes *= rows;
    rows = 1;
  }
  // The last row first: Linux clears a huge page from its far end toward the byte that is written
  // first, and takes a fifth longer for it downward.
  for (std::int64_t y = rows; y-- > 0;) stream_row(row_of(src, y), row_of(dst, y), bytes);
  hwy::FlushStream();
  return true;
}

// --- mirror

template <int pixel_bytes, int to, int from, int vector_blocks, class Vector>
HWY_INLINE Vector take(Vector result, Vector block) {
  static constexpr auto places = MirrorGroup<pixel_bytes>::places(to, from);
  if constexpr (!places.any) {
    return result;
  } else {
    const auto index = hn::LoadDup128(Bytes<vector_blocks>(), places.index);
    return hn::Or(result, hn::TableLookupBytesOr0(block, index));
  }
}

// `vector_blocks` groups, those at the end of the source first.
template <int pixel_bytes, int vector_blocks>
HWY_INLINE void mirror_groups(const std::uint8_t* end, std::uint8_t* out) {
  constexpr Bytes<vector_blocks> d;
  constexpr int group = MirrorGroup<pixel_bytes>::bytes;
  if constexpr (group == block_bytes) {
    const auto mirrored = take<pixel_bytes, 0, 0, vector_blocks>(
        hn::Zero(d), hn::LoadU(d, end - vector_blocks * block_bytes));
    hn::StoreU(hn::ReverseBlocks(d, mirrored), d, out);
  } else {
    const std::uint8_t* in = end - group;
    const auto a = load_blocks<vector_blocks>(in, -group);
    const auto b = load_blocks<vector_blocks>(in + block_bytes, -group);
    const auto c = load_blocks<vector_blocks>(in + 2 * block_bytes, -group);
    const auto mirrored = [&](auto to) HWY_ATTR {
      auto result = hn::Zero(d);
      result = take<pixel_bytes, to, 0, vector_blocks>(result, a);
      result = take<pixel_bytes, to, 1, vector_blocks>(result, b);
      return take<pixel_bytes, to, 2, vector_blocks>(result, c);
    };
    const auto first = mirrored(std::integral_constant<int, 0>());
    const auto second = mirrored(std::integral_constant<int, 1>());
    const auto third = mirrored(std::integral_constant<int, 2>());
    constexpr int vector = vector_blocks * block_bytes;
    if constexpr (vector_blocks == 1) {
      hn::StoreU(first, d, out);
      hn::StoreU(second, d, out + vector);
      hn::StoreU(third, d, out + 2 * vector);
    } else {
      // Two groups, one in each half.
      hn::StoreU(hn::ConcatLowerLower(d, second, first), d, out);
      hn::StoreU(hn::ConcatUpperLower(d, first, third), d, out + vector);
      hn::StoreU(hn::ConcatUpperUpper(d, third, second), d, out + 2 * vector);
    }
  }
}

template <int pixel_bytes, int vector_blocks>
bool mirror(ConstView src, View dst) {
  constexpr std::int64_t step = vector_blocks * MirrorGroup<pixel_bytes>::bytes;
  const std::int64_t bytes = dst.row_bytes();
  if (bytes < step) {
    if constexpr (vector_blocks > 1) return mirror<pixel_bytes, vector_blocks / 2>(src, dst);
    return false;
  }
  // The last row first, as in copy(). Both loops read the source in one direction. A single row,
  // which is the half turn of a picture, is written from its end.
  for (std::int64_t y = dst.height; y-- > 0;) {
    const std::uint8_t* end = row_of(src, y) + bytes;
    std::uint8_t* out = row_of(dst, y);
    const auto move_from = [&](std::int64_t at) HWY_ATTR {
      mirror_groups<pixel_bytes, vector_blocks>(end - at, out + at);
    };
    if (dst.height > 1) {
      for (std::int64_t at = 0; at < bytes; at += step) move_from(std::min(at, bytes - step));
    } else {
      for (std::int64_t to = bytes; to > 0; to -= step)
        move_from(std::max<std::int64_t>(to - step, 0));
    }
  }
  return true;
}

// As many rows as a block holds at a time, whatever the size of a pixel: BGR to RGB, for example,
// is a mirror of rows of 3 bytes.
bool mirror_narrow(ConstView src, View dst) {
  constexpr Bytes<1> d;
  const std::int64_t bytes = dst.row_bytes();
  if (bytes > block_bytes || src.pitch != bytes || dst.pitch != bytes) return false;
  const std::int64_t rows = block_bytes / bytes, total = bytes * dst.height;
  alignas(block_bytes) std::uint8_t places[block_bytes] = {};
  for (std::int64_t i = 0; i < rows * bytes; ++i) {
    const std::int64_t pixel = i % bytes / dst.pixel_bytes;
    places[i] = static_cast<std::uint8_t>(i + (dst.width - 1 - 2 * pixel) * dst.pixel_bytes);
  }
  const auto index = hn::Load(d, places);
  const std::uint8_t* in = row_of(src, 0);
  std::uint8_t* out = row_of(dst, 0);
  std::int64_t done = 0;
  // What is written after these rows is overwritten later.
  for (std::int64_t at = 0; at + block_bytes <= total; at += rows * bytes, done += rows)
    hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, in + at), index), d, out + at);
  const std::int64_t left = dst.height - done;
  if (left > 0) {
    move_plain({sub_view(src, 0, done, src.width, left), sub_view(dst, 0, done, dst.width, left),
                Motion::mirror},
               Store::through_caches);
  }
  return true;
}

// --- transpose

// Moves the first 12 bytes of each block together.
template <class Vector>
HWY_INLINE Vector join_blocks(Bytes<1>, Vector v) {
  return v;
}
template <class D, class Vector>
HWY_INLINE Vector join_blocks(D d, Vector v) {
  constexpr hn::Repartition<std::uint32_t, D> words;
  alignas(line_bytes) static constexpr std::uint32_t two[] = {0, 1, 2, 4, 5, 6, 3, 7};
  alignas(line_bytes) static constexpr std::uint32_t four[] = {0,  1,  2,  4,  5, 6, 8,  9,
                                                               10, 12, 13, 14, 3, 7, 11, 15};
  const auto order = hn::SetTableIndices(words, hn::Lanes(words) == 8 ? two : four);
  return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, v), order));
}

// `width` rows of the source by `height` of its columns.
template <int pixel_bytes, int blocks>
struct Tile {
  using Pixel = PixelLanes<pixel_bytes>;
  static constexpr int height = Pixel::count;
  static constexpr int width = height * blocks;
  static constexpr int row_bytes = width * pixel_bytes;
  static constexpr int vector_bytes = blocks * block_bytes;

  // The last 16 bytes of a source row may begin `before` bytes before the tile does. A vector of
  // packed pixels is longer than the tile's row; it is stored whole if what follows may be
  // overwritten, because it is written later.
  static HWY_INLINE void move(const std::uint8_t* in, std::int64_t src_pitch, std::int64_t before,
                              std::uint8_t* out, std::int64_t dst_pitch, bool whole) {
    constexpr Bytes<blocks> d;
    constexpr hn::Repartition<typename Pixel::Type, decltype(d)> lanes;
    hn::VFromD<decltype(lanes)> rows[height];
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i) {
      auto row = load_blocks<blocks>(in + i * src_pitch - before, height * src_pitch);
      if constexpr (Pixel::spread) {
        static constexpr auto to_lanes = Pixel::to_lanes();
        row = hn::TableLookupBytes(row, hn::Add(hn::LoadDup128(d, to_lanes.index),
                                                hn::Set(d, static_cast<std::uint8_t>(before))));
      }
      rows[i] = hn::BitCast(lanes, row);
    }
#pragma GCC unroll 4
    for (int shuffle = 1; shuffle < height; shuffle *= 2) {
      hn::VFromD<decltype(lanes)> shuffled[height];
#pragma GCC unroll 8
      for (int i = 0; i < height / 2; ++i) {
        shuffled[2 * i] = hn::InterleaveLower(lanes, rows[i], rows[i + height / 2]);
        shuffled[2 * i + 1] = hn::InterleaveUpper(lanes, rows[i], rows[i + height / 2]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < height; ++i) rows[i] = shuffled[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i) {
      auto row = hn::BitCast(d, rows[i]);
      if constexpr (Pixel::spread) {
        static constexpr auto to_pixels = Pixel::to_pixels();
        row = join_blocks(d, hn::TableLookupBytes(row, hn::LoadDup128(d, to_pixels.index)));
      }
      if (Pixel::spread && !whole) {
        alignas(line_bytes) std::uint8_t vector[vector_bytes];
        hn::Store(row, d, vector);
        std::memcpy(out + i * dst_pitch, vector, row_bytes);
      } else {
        hn::StoreU(row, d, out + i * dst_pitch);
      }
    }
  }

  static HWY_INLINE std::int64_t bytes_before(std::int64_t y, std::int64_t dst_height) {
    const std::int64_t missing = y * pixel_bytes + block_bytes - dst_height * pixel_bytes;
    return Pixel::spread ? std::max<std::int64_t>(missing, 0) : 0;
  }
};

template <int pixel_bytes, int blocks>
void transpose_through_caches(ConstView src, View dst) {
  using T = Tile<pixel_bytes, blocks>;
  for (std::int64_t left = 0; left < dst.width; left += T::width) {
    const std::int64_t x = std::min(left, dst.width - T::width);
    const bool whole = (dst.width - x) * pixel_bytes >= T::vector_bytes;
    for (std::int64_t top = 0; top < dst.height; top += T::height) {
      const std::int64_t y = std::min(top, dst.height - T::height);
      T::move(row_of(src, x) + y * pixel_bytes, src.pitch, T::bytes_before(y, dst.height),
              row_of(dst, y) + x * pixel_bytes, dst.pitch, whole);
    }
  }
}

template <int pixel_bytes, int blocks>
void transpose_past_caches(ConstView src, View dst) {
  using T = Tile<pixel_bytes, blocks>;
  constexpr StripTuning tuned = strip_tuning(pixel_bytes);
  constexpr std::int64_t strip = tuned.strip_bytes / T::row_bytes * T::width;
  constexpr std::int64_t pitch = tuned.strip_bytes;
  static_assert(strip * pixel_bytes - T::row_bytes + T::vector_bytes <= pitch);
  alignas(line_bytes) std::uint8_t collected[T::height * pitch];
  // As many rows of the result as have pages that are still in the TLB for the next strip.
  constexpr std::int64_t band = 4096 / pixel_bytes / T::height * T::height;

  for (std::int64_t band_top = 0; band_top < dst.height; band_top += band) {
    const std::int64_t band_bottom = std::min(band_top + band, dst.height);
    for (std::int64_t left = 0; left < dst.width; left += strip) {
      const std::int64_t right = std::min(left + strip, dst.width);
      const std::int64_t first = std::min(left, dst.width - T::width);
      for (std::int64_t top = band_top; top < band_bottom; top += T::height) {
        const std::int64_t y = std::min(top, dst.height - T::height);
        for (std::int64_t tile = left; tile < right; tile += T::width) {
          const std::int64_t x = std::min(tile, dst.width - T::width);
          const std::uint8_t* in = row_of(src, x) + y * pixel_bytes;
          // Four tiles read a line of each row, so each prefetches the next line of a quarter of
          // the rows.
          constexpr std::int64_t share = (T::width + 3) / 4;
          const std::int64_t asked = top / T::height % 4 * share;
          for (std::int64_t i = asked; i < std::min<std::int64_t>(asked + share, T::width); ++i) {
            hwy::Prefetch(in + i * src.pitch + tuned.ahead_bytes);
          }
          T::move(in, src.pitch, T::bytes_before(y, dst.height),
                  collected + (x - first) * pixel_bytes, pitch, true);
        }
        for (int i = 0; i < T::height; ++i) {
          stream_row(collected + i * pitch, row_of(dst, y + i) + first * pixel_bytes,
                     (right - first) * pixel_bytes);
        }
      }
    }
  }
  hwy::FlushStream();
}

template <int pixel_bytes, int blocks>
bool transpose(ConstView src, View dst, Store store) {
  using T = Tile<pixel_bytes, blocks>;
  if (dst.height < T::height || dst.height * pixel_bytes < block_bytes) return false;
  if (dst.width < T::width) {
    if constexpr (blocks > 1) return transpose<pixel_bytes, blocks / 2>(src, dst, store);
    return false;
  }
  if (store == Store::past_caches) {
    transpose_past_caches<pixel_bytes, blocks>(src, dst);
    return true;
  }
  // In the caches, plain code moves 12 and 16 bytes a fifth faster (224x224).
  if constexpr (pixel_bytes <= 8) {
    transpose_through_caches<pixel_bytes, blocks>(src, dst);
    return true;
  }
  return false;
}

template <int... sizes>
bool move_by_size(const Reduced& reduced, Store store) {
  const auto move = [&](auto pixel_bytes) {
    return reduced.motion == Motion::mirror
               ? mirror<pixel_bytes, row_blocks>(reduced.src, reduced.dst)
               : transpose<pixel_bytes, most_blocks>(reduced.src, reduced.dst, store);
  };
  return ((reduced.src.pixel_bytes == sizes && move(std::integral_constant<int, sizes>())) || ...);
}
#endif

}  // namespace

void move(const Reduced& reduced, Store store) {
  const auto& [src, dst, motion] = reduced;
  // Without gaps, a half turn mirrors one long row.
  if (motion == Motion::mirror && dst.height > 1 && src.pitch == -dst.row_bytes() &&
      dst.pitch == dst.row_bytes()) {
    ConstView from = src;
    View to = dst;
    from.data = row_of(src, src.height - 1);
    from.width = to.width = src.width * src.height;
    from.height = to.height = 1;
    from.pitch = to.pitch = to.row_bytes();
    return move({from, to, Motion::mirror}, store);
  }
#if HWY_HAVE_SCALABLE
  // NEON takes several of the narrowest rows at a time.
  if (motion != Motion::mirror || dst.row_bytes() <= block_bytes || !mirror_rows(src, dst))
    N_NEON::move(reduced, store);
#else
  const bool moved = motion == Motion::copy
                         ? copy(src, dst, store)
                         : (motion == Motion::mirror && mirror_narrow(src, dst)) ||
                               move_by_size<1, 2, 3, 4, 6, 8, 12, 16>(reduced, store);
  if (!moved) move_plain(reduced, store);
#endif
}

#if HWY_HAVE_SCALABLE
std::size_t vector_bytes() { return hn::Lanes(hn::ScalableTag<std::uint8_t>()); }
#endif

}  // namespace qturn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace qturn {

// Highway's own dispatcher would make its shared library a dependency of every program that links
// this one. This asks for everything that Highway lets the compiler use. If the compiler may use
// more than the baseline anyway (-march), Highway leaves out lesser instruction sets.
void append_vector_paths(std::vector<CpuPath>& paths) {
#if HWY_TARGETS & HWY_AVX3
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd")) {
    paths.push_back({"AVX-512", N_AVX3::move, N_AVX3::make_columns, N_AVX3::make_rows});
  }
#endif
#if HWY_TARGETS & HWY_AVX2
  if (__builtin_cpu_supports("avx2"))
    paths.push_back({"AVX2", N_AVX2::move, N_AVX2::make_columns, N_AVX2::make_rows});
#endif
#if HWY_TARGETS & HWY_SSSE3
  if (__builtin_cpu_supports("ssse3"))
    paths.push_back({"SSSE3", N_SSSE3::move, N_SSSE3::make_columns, N_SSSE3::make_rows});
#endif
#if HWY_TARGETS & HWY_NEON
  paths.push_back({"NEON", N_NEON::move, N_NEON::make_columns, N_NEON::make_rows});
#endif
#if HWY_TARGETS & HWY_SVE
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) != 0) {
    const bool wider = N_SVE::vector_bytes() > block_bytes;
    paths.insert(wider ? paths.begin() : paths.end(),
                 {"SVE", N_SVE::move, N_NEON::make_columns, N_NEON::make_rows});
  }
#endif
}

}  // namespace qturn
#endif
