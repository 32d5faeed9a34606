#include "kernels/src/batch_kernels.cuh"

#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/src/batch_launch.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

using device::BatchParameters;
using device::BatchPicture;

constexpr int few = 46;
constexpr int many = static_cast<int>(batch_images_in_a_launch);
static_assert(sizeof(BatchParameters<BatchPicture, few>) + sizeof(int) <=
              device::old_parameter_bytes);
static_assert(sizeof(BatchParameters<BatchPicture, many>) + sizeof(int) <=
              device::new_parameter_bytes);

// Calls `run` with the pixel size as a constant where it has code of its own, else with 0.
template <class Run>
void with_pixel(int pixel_bytes, Run run) {
  switch (pixel_bytes) {
    case 1:
      return run(std::integral_constant<int, 1>());
    case 2:
      return run(std::integral_constant<int, 2>());
    case 3:
      return run(std::integral_constant<int, 3>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 6:
      return run(std::integral_constant<int, 6>());
    case 8:
      return run(std::integral_constant<int, 8>());
    case 12:
      return run(std::integral_constant<int, 12>());
    case 16:
      return run(std::integral_constant<int, 16>());
    case 24:
      return run(std::integral_constant<int, 24>());
    case 32:
      return run(std::integral_constant<int, 32>());
    default:
      return run(std::integral_constant<int, 0>());
  }
}

void check_images(const BatchImage* images, std::size_t count) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  for (std::size_t i = 0; i < count; ++i) {
    const BatchImage& image = images[i];
    try {
      check_shapes(image.src, image.dst, image.orientation);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
    if (image.src.pixel_bytes != images[0].src.pixel_bytes) {
      throw std::invalid_argument("image " + std::to_string(i) + " has pixels of " +
                                  std::to_string(image.src.pixel_bytes) + " bytes, image 0 of " +
                                  std::to_string(images[0].src.pixel_bytes));
    }
  }
}

template <int pixel, int other_pixel, int capacity>
void launch_mixed(const BatchParameters<BatchPicture, capacity>& batch, unsigned tiles,
                  cudaStream_t stream) {
  device::launch_overlapping(device::turn_mixed_batch<pixel, other_pixel, capacity>, dim3(tiles),
                             device::batch_tuning(pixel).threads, stream, batch);
}

// Plans image i of a batch in device memory; none if it makes no sense.
struct PlanOnDevice {
  const BatchImage* images;
  int pixel_bytes;

  __device__ std::int64_t operator()(std::size_t i, BatchPicture& picture) const {
    const BatchImage image = images[i];
    const bool swaps = device::is_in(device::swapped, image.orientation);
    const bool fits = image.src.pixel_bytes == pixel_bytes &&
                      image.dst.pixel_bytes == pixel_bytes && image.src.width > 0 &&
                      image.src.height > 0 &&
                      image.dst.width == (swaps ? image.src.height : image.src.width) &&
                      image.dst.height == (swaps ? image.src.width : image.src.height);
    return fits ? device::plan_picture(image, pixel_bytes, device::batch_tuning(pixel_bytes),
                                       picture)
                : 0;
  }
};

}  // namespace

void enqueue_batch(const BatchSource& source, BatchPixels pixels, cudaStream_t stream) {
  const int threads = device::batch_tuning(pixels.bytes).threads;
  const auto plan = [&](std::size_t i, BatchPicture& picture) {
    const BatchImage image = source.at(source.context, i);
    const int bytes = image.src.pixel_bytes;
    const std::int64_t tiles =
        device::plan_picture(image, bytes, device::batch_tuning(bytes, threads), picture);
    picture.has_other_pixels = bytes != pixels.bytes;
    return tiles;
  };
  const auto launch = [&]<int capacity>(const BatchParameters<BatchPicture, capacity>& batch,
                                        unsigned tiles) {
    if (pixels.other_bytes == 2) {
      launch_mixed<1, 2>(batch, tiles, stream);
    } else if (pixels.other_bytes == 4) {
      launch_mixed<2, 4>(batch, tiles, stream);
    } else {
      with_pixel(pixels.bytes, [&](auto pixel) {
        device::launch_overlapping(device::turn_batch<pixel.value, capacity>, dim3(tiles), threads,
                                   stream, batch, pixels.bytes);
      });
    }
  };
  device::launch_all<BatchPicture, few, many>(source.count, plan, launch);
}

void transform_batch(const BatchImage* images, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  check_images(images, count);
  const auto at = [](const void* context, std::size_t i) {
    return static_cast<const BatchImage*>(context)[i];
  };
  enqueue_batch({count, images, at}, {images[0].src.pixel_bytes, 0}, stream);
}

std::size_t batch_workspace_bytes(std::size_t count) {
  return device::BatchWorkspace<BatchPicture>::bytes(count);
}

void transform_batch(const BatchImage* images, std::size_t count, int pixel_bytes, void* workspace,
                     cudaStream_t stream) {
  if (pixel_bytes < 1 || pixel_bytes > max_pixel_bytes) {
    throw std::invalid_argument("pixels of " + std::to_string(pixel_bytes) +
                                " bytes, expected 1 to " + std::to_string(max_pixel_bytes));
  }
  if (count == 0) return;
  check_batch_in_memory(images, alignof(BatchImage), count, workspace);
  const device::BatchWorkspace<BatchPicture> plan_of_batch(workspace, count);
  const auto number = static_cast<unsigned>(count);
  const PlanOnDevice plan{images, pixel_bytes};
  device::launch_overlapping(device::plan_batch_in_memory<BatchPicture, PlanOnDevice>, dim3(1),
                             device::plan_threads, stream, plan, number, plan_of_batch);
  with_pixel(pixel_bytes, [&](auto pixel) {
    constexpr int threads = device::batch_tuning(pixel.value).threads;
    const unsigned blocks =
        device::blocks_for_tiles_in_memory(device::resident_threads_in_memory, threads);
    device::launch_overlapping(device::turn_batch_in_memory<pixel.value>, dim3(blocks), threads,
                               stream, plan_of_batch.batch(number), pixel_bytes);
  });
}

}  // namespace qturn
