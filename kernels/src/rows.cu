// Copying and mirroring rows, at any address.
//
// Each thread makes one aligned granule (16 bytes) of a row of the destination. The bytes for it
// lie together in the source, mirrored or not, so they are a window of 16 to 24 bytes at some
// address; two or three aligned reads of 16 bytes, of which the neighbouring threads share the
// cache lines, a shift, and an exchange of pixels within registers make the granule. Granules of
// all rows are numbered in one line, so that short rows do not leave threads without work.
#include <algorithm>

#include "kernels/src/device.cuh"
#include "kernels/src/families.hpp"
#include "kernels/src/launch.cuh"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::Granule;
using device::granule;
using device::load;
using device::load_granule;
using device::pick;
using device::take_window;
using device::Word;

constexpr int threads = 256;

struct Rows {
  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t row_bytes;
  const Byte* begin;  // the source's first byte in memory; none before it are read,
  const Byte* end;    // and none from here on
  int pixel;
  unsigned count;   // granules in all rows
  Divisor columns;  // pixels in a row of the picture, where that is short and `row_bytes` are all
  Divisor granules_in_row;  // counting one that begins before a row, one that ends behind it
};

/// The `count` words that begin at `from`, which need not be aligned; bytes outside the source are
/// whatever they are.
template <int count>
__device__ __forceinline__ void load_window(const Rows& r, const Byte* from,
                                            std::uint32_t (&words)[count]) {
  constexpr int granules = (4 * count + 15 + 15) / granule;
  const auto phase = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % granule);
  const Byte* aligned = from - phase;
  if (aligned >= r.begin && aligned + granules * granule <= r.end) {
    std::uint32_t in[4 * granules];
#pragma unroll
    for (int i = 0; i < granules; ++i) {
      // Whether the last one holds any of the words depends on the row alone.
      if (i + 1 == granules && phase + 4 * count <= i * granule) break;
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
        if (at >= r.begin && at < r.end) words[i] |= std::uint32_t{*at} << (8 * k);
      }
    }
  }
}

/// Policies: how the granule at byte `at` of a row (which may begin up to 15 bytes before the row)
/// is made from the row of the source. `index` is its number in the row.
struct Copy {
  static constexpr int piece = 1;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    Granule value;
    load_window(r, row + at, value.word);
    return value;
  }
};

/// The same, where everything is aligned to a granule.
struct CopyAligned {
  static constexpr int piece = 1;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    if (at + granule <= r.row_bytes) return load_granule(row + at);
    Granule value;
    load_window(r, row + at, value.word);
    return value;
  }
};

/// The pixels of four words in opposite order.
template <int pixel>
__device__ __forceinline__ Granule reversed(const std::uint32_t (&in)[4]) {
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
struct Mirror {
  static constexpr int piece = pixel < 4 ? pixel : 4;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    std::uint32_t in[4];
    load_window(r, row + (r.row_bytes - granule - at), in);
    return reversed<pixel>(in);
  }
};

/// The same, where everything, row lengths included, is aligned to a granule.
template <int pixel>
struct MirrorAligned {
  static constexpr int piece = 4;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    return reversed<pixel>(load_granule(row + (r.row_bytes - granule - at)).word);
  }
};

/// The 24 bytes around the 16 that lie where a granule's do in the mirrored row: a granule of 3- or
/// 6-byte pixels shows bytes of no others, but for the pixels that stick out of it at its ends.
template <bool aligned>
__device__ __forceinline__ void load_around(const Rows& r, const Byte* row, std::int64_t at,
                                            std::uint32_t (&words)[6]) {
  const Byte* from = row + (r.row_bytes - granule - at);
  if constexpr (aligned) {
    const Granule middle = load_granule(from);
    words[0] = from > r.begin ? load<4>(from - 4) : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) words[1 + i] = middle.word[i];
    words[5] = from + granule < r.end ? load<4>(from + granule) : 0;
  } else {
    load_window(r, from - 4, words);
  }
}

