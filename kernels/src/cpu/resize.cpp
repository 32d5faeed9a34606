// Two passes over the bytes of a picture, then to_planar().
#include <qturn/planar.hpp>
#include <qturn/resize.hpp>

#include <algorithm>
#include <vector>

#include "kernels/src/cpu/paths.hpp"
#include "kernels/src/cpu/resize_passes.hpp"
#include "kernels/src/cpu/rows.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

template <int channels>
void make_columns(ConstView src, int first, const WeighedAxis& axis, View dst) {
  for (std::int64_t y = 0; y < dst.height; ++y) {
    const std::uint8_t* row = row_of(src, y);
    std::uint8_t* to = row_of(dst, y);
    for (std::int64_t x = 0; x < dst.width; ++x, to += channels) {
      const Taps taps = axis.taps[at(x)];
      const int* weights = axis.weights_of(x);
      const std::uint8_t* from = row + std::int64_t{taps.first - first} * channels;
      int sums[channels];
      for (int& sum : sums) sum = one_half;
      for (int k = 0; k < taps.count; ++k)
        for (int channel = 0; channel < channels; ++channel) sums[channel] += *from++ * weights[k];
      for (int channel = 0; channel < channels; ++channel)
        to[channel] = static_cast<std::uint8_t>(limited(sums[channel]));
    }
  }
}

View packed(Bytes& memory, std::int64_t width, std::int64_t height, int pixel_bytes) {
  memory.resize(at(width * height * pixel_bytes));
  return {memory.data(), width, height, width * pixel_bytes, pixel_bytes};
}

View resized(const ResizedImage& image, ResizeRule rule, const CpuPath& path, Bytes& between,
             Bytes& result) {
  const ConstView& src = image.src;
  const ResizedAxes axes(image, rule);
  const WeighedAxis x(axes.x);
  const WeighedAxis y(axes.y);
  const View dst = packed(result, axes.x.results, axes.y.results, src.pixel_bytes);
  const Taps used = axes.used_between();
  if (axes.rows_first) {
    const View rows = packed(between, used.count, axes.y.results, src.pixel_bytes);
    path.make_rows(sub_view(src, used.first, 0, used.count, src.height), 0, y, rows);
    path.make_columns(rows, used.first, x, dst);
  } else {
    const View columns = packed(between, axes.x.results, used.count, src.pixel_bytes);
    path.make_columns(sub_view(src, 0, used.first, src.width, used.count), 0, x, columns);
    path.make_rows(columns, used.first, y, dst);
  }
  return dst;
}

}  // namespace

WeighedAxis::WeighedAxis(const ResizedAxis& axis)
    : taps(at(axis.results)),
      weights(at(axis.results) * at(axis.most_taps())),
      most(at(axis.most_taps())) {
  if (axis.filter == ResizeFilter::nearest) {
    axis.find_nearest([&](int i, Taps found) {
      taps[at(i)] = found;
      weights[at(i)] = 2 * one_half;
    });
    return;
  }
  for (int i = 0; i < axis.results; ++i) {
    int* to = weights.data() + at(i) * most;
    taps[at(i)] = axis.weigh(i, [&](int k, int weight) { to[k] = weight; });
  }
}

void make_columns_plain(ConstView src, int first, const WeighedAxis& axis, View dst) {
  if (src.pixel_bytes == 1) return make_columns<1>(src, first, axis, dst);
  if (src.pixel_bytes == 2) return make_columns<2>(src, first, axis, dst);
  make_columns<3>(src, first, axis, dst);
}

void make_rows_plain(ConstView src, int first, const WeighedAxis& axis, View dst) {
  std::vector<int> sums(at(dst.row_bytes()));
  for (std::int64_t y = 0; y < dst.height; ++y) {
    const Taps taps = axis.taps[at(y)];
    const int* weights = axis.weights_of(y);
    std::fill(sums.begin(), sums.end(), one_half);
    for (int k = 0; k < taps.count; ++k) {
      const std::uint8_t* from = row_of(src, taps.first - first + k);
      for (int& sum : sums) sum += *from++ * weights[k];
    }
    std::uint8_t* to = row_of(dst, y);
    for (const int sum : sums) *to++ = static_cast<std::uint8_t>(limited(sum));
  }
}

void resize_to_planar(const ResizedImage& image, ResizeRule rule, const PlanarFormat& format) {
  resize_to_planar_batch(&image, 1, rule, format);
}

void resize_to_planar_batch(const ResizedImage* images, std::size_t count, ResizeRule rule,
                            const PlanarFormat& format) {
  check_resized(images, count, rule, format);
  Bytes between;
  Bytes result;
  for (std::size_t i = 0; i < count; ++i) {
    const ResizedImage& image = images[i];
    if (image.dst.width == 0 || image.dst.height == 0) continue;
    to_planar(resized(image, rule, cpu_paths().front(), between, result), image.dst,
              image.orientation, format);
  }
}

}  // namespace qturn
