#include <qturn/planar.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/src/cuda/planar/planar_kernels.cuh"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

using device::BatchParameters;
using device::PlanarPicture;
using device::PlanarSamples;

constexpr int few = 48;
constexpr int many = static_cast<int>(planar_images_in_a_launch);
static_assert(sizeof(BatchParameters<PlanarPicture, few>) + sizeof(PlanarSamples) <=
              device::old_parameter_bytes);
static_assert(sizeof(BatchParameters<PlanarPicture, many>) + sizeof(PlanarSamples) <=
              device::new_parameter_bytes);
static_assert(device::begins_early(sizeof(PlanarSamples) +
                                   device::last_array_offset<PlanarPicture, many>()));

template <int number>
using Int = std::integral_constant<int, number>;
template <SampleType type>
using Type = std::integral_constant<SampleType, type>;

// Calls run(type of source samples, channels, bytes of destination samples) with constants.
template <class Type, class Run>
void with_channels(Type type, int channels, int dst_sample, Run run) {
  const auto with_dst = [&](auto channels_known) {
    if (dst_sample == 1) {
      run(type, channels_known, Int<1>());
    } else if (dst_sample == 2) {
      run(type, channels_known, Int<2>());
    } else {
      run(type, channels_known, Int<4>());
    }
  };
  switch (channels) {
    case 1:
      return with_dst(Int<1>());
    case 2:
      return with_dst(Int<2>());
    case 3:
      return with_dst(Int<3>());
    default:
      return with_dst(Int<4>());
  }
}
template <class Run>
void with_samples(SampleType type, int channels, int dst_sample, Run run) {
  switch (type) {
    case SampleType::uint8:
      return with_channels(Type<SampleType::uint8>(), channels, dst_sample, run);
    case SampleType::uint16:
      return with_channels(Type<SampleType::uint16>(), channels, dst_sample, run);
    case SampleType::float16:
      return with_channels(Type<SampleType::float16>(), channels, dst_sample, run);
    default:
      return with_channels(Type<SampleType::float32>(), channels, dst_sample, run);
  }
}

// What the table of all kernels here says about pixels and samples of so many bytes.
PlanarTuning tuning_of(int pixel, int dst_sample) {
  return device::tuning_of(device::make_planar<SampleType::uint8, 1, 2, few>, [&](auto table) {
    return device::planar_tuning(table, pixel, dst_sample);
  });
}

// The images are checked, and not all of them have a width of 0.
void enqueue(const PlanarImage* images, std::size_t count, int channels, const PlanarFormat& format,
             cudaStream_t stream) {
  const int src_sample = sample_bytes(format.src_type);
  const int dst_sample = sample_bytes(format.dst_type);
  const PlanarSamples samples(format);
  const PlanarTuning tuning = tuning_of(channels * src_sample, dst_sample);
  const auto plan = [&](std::size_t i, PlanarPicture& picture) {
    return device::plan_planar(images[i], tuning, format.planes, src_sample, dst_sample, picture);
  };
  const auto launch = [&]<int capacity>(const BatchParameters<PlanarPicture, capacity>& batch,
                                        unsigned tiles) {
    with_samples(format.src_type, channels, dst_sample,
                 [&](auto type, auto channels_known, auto dst_sample_known) {
                   device::launch_overlapping(device::make_planar<type.value, channels_known.value,
                                                                  dst_sample_known.value, capacity>,
                                              dim3(tiles), tuning.threads, stream, samples, batch);
                 });
  };
  device::launch_all<PlanarPicture, few, many>(count, plan, launch);
}

// Plans image i of a batch in device memory; it gets no tiles if it makes no sense.
struct PlanOnDevice {
  const PlanarImage* images;
  int pixel_bytes;
  int src_sample;
  int dst_sample;
  int planes;

  __device__ std::int64_t operator()(std::size_t i, PlanarPicture& picture) const {
    const PlanarImage image = images[i];
    const bool swaps = device::is_in(device::swapped, image.orientation);
    const auto multiples = [](const void* data, std::int64_t pitch, int sample) {
      return ((reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(pitch)) &
              static_cast<unsigned>(sample - 1)) == 0;
    };
    const bool fits =
        device::is_in(device::valid, image.orientation) && image.src.pixel_bytes == pixel_bytes &&
        image.src.width > 0 && image.src.height > 0 &&
        image.dst.width == (swaps ? image.src.height : image.src.width) &&
        image.dst.height == (swaps ? image.src.width : image.src.height) &&
        multiples(image.src.data, image.src.height > 1 ? image.src.pitch : 0, src_sample) &&
        multiples(image.dst.data, image.dst.height > 1 ? image.dst.pitch : 0, dst_sample) &&
        multiples(nullptr, planes > 1 ? image.dst.plane_pitch : 0, dst_sample);
    const auto tuning = device::planar_tuning(device::Tuning(), pixel_bytes, dst_sample);
    return fits ? device::plan_planar(image, tuning, planes, src_sample, dst_sample, picture) : 0;
  }
};

}  // namespace

void to_planar(ConstView src, PlanarView dst, Orientation orientation, const PlanarFormat& format,
               cudaStream_t stream) {
  const int channels = channels_of(src, format);
  check_format(format, channels);
  check_planar_shapes(src, dst, orientation, format);
  const PlanarImage image{src, dst, orientation};
  enqueue(&image, 1, channels, format, stream);
}

void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format,
                     cudaStream_t stream) {
  if (count == 0) return;
  const int channels = check_images(images, count, format);
  enqueue(images, count, channels, format, stream);
}

std::size_t planar_workspace_bytes(std::size_t count) {
  return device::BatchWorkspace<PlanarPicture>::bytes(count);
}

void to_planar_batch(const PlanarImage* images, std::size_t count, int channels,
                     const PlanarFormat& format, void* workspace, cudaStream_t stream) {
  check_format(format, channels);
  if (count == 0) return;
  check_batch_in_memory(images, alignof(PlanarImage), count, workspace);
  const int src_sample = sample_bytes(format.src_type);
  const int dst_sample = sample_bytes(format.dst_type);
  const PlanOnDevice plan{images, channels * src_sample, src_sample, dst_sample, format.planes};
  const int threads = tuning_of(plan.pixel_bytes, dst_sample).threads;
  const auto batch = device::enqueue_plan<PlanarPicture>(plan, count, workspace, stream);
  with_samples(
      format.src_type, channels, dst_sample,
      [&](auto type, auto channels_known, auto dst_sample_known) {
        const unsigned blocks = device::blocks_for_tiles_in_memory(
            device::planar_threads_in_memory(dst_sample), threads);
        device::launch_overlapping(
            device::make_planar_in_memory<type.value, channels_known.value, dst_sample_known.value>,
            dim3(blocks), threads, stream, PlanarSamples(format), batch);
      });
}

}  // namespace qturn
