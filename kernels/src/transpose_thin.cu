// Transposing packed pictures of few rows or few columns.
//
// A tile of such a picture would be almost empty. But packed rows of the destination (few rows in
// the source) are one long line of bytes, and so are packed rows of the source (few columns): one
// side is a line that a block cuts anywhere, the other a few long rows. As in the other kernels
// aligned granules come into shared memory, and threads gather aligned granules of the destination,
// here for any pixel size in words that divide it.
#include <algorithm>

#include "kernels/src/families.hpp"
#include "kernels/src/phased.cuh"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::Granule;
using device::granule;
using device::Word;

constexpr int threads = 256;
constexpr int work_bytes = 8 * 1024;  // of one block, about
constexpr int tile_bytes = 9 * 1024;
constexpr std::int64_t most_lines = 32;
constexpr std::int64_t most_line_bytes = 512;

struct Thin {
  device::Transpose t;
  int pixel;
  int long_side;    // pixels of each of the few rows (or columns) that a block works on
  Divisor few;      // how many rows (or columns) those are
  Divisor words;    // in a pixel
  Divisor per_row;  // weave: granules of a row in shared memory
};

/// Calls `read(index of the pixel, word within it)` for each word of the granule at byte `at` of a
/// line of `end` bytes, as far as it lies in the line.
template <int word, class Read>
__device__ __forceinline__ Granule gather(const Thin& thin, int at, int end, Read read) {
  union {
    Granule value;
    Word<word> part[granule / word];
  } out;
  const unsigned first = static_cast<unsigned>(at < 0 ? 0 : at) / word;
  unsigned pixel = thin.words.quotient(first);
  unsigned within = first - pixel * thin.words.divisor;
#pragma unroll
  for (int i = 0; i < granule / word; ++i) {
    out.part[i] = {};
    if (at + i * word < 0 || at + i * word >= end) continue;
    out.part[i] = read(static_cast<int>(pixel), static_cast<int>(within));
    if (++within == thin.words.divisor) {
      within = 0;
      ++pixel;
    }
  }
  return out.value;
}

/// Few rows: a block takes `long_side` columns of all of them, and weaves them into one piece of
/// the line that the destination is.
template <int word>
__global__ void __launch_bounds__(threads) weave(const Thin thin) {
  alignas(128) __shared__ Byte tile[tile_bytes];
  const device::Transpose& t = thin.t;
  const std::int64_t x = std::int64_t{blockIdx.x} * thin.long_side;
  const std::int64_t left = t.width - x;
  const int columns = left < thin.long_side ? static_cast<int>(left) : thin.long_side;
  const int rows = static_cast<int>(thin.few.divisor);
  const int row_granules = static_cast<int>(thin.per_row.divisor);
  const Byte* src = t.src + x * thin.pixel;
  const int wanted = columns * thin.pixel;
  const device::PhasedTile phased{device::low_bits(src), static_cast<unsigned>(t.src_pitch)};
  for (int number = static_cast<int>(threadIdx.x); number < rows * row_granules;
       number += threads) {
    const int row = static_cast<int>(thin.per_row.quotient(number));
    const int offset = (number - row * row_granules) * granule - phased.phase(row);
    if (offset < wanted) {
      device::start_copy_inside<128>(tile + number * granule, src + row * t.src_pitch + offset,
                                     wanted - offset);
    }
  }
  device::finish_copies();

  const bool backwards = t.dst_pitch < 0;
  Byte* dst = t.dst + (backwards ? x + columns - 1 : x) * t.dst_pitch;
  const int phase = static_cast<int>(device::low_bits(dst) % granule);
  const int bytes = columns * rows * thin.pixel;
  for (int at = static_cast<int>(threadIdx.x) * granule - phase; at < bytes;
       at += threads * granule) {
    const Granule value = gather<word>(thin, at, bytes, [&](int pixel, int within) {
      const int column = static_cast<int>(thin.few.quotient(pixel));
      const int row = pixel - column * rows;
      const int from = (backwards ? columns - 1 - column : column) * thin.pixel + within * word;
      return device::load<word>(tile + row * row_granules * granule + phased.phase(row) + from);
    });
    device::store_inside<(word < 4 ? word : 4)>(dst, value, at, bytes);
  }
}

