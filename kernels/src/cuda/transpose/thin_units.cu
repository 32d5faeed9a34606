// Transposing packed pictures of two, three or four rows or columns, and mirroring packed rows of a
// few pixels.
//
// The packed side of such a picture is one long line of bytes, the other side is a few long rows.
// The same exchange of bytes between the two repeats again and again. Its shortest repetition in
// whole words is a unit: four columns of pixels of odd sizes, two of 2 or 6 bytes, one of 4; twice
// as many if those have fewer than 16 bytes. The compiler knows how many rows there are and how
// long a pixel is, so a thread reads a unit into registers, selects its bytes in a constant order,
// and writes it: no division, no index. Packed rows that are mirrored are a line on both sides, and
// the pixels of a column of it, which are a row of the picture, change places.
//
// Neighbouring threads have neighbouring units. Where a thread's piece of a row has 4, 8 or 16
// bytes, the 32 of a warp read or write whole lines with one instruction. Any other piece goes
// through shared memory granule by granule, in a part that belongs to one warp, so without a
// barrier of the block. Both sides must begin at multiples of 16 bytes; rows that are read or
// written backwards must end there.
//
// In percent of a copy, 4 rows or columns of 1108992 on an H200 (2026-11-22), and in brackets what
// the kernels for any number of rows and any pixel reach: 1 byte 107 to 109 (65), 2 bytes 103 to
// 105 (89 to 93), 3 bytes 95 to 97 (57 to 63), 6 bytes 98 to 99 (78 to 88), 4 bytes 99 to 102; 2
// and 3 rows or columns 95 to 109. What lost: two or four units a thread (3 bytes 74 to 84), units
// of twice the width (3 bytes 82 to 94), pieces of 12 bytes read from global memory word by word (1
// to 2 points), and blocks of 128 threads (1 byte 91). With 512 threads 3 bytes of 4 columns reach
// 100, but 1 byte loses 2 points. Without overlapping launches 1 byte loses 10 points, the others 1
// to 7.
#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/transpose/thin_units.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

using device::Byte;
using device::Exchange;
using device::granule;
using device::ThinUnit;
using device::warp;

struct ThinUnits {
  const Byte* src;  // where the line begins, or the first of the few rows, or ends if `backwards`
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t chunks = 0;  // of a warp's units
  int units = 0;            // after them
  int columns = 0;          // after the units, fewer than a unit's
};

template <class Side>
__device__ __forceinline__ void load_unit(const Byte* from, std::int64_t pitch,
                                          std::uint32_t* words) {
#pragma unroll
  for (int row = 0; row < Side::rows; ++row) {
    device::load_piece<Side::piece_words>(from + row * pitch, words + row * Side::piece_words);
  }
}

template <class Side>
__device__ __forceinline__ void store_unit(Byte* to, std::int64_t pitch,
                                           const std::uint32_t* words) {
#pragma unroll
  for (int row = 0; row < Side::rows; ++row) {
    device::store_piece<Side::piece_words>(to + row * pitch, words + row * Side::piece_words);
  }
}

/// Calls `act(place in shared memory, place in global memory)` for the granules of a chunk that
/// this thread carries. In shared memory its rows follow one another.
template <class Side, class Act>
__device__ __forceinline__ void each_granule(int lane, std::int64_t pitch, Act act) {
  constexpr int in_row = warp * Side::piece / granule;
  constexpr int count = Side::rows * in_row;
#pragma unroll
  for (int i = 0; i < (count + warp - 1) / warp; ++i) {
    const int number = lane + i * warp;
    if (count % warp != 0 && number >= count) break;
    const int row = Side::rows == 1 ? 0 : number / in_row;
    act(number * granule, row * pitch + (number - row * in_row) * granule);
  }
}