/// 3-byte pixels. A granule begins 0, 1 or 2 bytes into a pixel and shows bytes of six. In the
/// source they lie within 20 bytes, and word m of the granule takes its bytes from words 3 - m and
/// 4 - m of those, in one of three patterns. `aligned`: everything is, row lengths included.
template <bool aligned>
struct MirrorTriples {
  static constexpr int piece = 1;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned index) {
    std::uint32_t around[6];
    load_around<aligned>(r, row, at, around);
    std::uint32_t in[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) in[i] = __funnelshift_r(around[i], around[i + 1], 16);
    // at % 3, of 15 more: 16 is 1 modulo 3.
    const unsigned before = 16 * index - static_cast<unsigned>(at);
    const unsigned phase = (index % 3 + 15 - before) % 3;
    const std::uint32_t first = phase == 0 ? 0x0543 : phase == 1 ? 0x2165 : 0x4327;
    const std::uint32_t second = phase == 0 ? 0x2165 : phase == 1 ? 0x4327 : 0x0543;
    const std::uint32_t third = phase == 0 ? 0x4327 : phase == 1 ? 0x0543 : 0x2165;
    return {{pick(in[3], in[4], first), pick(in[2], in[3], second), pick(in[1], in[2], third),
             pick(in[0], in[1], first)}};
  }
};

