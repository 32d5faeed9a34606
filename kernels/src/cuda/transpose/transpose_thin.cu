// Transposing packed pictures of few rows or few columns.
//
// A tile of such a picture would be almost empty. But packed rows of the destination (few rows in
// the source) are one long line of bytes, and so are packed rows of the source (few columns): one
// side is a line that a block cuts anywhere, the other a few long rows. As in the other kernels
// aligned granules come into shared memory, and threads gather aligned granules of the destination,
// here for any pixel size in words that divide it.
//
// The file thin_units.cu has two to four rows or columns of common pixels, where they are aligned.
#include <algorithm>

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/transpose/phased.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::Granule;
using device::granule;
using device::Word;

constexpr std::int64_t most_lines = 32;
constexpr std::int64_t most_line_bytes = 512;

struct Thin {
  device::Transpose t;
  int pixel;
  int long_side;    // pixels of each of the few rows (or columns) that a block works on
  Divisor few;      // the number of the few rows (or columns)
  Divisor words;    // in a pixel
  Divisor per_row;  // weave: granules of a row in shared memory
};

/// The granule at byte `at` of a line of `end` bytes that the destination is, as far as it lies in
/// the line. `place` is where its first word lies in shared memory, `left` how many words of the
/// pixel are left there (where it has more than one); `next(place)` moves from the end of a pixel
/// to the pixel that comes next.
template <int word, bool one_word, class Next, class Read>
__device__ __forceinline__ Granule gather_line(const Thin& thin, int at, int end, int place,
                                               unsigned left, Next next, Read read) {
  union {
    Granule value;
    Word<word> part[granule / word];
  } out;
  const auto fill = [&](auto inside) {
#pragma unroll
    for (int i = 0; i < granule / word; ++i) {
      out.part[i] = {};
      if (!inside(at + i * word)) continue;
      out.part[i] = read(place);
      place += word;
      if (one_word || --left == 0) {
        left = thin.words.divisor;
        next(place);
      }
    }
  };
  if (at >= 0 && at + granule <= end) {
    fill([](int) { return true; });
  } else {
    fill([end](int byte) { return byte >= 0 && byte < end; });
  }
  return out.value;
}

/// Few rows: a block takes `long_side` columns of all of them, and weaves them into one piece of
/// the line that the destination is.
template <int word, bool one_word>
__global__ void __launch_bounds__(device::Tuning::lines.thin_threads) weave(const Thin thin) {
  constexpr int threads = device::Tuning::lines.thin_threads;
  alignas(128) __shared__ Byte tile[device::Tuning::lines.thin_tile_bytes];
  device::wait_for_previous_kernel();
  const device::Transpose& t = thin.t;
  const std::int64_t x = std::int64_t{blockIdx.x} * thin.long_side;
  const std::int64_t x_left = t.width - x;
  const int columns = x_left < thin.long_side ? static_cast<int>(x_left) : thin.long_side;
  const int rows = static_cast<int>(thin.few.divisor);
  const int row_granules = static_cast<int>(thin.per_row.divisor);
  const Byte* src = t.src + x * thin.pixel;
  const device::PhasedTile phased(src, t.src_pitch, row_granules * granule);
  for (int number = static_cast<int>(threadIdx.x); number < rows * row_granules;
       number += threads) {
    const int row = static_cast<int>(thin.per_row.quotient(number));
    const int first = phased.place(row, 0);
    const int column = (number - row * row_granules) * granule - first % granule;
    if (column < columns * thin.pixel) {
      device::start_copy_between<128>(tile + first + column, src + row * t.src_pitch + column,
                                      t.begin, t.end);
    }
  }
  device::finish_copies();

  const bool backwards = t.dst_pitch < 0;
  Byte* dst = t.dst + (backwards ? x + columns - 1 : x) * t.dst_pitch;
  const int phase = static_cast<int>(device::low_bits(dst) % granule);
  const int bytes = columns * rows * thin.pixel;
  const int to_next_row = phased.pitch - thin.pixel;
  const int to_next_column = (backwards ? -thin.pixel : thin.pixel) - rows * phased.pitch;
  for (int at = static_cast<int>(threadIdx.x) * granule - phase; at < bytes;
       at += threads * granule) {
    const unsigned first = static_cast<unsigned>(at < 0 ? 0 : at) / word;
    const unsigned pixel = thin.words.quotient(first);
    const unsigned within = first - pixel * thin.words.divisor;
    const int column = static_cast<int>(thin.few.quotient(pixel));
    int row = static_cast<int>(pixel) - column * rows;
    const int place = phased.place(row, (backwards ? columns - 1 - column : column) * thin.pixel) +
                      static_cast<int>(within) * word;
    const auto next = [&](int& to) {
      to += to_next_row;
      if (++row == rows) {
        row = 0;
        to += to_next_column;
      }
    };
    const Granule value =
        gather_line<word, one_word>(thin, at, bytes, place, thin.words.divisor - within, next,
                                    [&](int from) { return device::load<word>(tile + from); });
    device::store_in_row(dst, value, at, bytes);
  }
}