/// Moves the units of a chunk, one per thread. The last chunk may have fewer units than threads.
template <class U, bool whole>
__device__ __forceinline__ void move_chunk(const ThinUnits& p, std::int64_t chunk, int lane,
                                           Byte* shared) {
  using From = typename U::From;
  using To = typename U::To;
  const Byte* src = p.src + From::chunk_place(chunk);
  Byte* dst = p.dst + To::chunk_place(chunk);
  std::uint32_t in[U::words];
  if constexpr (whole && From::staged) {
    each_granule<From>(lane, p.src_pitch, [&](int to, std::int64_t from) {
      device::start_copy<128>(shared + to, src + from);
    });
    device::finish_copies_of_warp();
    load_unit<From>(shared + From::place(lane), warp * From::piece, in);
  } else {
    load_unit<From>(src + From::place(lane), p.src_pitch, in);
  }
  std::uint32_t out[U::words];
#pragma unroll
  for (int i = 0; i < U::words; ++i) out[i] = device::unit_word<U>(in, i);
  if constexpr (whole && To::staged) {
    if constexpr (From::staged) __syncwarp();
    store_unit<To>(shared + To::place(lane), warp * To::piece, out);
    __syncwarp();
    each_granule<To>(lane, p.dst_pitch, [&](int from, std::int64_t to) {
      device::store_granule(dst + to, device::load_granule(shared + from));
    });
  } else {
    store_unit<To>(dst + To::place(lane), p.dst_pitch, out);
  }
}

/// Moves the columns after the last unit, `columns` of them having gone before.
template <class U>
__device__ __forceinline__ void move_last_columns(const ThinUnits& p, std::int64_t columns,
                                                  int lane) {
#pragma unroll 1
  for (int i = lane; i < p.columns * U::few; i += warp) {
    const int row = i % U::few;
    const std::int64_t column = columns + i / U::few;
    const auto in_line = [&](int at) { return (column * U::few + at) * U::pixel; };
    const auto in_rows = [&](std::int64_t pitch) {
      return (U::backwards ? -1 - column : column) * U::pixel + row * pitch;
    };
    const int of_line = U::exchange == Exchange::mirror ? U::few - 1 - row : row;
    const Byte* from =
        p.src + (U::exchange == Exchange::weave ? in_rows(p.src_pitch) : in_line(of_line));
    Byte* to = p.dst + (U::exchange == Exchange::unweave ? in_rows(p.dst_pitch) : in_line(row));
#pragma unroll 1
    for (int k = 0; k < U::pixel; ++k) to[k] = from[k];
  }
}

template <class U>
__global__ void __launch_bounds__(device::Tuning::lines.thin_unit_threads,
                                  device::resident_threads /
                                      device::Tuning::lines.thin_unit_threads)
    move_units(const ThinUnits p) {
  constexpr int threads = device::Tuning::lines.thin_unit_threads;
  constexpr bool staged = U::From::staged || U::To::staged;
  constexpr int chunk_bytes = warp * 4 * U::words;
  alignas(128) __shared__ Byte tile[staged ? threads / warp * chunk_bytes : granule];
  device::wait_for_previous_kernel();
  const int lane = static_cast<int>(threadIdx.x % warp);
  const int in_block = static_cast<int>(threadIdx.x / warp);
  const std::int64_t chunk = std::int64_t{blockIdx.x} * (threads / warp) + in_block;
  if (chunk < p.chunks) {
    return move_chunk<U, true>(p, chunk, lane, tile + (staged ? in_block * chunk_bytes : 0));
  }
  if (chunk > p.chunks) return;
  if (lane < p.units) move_chunk<U, false>(p, chunk, lane, nullptr);
  move_last_columns<U>(p, (chunk * warp + p.units) * U::columns, lane);
}

template <class U>
bool run(ThinUnits p, std::int64_t columns, cudaStream_t stream) {
  const std::int64_t units = columns / U::columns;
  p.chunks = units / warp;
  p.units = static_cast<int>(units % warp);
  p.columns = static_cast<int>(columns % U::columns);
  const int threads =
      device::tuning_of(move_units<U>, [](auto table) { return table.lines.thin_unit_threads; });
  const dim3 grid(static_cast<unsigned>((columns - 1) / (threads * U::columns) + 1));
  device::launch_overlapping(move_units<U>, grid, threads, stream, p);
  return true;
}

