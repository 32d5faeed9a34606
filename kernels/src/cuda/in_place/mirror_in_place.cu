// Mirroring a picture within its own memory.
//
// A block takes stretches of two rows that change places; a thread has a granule of each in its
// registers. The block reads all of them, waits for its last thread, and only then writes. No other
// block reads or writes those pixels.
#include <algorithm>
#include <numeric>
#include <type_traits>

#include "kernels/src/cuda/in_place/families.hpp"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"
#include "kernels/src/reduced.hpp"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::granule;

/// Pixel x of each line of `first` and pixel x, or the x-th from the right, of the same line of
/// `second` change places. A block has `lines_at_once` lines of `piece_bytes`.
struct Exchange {
  Byte* first;
  Byte* second;
  std::int64_t first_pitch;
  std::int64_t second_pitch;
  std::int64_t row_bytes;
  std::int64_t lines;
  device::Extent picture;
  int pixel;
  int piece_bytes;
  unsigned lines_at_once;
  Divisor granules;  // in a piece of any alignment
  Divisor pieces;    // in a line
};

template <class Policy, bool mirrored>
__global__ void __launch_bounds__(device::Tuning::lines.row_threads)
    exchange_rows(const Exchange e) {
  const unsigned group = e.pieces.quotient(blockIdx.x);
  const std::int64_t at = std::int64_t{blockIdx.x - group * e.pieces.divisor} * e.piece_bytes;
  const std::int64_t left = e.row_bytes - at;
  const int bytes = left < e.piece_bytes ? static_cast<int>(left) : e.piece_bytes;
  const unsigned line_of_block = e.granules.quotient(threadIdx.x);
  const int index = static_cast<int>(threadIdx.x - line_of_block * e.granules.divisor);
  const std::int64_t line = std::int64_t{group} * e.lines_at_once + line_of_block;
  const bool busy = line_of_block < e.lines_at_once && line < e.lines;

  Byte* first = e.first + line * e.first_pitch + at;
  Byte* second = e.second + line * e.second_pitch + (mirrored ? left - bytes : at);
  const int at_first =
      index * granule - static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % granule);
  const int at_second =
      index * granule - static_cast<int>(reinterpret_cast<std::uintptr_t>(second) % granule);
  device::Granule for_first{};
  device::Granule for_second{};
  const auto row_of = [&](const Byte* data) {
    return device::SourceRow{data, bytes, e.picture.begin, e.picture.end, e.pixel};
  };
  device::wait_for_previous_kernel();
  if (busy && at_first < bytes) {
    for_first = device::make<Policy>(row_of(second), at_first, static_cast<unsigned>(index));
  }
  if (busy && at_second < bytes) {
    for_second = device::make<Policy>(row_of(first), at_second, static_cast<unsigned>(index));
  }
  __syncthreads();
  if (busy && at_first < bytes) {
    device::store_in_row(first, for_first, at_first, bytes);
  }
  if (busy && at_second < bytes) {
    device::store_in_row(second, for_second, at_second, bytes);
  }
}

// The two parts of `view` change places, mirrored or not.
template <bool mirrored>
void exchange_parts(View view, View first, View second, cudaStream_t stream) {
  if (first.empty()) return;
  const int pixel = first.pixel_bytes;
  const Reduced both{first, second, Motion::copy};
  const int alignment = alignment_of(both);
  const bool aligned = alignment == granule && first.row_bytes() % granule == 0;
  const auto run = [&](auto policy) {
    const auto kernel = exchange_rows<decltype(policy), mirrored>;
    const int threads =
        device::tuning_of(kernel, [](auto table) { return table.lines.row_threads; });
    // As many granules as there are threads, less one for phases; and whole pixels.
    const int unit = std::lcm(pixel, granule);
    const int most = (threads - (aligned ? 0 : 1)) * granule / unit * unit;
    const auto piece_bytes = static_cast<int>(std::min<std::int64_t>(first.row_bytes(), most));
    const int granules = (piece_bytes + (aligned ? 0 : 2 * granule - 2)) / granule;
    const std::int64_t pieces = (first.row_bytes() + piece_bytes - 1) / piece_bytes;
    const int lines_at_once = threads / granules;
    const std::int64_t groups = (first.height + lines_at_once - 1) / lines_at_once;
    const Exchange e{static_cast<Byte*>(first.data),
                     static_cast<Byte*>(second.data),
                     first.pitch,
                     second.pitch,
                     first.row_bytes(),
                     first.height,
                     device::extent(static_cast<const Byte*>(view.data), view.pitch, view.height,
                                    view.row_bytes()),
                     pixel,
                     piece_bytes,
                     static_cast<unsigned>(lines_at_once),
                     Divisor(granules),
                     Divisor(pieces)};
    device::launch_overlapping(kernel, dim3(static_cast<unsigned>(pieces * groups)), threads,
                               stream, e);
  };
  if constexpr (!mirrored) {
    device::with_copy(aligned, run);
  } else {
    device::with_mirror(pixel, alignment, aligned, run);
  }
}

void flop(View view, cudaStream_t stream) {
  const std::int64_t half = view.width / 2;
  exchange_parts<true>(view, sub_view(view, 0, 0, half, view.height),
                       sub_view(view, view.width - half, 0, half, view.height), stream);
}

template <bool mirrored>
void exchange_halves(View view, cudaStream_t stream) {
  const std::int64_t half = view.height / 2;
  if (half == 0) return;
  exchange_parts<mirrored>(view, sub_view(view, 0, 0, view.width, half),
                           sub_view(upside_down(view), 0, 0, view.width, half), stream);
}

}  // namespace

void mirror_in_place(View view, Orientation orientation, cudaStream_t stream) {
  switch (orientation) {
    case Orientation::flop:
      return flop(view, stream);
    case Orientation::flip:
      return exchange_halves<false>(view, stream);
    default:
      exchange_halves<true>(view, stream);
      if (view.height % 2 == 1) flop(sub_view(view, 0, view.height / 2, view.width, 1), stream);
  }
}

}  // namespace qturn