/// Few columns: a block takes `long_side` rows, which are one piece of the line that the source is,
/// and parts them.
template <int word, bool one_word>
__global__ void __launch_bounds__(device::Tuning::lines.thin_threads) unweave(const Thin thin) {
  constexpr int threads = device::Tuning::lines.thin_threads;
  alignas(128) __shared__ Byte tile[device::Tuning::lines.thin_tile_bytes];
  device::wait_for_previous_kernel();
  const device::Transpose& t = thin.t;
  const std::int64_t y = std::int64_t{blockIdx.x} * thin.long_side;
  const std::int64_t y_left = t.height - y;
  const int rows = y_left < thin.long_side ? static_cast<int>(y_left) : thin.long_side;
  const int columns = static_cast<int>(thin.few.divisor);
  const bool backwards = t.src_pitch < 0;
  const Byte* src = t.src + (backwards ? y + rows - 1 : y) * t.src_pitch;
  const int phase = static_cast<int>(device::low_bits(src) % granule);
  const int row_bytes = columns * thin.pixel;
  for (int place = static_cast<int>(threadIdx.x) * granule; place - phase < rows * row_bytes;
       place += threads * granule) {
    device::start_copy_between<128>(tile + device::reordered<128>(place), src + place - phase,
                                    t.begin, t.end);
  }
  device::finish_copies();

  const int end = rows * thin.pixel;
  const int to_next_row = (backwards ? -row_bytes : row_bytes) - thin.pixel;
  for (int number = static_cast<int>(threadIdx.x);; number += threads) {
    const int index = static_cast<int>(thin.few.quotient(number));
    const int column = number - index * columns;
    Byte* dst = t.dst + column * t.dst_pitch + y * thin.pixel;
    const int at = index * granule - static_cast<int>(device::low_bits(dst) % granule);
    if (index * granule - granule >= end) break;
    if (at >= end) continue;
    const unsigned first = static_cast<unsigned>(at < 0 ? 0 : at) / word;
    const auto row = static_cast<int>(thin.words.quotient(first));
    const unsigned within = first - static_cast<unsigned>(row) * thin.words.divisor;
    const int place = phase + (backwards ? rows - 1 - row : row) * row_bytes + column * thin.pixel +
                      static_cast<int>(within) * word;
    const Granule value = gather_line<word, one_word>(
        thin, at, end, place, thin.words.divisor - within, [&](int& to) { to += to_next_row; },
        [&](int from) { return device::load<word>(tile + device::reordered<128>(from)); });
    device::store_in_row(dst, value, at, end);
  }
}

template <int word>
void run_thin(const Reduced& r, bool few_rows, cudaStream_t stream) {
  const int pixel = r.src.pixel_bytes;
  const std::int64_t few = few_rows ? r.src.height : r.src.width;
  const std::int64_t many = few_rows ? r.src.width : r.src.height;
  const auto kernel = few_rows ? (pixel == word ? weave<word, true> : weave<word, false>)
                               : (pixel == word ? unweave<word, true> : unweave<word, false>);
  const LineTuning tuning = device::tuning_of(kernel, [](auto table) { return table.lines; });
  const int line = static_cast<int>(few) * pixel;
  const int long_side = std::max(tuning.thin_work_bytes / line / granule * granule, granule);
  const int row_granules = long_side * pixel / granule + 1;
  const Thin thin{device::Transpose(r), pixel, long_side, Divisor(few), Divisor(pixel / word),
                  Divisor(row_granules)};
  const dim3 grid(static_cast<unsigned>(device::divide_up(many, long_side)));
  if (word == 1) {
    // This kernel is limited by instructions and loses if launches overlap: 55 % of a copy instead
    // of 66 with 4 rows of 1-byte pixels (H200, 2026-11-21, before aligned ones went to
    // thin_units.cu).
    device::launch(kernel, grid, tuning.thin_threads, 0, stream, false, thin);
  } else {
    device::launch_overlapping(kernel, grid, tuning.thin_threads, stream, thin);
  }
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
  with_word(std::min(alignment, device::word_bytes(r.src.pixel_bytes)),
            [&](auto word) { run_thin<word.value>(r, few_rows, stream); });
  return true;
}

}  // namespace qturn