/// Few columns: a block takes `long_side` rows, which are one piece of the line that the source is,
/// and parts them.
template <int word>
__global__ void __launch_bounds__(threads) unweave(const Thin thin) {
  alignas(128) __shared__ Byte tile[tile_bytes];
  const device::Transpose& t = thin.t;
  const std::int64_t y = std::int64_t{blockIdx.x} * thin.long_side;
  const std::int64_t left = t.height - y;
  const int rows = left < thin.long_side ? static_cast<int>(left) : thin.long_side;
  const int columns = static_cast<int>(thin.few.divisor);
  const bool backwards = t.src_pitch < 0;
  const Byte* src = t.src + (backwards ? y + rows - 1 : y) * t.src_pitch;
  const int phase = static_cast<int>(device::low_bits(src) % granule);
  const int row_bytes = columns * thin.pixel;
  const int bytes = rows * row_bytes;
  for (int number = static_cast<int>(threadIdx.x); number * granule - phase < bytes;
       number += threads) {
    const int offset = number * granule - phase;
    device::start_copy_inside<128>(tile + device::swizzled(number, number / 8) * granule,
                                   src + offset, bytes - offset);
  }
  device::finish_copies();

  const int end = rows * thin.pixel;
  for (int number = static_cast<int>(threadIdx.x);; number += threads) {
    const int index = static_cast<int>(thin.few.quotient(number));
    const int column = number - index * columns;
    Byte* dst = t.dst + column * t.dst_pitch + y * thin.pixel;
    const int at = index * granule - static_cast<int>(device::low_bits(dst) % granule);
    if (index * granule - granule >= end) break;
    const Granule value = gather<word>(thin, at, end, [&](int row, int within) {
      const int from = phase + (backwards ? rows - 1 - row : row) * row_bytes +
                       column * thin.pixel + within * word;
      const int number_of = from / granule;
      return device::load<word>(tile + device::swizzled(number_of, number_of / 8) * granule +
                                from % granule);
    });
    if (at < end) device::store_inside<(word < 4 ? word : 4)>(dst, value, at, end);
  }
}

template <int word>
void run_thin(const Reduced& r, bool few_rows, cudaStream_t stream) {
  const int pixel = r.src.pixel_bytes;
  const std::int64_t few = few_rows ? r.src.height : r.src.width;
  const std::int64_t many = few_rows ? r.src.width : r.src.height;
  const int line = static_cast<int>(few) * pixel;
  const int long_side = std::max(work_bytes / line / granule * granule, granule);
  const int row_granules = long_side * pixel / granule + 1;
  const Thin thin{device::Transpose(r),
                  pixel,
                  long_side,
                  Divisor(static_cast<std::uint32_t>(few)),
                  Divisor(static_cast<std::uint32_t>(pixel / word)),
                  Divisor(static_cast<std::uint32_t>(row_granules))};
  const dim3 grid(static_cast<unsigned>(device::divide_up(many, long_side)));
  device::launch(few_rows ? weave<word> : unweave<word>, grid, threads, 0, stream, thin);
}

}  // namespace

bool transpose_thin(const Reduced& r, int alignment, cudaStream_t stream) {
  const auto thin = [&](std::int64_t lines) {
    return lines <= most_lines && lines * r.src.pixel_bytes <= most_line_bytes;
  };
  const auto packed = [](ConstView view) {
    return view.pitch == view.row_bytes() || view.pitch == -view.row_bytes();
  };
  const bool few_rows = thin(r.src.height) && packed(r.dst);
  if (!few_rows && !(thin(r.src.width) && packed(r.src))) return false;
  switch (std::min(alignment, device::word_bytes(r.src.pixel_bytes))) {
    case 1:
      run_thin<1>(r, few_rows, stream);
      break;
    case 2:
      run_thin<2>(r, few_rows, stream);
      break;
    case 4:
      run_thin<4>(r, few_rows, stream);
      break;
    case 8:
      run_thin<8>(r, few_rows, stream);
      break;
    default:
      run_thin<16>(r, few_rows, stream);
      break;
  }
  return true;
}

}  // namespace qturn