/// 6-byte pixels, aligned to 2. A granule begins 0, 2 or 4 bytes into a pixel; its words are pairs
/// of the twelve halves of the words around, in one of three patterns.
template <bool aligned>
struct MirrorSixes {
  static constexpr int piece = 2;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned index) {
    std::uint32_t in[6];
    load_around<aligned>(r, row, at, in);
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

/// Any other pixel, in words that divide it. `pixel` is 0 where its size is known only at run time.
template <int pixel, int word>
struct MirrorWords {
  static constexpr int piece = word < 4 ? word : 4;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    const int bytes = pixel != 0 ? pixel : r.pixel;
    union {
      Granule value;
      Word<word> part[granule / word];
    } out;
    // `at` counts from within 15 bytes before the row; so does the offset, shifted by a pixel
    // count.
    std::int64_t offset = at;
    int inside = static_cast<int>((offset + std::int64_t{bytes} * granule) % bytes);
    std::int64_t begin = offset - inside;  // of the pixel that this word belongs to
#pragma unroll
    for (int i = 0; i < granule / word; ++i) {
      out.part[i] = {};
      if (begin >= 0 && begin < r.row_bytes) {
        out.part[i] = load<word>(row + (r.row_bytes - bytes - begin) + inside);
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

/// Mirrors short rows which lie packed, one behind the other, as one long row, where
/// mirror_thin_units() does not.
template <int word>
struct MirrorShort {
  static constexpr int piece = word < 4 ? word : 4;
  __device__ static Granule make(const Rows& r, const Byte* row, std::int64_t at, unsigned) {
    union {
      Granule value;
      Word<word> part[granule / word];
    } out;
    const auto end = static_cast<int>(r.row_bytes);
    const auto begin = static_cast<int>(at);
    const auto columns = static_cast<int>(r.columns.divisor);
    const int first = begin < 0 ? 0 : begin;
    const int pixel = first / r.pixel;
    int within = first - pixel * r.pixel;
    int x = pixel - static_cast<int>(r.columns.quotient(pixel)) * columns;
    // From a pixel to the one that takes its place is as far as the middle of the row says.
    int from = (pixel + columns - 1 - 2 * x) * r.pixel;
    const auto fill = [&](auto inside) {
#pragma unroll
      for (int i = 0; i < granule / word; ++i) {
        out.part[i] = {};
        if (!inside(begin + i * word)) continue;
        out.part[i] = load<word>(row + from + within);
        within += word;
        if (within < r.pixel) continue;
        within = 0;
        from -= r.pixel;
        if (++x == columns) {
          x = 0;
          from += 2 * columns * r.pixel;
        }
      }
    };
    if (begin >= 0 && begin + granule <= end) {
      fill([](int) { return true; });
    } else {
      fill([end](int byte) { return byte >= 0 && byte < end; });
    }
    return out.value;
  }
};

template <class Policy>
__global__ void __launch_bounds__(threads) move_granules(const Rows r) {
  device::wait_for_previous_kernel();
  const unsigned number = blockIdx.x * threads + threadIdx.x;
  if (number >= r.count) return;
  const unsigned y = r.granules_in_row.quotient(number);
  const unsigned index = number - y * r.granules_in_row.divisor;
  Byte* out = r.dst + y * r.dst_pitch;
  const auto before = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % granule);
  const std::int64_t at = std::int64_t{index} * granule - before;
  if (at >= r.row_bytes) return;
  const Granule value = Policy::make(r, r.src + y * r.src_pitch, at, index);
  if (at >= 0 && at + granule <= r.row_bytes) {
    device::store_granule(out + at, value);
  } else {
    const std::int64_t left = r.row_bytes - at;
    device::store_part<Policy::piece>(out + at, value, at < 0 ? static_cast<int>(-at) : 0,
                                      left < granule ? static_cast<int>(left) : granule);
  }
}

// Rows up to this length are short.
constexpr std::int64_t most_short_bytes = 63;

constexpr std::int64_t max_count = (std::int64_t{1} << 31) - threads;

/// Launches for parts of the picture in which granules can be numbered with 31 bits.
template <class Policy>
void run(const Reduced& r, bool aligned, cudaStream_t stream, std::uint32_t short_columns = 1) {
  const int pixel = r.src.pixel_bytes;
  const std::int64_t most_columns = (std::int64_t{1} << 33) / pixel / granule * granule;
  for (std::int64_t x = 0; x < r.dst.width; x += most_columns) {
    const std::int64_t columns = std::min(most_columns, r.dst.width - x);
    const std::int64_t src_x = r.motion == Motion::mirror ? r.src.width - columns - x : x;
    const std::int64_t row_bytes = columns * pixel;
    const std::int64_t granules = (row_bytes + (aligned ? 15 : 30)) / granule;
    const std::int64_t most_rows = max_count / granules;
    for (std::int64_t y = 0; y < r.dst.height; y += most_rows) {
      const std::int64_t rows = std::min(most_rows, r.dst.height - y);
      const ConstView src = sub_view(r.src, src_x, y, columns, rows);
      const View dst = sub_view(r.dst, x, y, columns, rows);
      const auto count = static_cast<unsigned>(rows * granules);
      const auto* first = static_cast<const Byte*>(src.data);
      const std::int64_t to_last = (rows - 1) * src.pitch;
      const Rows part{first,
                      static_cast<Byte*>(dst.data),
                      src.pitch,
                      dst.pitch,
                      row_bytes,
                      first + std::min<std::int64_t>(to_last, 0),
                      first + std::max<std::int64_t>(to_last, 0) + row_bytes,
                      pixel,
                      count,
                      Divisor(short_columns),
                      Divisor(static_cast<std::uint32_t>(granules))};
      device::launch_overlapping(move_granules<Policy>, dim3((count + threads - 1) / threads),
                                 threads, stream, part);
    }
  }
}

template <class Aligned, class Any>
void mirror(const Reduced& r, bool aligned, cudaStream_t stream) {
  if (aligned && r.src.row_bytes() % granule == 0) {
    run<Aligned>(r, aligned, stream);
  } else {
    run<Any>(r, aligned, stream);
  }
}

// A packed picture is one long row, where the motion allows it: copied as it is, or with its rows
// or its rows and columns in opposite order.
Reduced as_one_row(Reduced r) {
  if (r.dst.pitch < 0) {
    r.src = upside_down(r.src);
    r.dst = upside_down(r.dst);
  }
  const std::int64_t row_bytes = r.dst.row_bytes();
  const bool forwards = r.src.pitch == row_bytes;
  const bool backwards = r.src.pitch == -row_bytes;
  if (r.dst.height == 1 || r.dst.pitch != row_bytes) return r;
  const bool rows_are_pixels =
      r.motion == Motion::copy && backwards && row_bytes <= most_short_bytes;
  if (!rows_are_pixels && !(r.motion == Motion::copy && forwards) &&
      !(r.motion == Motion::mirror && backwards)) {
    return r;
  }
  if (backwards) r.src = upside_down(r.src);
  if (rows_are_pixels) {
    r.motion = Motion::mirror;
    r.src.pixel_bytes = r.dst.pixel_bytes = static_cast<int>(row_bytes);
    r.src.width = r.dst.width = r.dst.height;
  } else {
    r.src.width = r.dst.width = r.dst.width * r.dst.height;
  }
  r.src.height = r.dst.height = 1;
  r.src.pitch = r.dst.pitch = r.dst.row_bytes();
  return r;
}

// Mirrors packed rows that are shorter than a few granules; returns false if that is not what they
// are.
bool mirror_short(const Reduced& r, cudaStream_t stream) {
  const std::int64_t row_bytes = r.dst.row_bytes();
  const std::int64_t bytes = row_bytes * r.dst.height;
  if (row_bytes > most_short_bytes || r.dst.height == 1 || r.dst.pitch != row_bytes ||
      r.src.pitch != row_bytes || bytes >= max_count) {
    return false;
  }
  Reduced line = r;
  line.motion = Motion::copy;
  line = as_one_row(line);
  const int word = std::min(alignment_of(line), device::word_bytes(r.src.pixel_bytes));
  const auto columns = static_cast<std::uint32_t>(r.src.width);
  switch (word) {
    case 1:
      run<MirrorShort<1>>(line, false, stream, columns);
      return true;
    case 2:
      run<MirrorShort<2>>(line, false, stream, columns);
      return true;
    case 4:
      run<MirrorShort<4>>(line, false, stream, columns);
      return true;
    default:
      return false;
  }
}

}  // namespace

void move_rows(const Reduced& reduced, cudaStream_t stream) {
  const Reduced r = as_one_row(reduced);
  const int alignment = alignment_of(r);
  const bool aligned = alignment == granule;
  const int pixel = r.src.pixel_bytes;
  if (r.motion == Motion::copy) {
    return aligned ? run<CopyAligned>(r, aligned, stream) : run<Copy>(r, aligned, stream);
  }
  if (mirror_thin_units(r, stream) || (!aligned && mirror_short(r, stream))) return;
  const int word = std::min(alignment, device::word_bytes(pixel));
  if (pixel == word) {
    switch (pixel) {
      case 1:
        return mirror<MirrorAligned<1>, Mirror<1>>(r, aligned, stream);
      case 2:
        return mirror<MirrorAligned<2>, Mirror<2>>(r, aligned, stream);
      case 4:
        return mirror<MirrorAligned<4>, Mirror<4>>(r, aligned, stream);
      case 8:
        return mirror<MirrorAligned<8>, Mirror<8>>(r, aligned, stream);
      default:
        return run<MirrorWords<16, 16>>(r, aligned, stream);
    }
  }
  if (pixel == 3) return mirror<MirrorTriples<true>, MirrorTriples<false>>(r, aligned, stream);
  if (pixel == 6 && word >= 2)
    return mirror<MirrorSixes<true>, MirrorSixes<false>>(r, aligned, stream);
  if (pixel == 12 && word == 4) return run<MirrorWords<12, 4>>(r, aligned, stream);
  if (pixel == 24 && word == 8) return run<MirrorWords<24, 8>>(r, aligned, stream);
  if (pixel == 32 && word == 16) return run<MirrorWords<32, 16>>(r, aligned, stream);
  switch (word) {
    case 1:
      return run<MirrorWords<0, 1>>(r, aligned, stream);
    case 2:
      return run<MirrorWords<0, 2>>(r, aligned, stream);
    case 4:
      return run<MirrorWords<0, 4>>(r, aligned, stream);
    case 8:
      return run<MirrorWords<0, 8>>(r, aligned, stream);
    default:
      return run<MirrorWords<0, 16>>(r, aligned, stream);
  }
}

}  // namespace qturn
