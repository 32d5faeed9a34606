// Copying and mirroring rows, at any address.
//
// Each thread makes one aligned granule (16 bytes) of a row of the destination, as row_granules.cuh
// says. Granules of all rows are numbered in one line, so that short rows do not leave threads
// without work. Rows of batches (batch_kernels.cuh) and rows that change places
// (mirror_in_place.cu) consist of the same granules.
#include <algorithm>

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::Granule;
using device::granule;

struct Rows {
  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t row_bytes;
  device::Extent picture;  // the source
  int pixel;
  unsigned count;           // granules in all rows
  Divisor granules_in_row;  // with one that begins before a row, and one that ends after it
};

template <class Policy>
__global__ void __launch_bounds__(device::Tuning::lines.row_threads) move_granules(const Rows r) {
  constexpr int threads = device::Tuning::lines.row_threads;
  device::wait_for_previous_kernel();
  const unsigned number = blockIdx.x * threads + threadIdx.x;
  if (number >= r.count) return;
  const unsigned y = r.granules_in_row.quotient(number);
  const unsigned index = number - y * r.granules_in_row.divisor;
  Byte* out = r.dst + y * r.dst_pitch;
  const auto before = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % granule);
  const std::int64_t at = std::int64_t{index} * granule - before;
  if (at >= r.row_bytes) return;
  const device::SourceRow row{r.src + y * r.src_pitch, r.row_bytes, r.picture.begin, r.picture.end,
                              r.pixel};
  device::store_in_row(out, device::make<Policy>(row, at, index), at, r.row_bytes);
}

// Launches for parts of the picture in which granules can be numbered with 31 bits.
template <class Policy>
void run(const Reduced& r, bool aligned, cudaStream_t stream) {
  const int threads =
      device::tuning_of(move_granules<Policy>, [](auto table) { return table.lines.row_threads; });
  const std::int64_t max_count = (std::int64_t{1} << 31) - threads;
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
      const Rows part{first,
                      static_cast<Byte*>(dst.data),
                      src.pitch,
                      dst.pitch,
                      row_bytes,
                      device::extent(first, src.pitch, rows, row_bytes),
                      pixel,
                      count,
                      Divisor(granules)};
      device::launch_overlapping(move_granules<Policy>, dim3((count + threads - 1) / threads),
                                 threads, stream, part);
    }
  }
}

// Rows up to this length are short.
constexpr std::int64_t most_short_bytes = 63;

// A packed picture is one long row if the motion permits that: copied as it is, or with its rows or
// its rows and columns in opposite order.
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

// Mirrors packed short rows, such as the channels of a pixel: to the threads, they are one long
// row. Returns false if there is no such kernel.
bool mirror_each_row(Reduced r, cudaStream_t stream) {
  if (r.dst.pitch < 0) {
    r.src = upside_down(r.src);
    r.dst = upside_down(r.dst);
  }
  const std::int64_t columns = r.dst.width, rows = r.dst.height, row_bytes = r.dst.row_bytes();
  if (r.motion != Motion::mirror || rows == 1 || row_bytes > most_short_bytes ||
      r.dst.pitch != row_bytes || r.src.pitch != row_bytes) {
    return false;
  }
  const int pixel = r.src.pixel_bytes;
  if (mirror_thin_units(r.src.data, r.dst.data, columns, pixel, rows, stream)) return true;
  r.motion = Motion::copy;
  r.src.pixel_bytes = r.dst.pixel_bytes = static_cast<int>(row_bytes);
  r.src.width = r.dst.width = rows;
  r.src.height = r.dst.height = 1;
  if (row_bytes > granule || alignment_of(r.dst) % (columns == 3 ? pixel : row_bytes) != 0) {
    return false;
  }
  const bool aligned = alignment_of(r) == granule && r.src.row_bytes() % granule == 0;
  return device::with_mirror_of_each(pixel, static_cast<int>(columns), aligned, [&](auto policy) {
    run<decltype(policy)>(r, aligned, stream);
  });
}

}  // namespace

void move_rows(const Reduced& reduced, cudaStream_t stream) {
  if (mirror_each_row(reduced, stream)) return;
  const Reduced r = as_one_row(reduced);
  const int alignment = alignment_of(r);
  const bool aligned = alignment == granule;
  const auto run_policy = [&](auto policy) { run<decltype(policy)>(r, aligned, stream); };
  if (r.motion == Motion::copy) {
    device::with_copy(aligned, run_policy);
  } else {
    device::with_mirror(r.src.pixel_bytes, alignment, aligned && r.src.row_bytes() % granule == 0,
                        run_policy);
  }
}

}  // namespace qturn