template <Exchange exchange, bool backwards, int few>
bool run_pixel(int pixel, const ThinUnits& p, std::int64_t columns, cudaStream_t stream) {
  switch (pixel) {
    case 1:
      return run<ThinUnit<few, 1, exchange, backwards>>(p, columns, stream);
    case 2:
      return run<ThinUnit<few, 2, exchange, backwards>>(p, columns, stream);
    case 3:
      return run<ThinUnit<few, 3, exchange, backwards>>(p, columns, stream);
    case 4:
      return run<ThinUnit<few, 4, exchange, backwards>>(p, columns, stream);
    case 6:
      return run<ThinUnit<few, 6, exchange, backwards>>(p, columns, stream);
    default:
      return false;
  }
}

bool is_aligned(const ThinUnits& p) {
  const auto places = reinterpret_cast<std::uintptr_t>(p.src) |
                      reinterpret_cast<std::uintptr_t>(p.dst) |
                      static_cast<std::uintptr_t>(p.src_pitch | p.dst_pitch);
  return places % granule == 0;
}

template <Exchange exchange, bool backwards>
bool run_few(std::int64_t few, int pixel, const ThinUnits& p, std::int64_t columns,
             cudaStream_t stream) {
  if (!is_aligned(p)) return false;
  switch (few) {
    case 2:
      return run_pixel<exchange, backwards, 2>(pixel, p, columns, stream);
    case 3:
      return run_pixel<exchange, backwards, 3>(pixel, p, columns, stream);
    case 4:
      return run_pixel<exchange, backwards, 4>(pixel, p, columns, stream);
    default:
      return false;
  }
}

// Mirrors rows of up to `most` pixels that have less than a granule, or are four pixels at most.
// Three pixels of 1, 2 or 4 bytes are a point faster by granules (rows.cu).
template <int pixel, int most>
bool run_mirror(std::int64_t columns, const ThinUnits& p, std::int64_t rows, cudaStream_t stream) {
  if constexpr (most < 2) {
    return false;
  } else {
    constexpr bool by_granules = most == 3 && (pixel <= 2 || pixel == 4);
    if constexpr ((most <= 4 || most * pixel < granule) && most * pixel != granule &&
                  !by_granules) {
      if (columns == most) {
        return run<ThinUnit<most, pixel, Exchange::mirror, false>>(p, rows, stream);
      }
    }
    return run_mirror<pixel, most - 1>(columns, p, rows, stream);
  }
}

}  // namespace

bool mirror_thin_units(const void* src, void* dst, std::int64_t columns, int pixel,
                       std::int64_t rows, cudaStream_t stream) {
  const ThinUnits p{static_cast<const Byte*>(src), static_cast<Byte*>(dst), 0, 0};
  return is_aligned(p) && with_pixel(pixel, [&](auto known) {
           constexpr int pixel_known = decltype(known)::value;
           constexpr int most = pixel_known == 0 ? 0 : 24 / pixel_known;
           return run_mirror<pixel_known, most>(columns, p, rows, stream);
         });
}

bool transpose_thin_units(const Reduced& r, cudaStream_t stream) {
  const int pixel = r.src.pixel_bytes;
  const auto* src = static_cast<const Byte*>(r.src.data);
  auto* dst = static_cast<Byte*>(r.dst.data);
  const std::int64_t src_row = r.src.row_bytes();
  const std::int64_t dst_row = r.dst.row_bytes();
  if (r.dst.pitch == dst_row &&
      run_few<Exchange::weave, false>(r.src.height, pixel, {src, dst, r.src.pitch, 0}, r.src.width,
                                      stream)) {
    return true;
  }
  if (r.dst.pitch == -dst_row &&
      run_few<Exchange::weave, true>(
          r.src.height, pixel,
          {src + src_row, dst + (r.dst.height - 1) * r.dst.pitch, r.src.pitch, 0}, r.src.width,
          stream)) {
    return true;
  }
  if (r.src.pitch == src_row) {
    return run_few<Exchange::unweave, false>(r.src.width, pixel, {src, dst, 0, r.dst.pitch},
                                             r.src.height, stream);
  }
  return r.src.pitch == -src_row &&
         run_few<Exchange::unweave, true>(
             r.src.width, pixel,
             {src + (r.src.height - 1) * r.src.pitch, dst + dst_row, 0, r.dst.pitch}, r.src.height,
             stream);
}

}  // namespace qturn
