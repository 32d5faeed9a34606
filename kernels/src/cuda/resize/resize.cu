#include <qturn/resize.hpp>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "kernels/src/cuda/resize/resize_kernels.cuh"

namespace qturn {
namespace {

using device::BatchParameters;
using device::ResizedPicture;
using device::SquareSamples;

constexpr int few = 24;
constexpr int many = 250;
static_assert(sizeof(BatchParameters<ResizedPicture, few>) + sizeof(SquareSamples) <=
              device::old_parameter_bytes);
static_assert(sizeof(BatchParameters<ResizedPicture, many>) + sizeof(SquareSamples) <=
              device::new_parameter_bytes);
static_assert(device::begins_early(sizeof(SquareSamples) +
                                   device::last_array_offset<ResizedPicture, many>()));

template <int number>
using Int = std::integral_constant<int, number>;

template <class Run>
void with_channels(int channels, Run run) {
  if (channels == 1) return run(Int<1>());
  if (channels == 2) return run(Int<2>());
  run(Int<3>());
}

constexpr std::int64_t up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

bool is_skipped(const ResizedImage& image) { return image.dst.width == 0 || image.dst.height == 0; }

// The image's part of the workspace, which begins at `work`; returns its bytes.
std::int64_t lay_out(const ResizedImage& image, ResizeRule rule, std::uintptr_t work,
                     ResizedPicture& p) {
  const int channels = image.src.pixel_bytes;
  const ResizedAxes axes(image, rule);
  p.x = axes.x;
  p.y = axes.y;
  p.rows_first = axes.rows_first;
  const Taps used = axes.used_between();
  p.first = used.first;
  p.between_width = axes.rows_first ? used.count : axes.x.results;
  p.between_height = axes.rows_first ? axes.y.results : used.count;
  p.work = reinterpret_cast<device::Byte*>(work);
  const auto weighed = [](const ResizedAxis& axis) {
    return up(std::int64_t{axis.results} * (axis.most_taps() + 2) * 4, 8) * 8;
  };
  p.between_at = weighed(axes.x) + weighed(axes.y);
  return up(p.between_at + p.between_pitch(channels) * p.between_height, 16) * 16;
}

}  // namespace

std::size_t resize_workspace_bytes(const ResizedImage* images, std::size_t count, ResizeRule rule) {
  check_resized(images, count, rule);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ResizedPicture p;
    if (!is_skipped(images[i])) bytes += lay_out(images[i], rule, 0, p);
  }
  return static_cast<std::size_t>(bytes);
}

void resize_to_planar_batch(const ResizedImage* images, std::size_t count, ResizeRule rule,
                            const PlanarFormat& format, void* workspace, cudaStream_t stream) {
  const int channels = check_resized(images, count, rule, format);
  if (std::all_of(images, images + count, is_skipped)) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
  if (begin == 0 || begin % 16 != 0) {
    throw std::invalid_argument("the workspace lies at an address that modulo 16 is " +
                                std::to_string(begin % 16) +
                                ", expected one other than 0 that is " + "a multiple of 16");
  }

  // Each step plans all images, so that what one lays out is known to the next.
  const auto for_all = [&](auto tiles_of_step, auto launch) {
    std::uintptr_t work = begin;
    const auto plan = [&](std::size_t i, ResizedPicture& p) -> std::int64_t {
      const ResizedImage& image = images[i];
      if (is_skipped(image)) return 0;
      work += static_cast<std::uintptr_t>(lay_out(image, rule, work, p));
      p.src = static_cast<const device::Byte*>(image.src.data);
      p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
      p.dst = static_cast<device::Byte*>(image.dst.data);
      p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
      p.plane_pitch = format.planes > 1 ? image.dst.plane_pitch : 0;
      p.orientation = image.orientation;
      return tiles_of_step(p);
    };
    device::launch_all<ResizedPicture, few, many>(count, plan, launch);
  };
  for_all(
      [](const ResizedPicture& p) {
        return p.x.filter == ResizeFilter::nearest
                   ? 2
                   : up(std::int64_t{p.x.results} + p.y.results, device::square_threads);
      },
      [&]<int capacity>(const BatchParameters<ResizedPicture, capacity>& batch, unsigned tiles) {
        device::launch_overlapping(device::weigh_axes<capacity>, dim3(tiles),
                                   device::square_threads, stream, batch);
      });
  for_all(
      [](const ResizedPicture& p) { return device::squares_of(p.between_width, p.between_height); },
      [&]<int capacity>(const BatchParameters<ResizedPicture, capacity>& batch, unsigned tiles) {
        with_channels(channels, [&](auto known) {
          device::launch_overlapping(device::resize_once<known.value, capacity>, dim3(tiles),
                                     device::square_threads, stream, batch);
        });
      });
  const SquareSamples samples(format);
  for_all(
      [](const ResizedPicture& p) { return device::squares_of(p.x.results, p.y.results); },
      [&]<int capacity>(const BatchParameters<ResizedPicture, capacity>& batch, unsigned tiles) {
        with_channels(channels, [&](auto known) {
          device::launch_overlapping(device::resize_to_planes<known.value, capacity>, dim3(tiles),
                                     device::square_threads, stream, samples, batch);
        });
      });
}

}  // namespace qturn
