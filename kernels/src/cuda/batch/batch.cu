// Batches, from a call to a launch.
//
// Descriptors on the host are planned there and travel in the kernel's parameters; descriptors in
// device memory are planned by a kernel of their own. Images of one shape need one plan. Read the
// files in this order: batch_plan.cuh numbers the tiles of all pictures in one line,
// batch_picture.cuh says what a picture is and how it is cut, batch_kernels.cuh turns a tile.
// Planes are images of a batch, perhaps with pixels of two sizes.
#include "kernels/src/cuda/batch/batch_kernels.cuh"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/src/batch_images.hpp"
#include "kernels/src/pixel_sizes.hpp"
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
static_assert(device::begins_early(device::last_array_offset<BatchPicture, many>()));

// The table of all kernels here.
template <class Ask>
auto tuning(Ask ask) {
  return device::tuning_of(device::turn_uniform_batch<0>, ask);
}

template <int pixel, int other_pixel, int capacity>
void launch_mixed(const BatchParameters<BatchPicture, capacity>& batch, unsigned tiles, int threads,
                  cudaStream_t stream) {
  device::launch_overlapping(device::turn_mixed_batch<pixel, other_pixel, capacity>, dim3(tiles),
                             threads, stream, batch);
}

// Enqueues `count` images; at(i) is image i. So images that are parts of something else need no
// list.
template <class At>
void enqueue(std::size_t count, At at, BatchPixels pixels, cudaStream_t stream) {
  // For pixels of the first size, and of the other.
  const auto [usual, other] = tuning([&](auto table) {
    const BatchTuning first = table.batch(pixels.bytes);
    return std::pair(first, table.batch(pixels.other_bytes, first.threads));
  });
  const int threads = usual.threads;
  const auto plan = [&](std::size_t i, BatchPicture& picture) {
    const BatchImage image = at(i);
    const int bytes = image.src.pixel_bytes;
    const bool is_other = bytes != pixels.bytes;
    const std::int64_t tiles =
        device::plan_picture(image, bytes, is_other ? other : usual, picture);
    picture.has_other_pixels = is_other;
    return tiles;
  };
  const auto launch = [&]<int capacity>(const BatchParameters<BatchPicture, capacity>& batch,
                                        unsigned tiles) {
    if (pixels.other_bytes == 2) {
      launch_mixed<1, 2>(batch, tiles, threads, stream);
    } else if (pixels.other_bytes == 4) {
      launch_mixed<2, 4>(batch, tiles, threads, stream);
    } else {
      with_pixel(pixels.bytes, [&](auto pixel) {
        device::launch_overlapping(device::turn_batch<pixel.value, capacity>, dim3(tiles), threads,
                                   stream, batch, pixels.bytes);
      });
    }
  };
  device::launch_all<BatchPicture, few, many>(count, plan, launch);
}

// Plane i of all; an empty image if its picture has fewer.
BatchImage plane_at(const PlanesImage* images, std::size_t i) {
  const PlanesImage& image = images[i / most_planes];
  const std::size_t plane = i % most_planes;
  if (static_cast<int>(plane) >= image.planes) return {};
  return {image.src[plane], image.dst[plane], image.orientation};
}

// Plans image i of a batch in device memory; it gets no tiles if it makes no sense.
// `pixel` is their size, or 0 where it is not known to the compiler.
template <int pixel>
struct PlanOnDevice {
  const BatchImage* images;
  int any_pixel;

  __device__ std::int64_t operator()(std::size_t i, BatchPicture& picture) const {
    const int pixel_bytes = pixel != 0 ? pixel : any_pixel;
    const BatchImage image = images[i];
    const bool swaps = device::is_in(device::swapped, image.orientation);
    const bool fits =
        device::is_in(device::valid, image.orientation) && image.src.pixel_bytes == pixel_bytes &&
        image.dst.pixel_bytes == pixel_bytes && image.src.width > 0 && image.src.height > 0 &&
        image.dst.width == (swaps ? image.src.height : image.src.width) &&
        image.dst.height == (swaps ? image.src.width : image.src.height);
    return fits ? device::plan_picture(image, pixel_bytes, device::Tuning::batch_in_memory(pixel),
                                       picture)
                : 0;
  }
};

}  // namespace

void transform_batch(const BatchImage* images, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  check_images(images, count);
  enqueue(
      count, [&](std::size_t i) { return images[i]; }, {images[0].src.pixel_bytes, 0}, stream);
}

void transform_batch(const UniformBatch& batch, cudaStream_t stream) {
  check_uniform(batch);
  if (batch.count == 0 || batch.src.empty()) return;
  const int pixel_bytes = batch.src.pixel_bytes;
  device::UniformPictures pictures{
      {}, batch.src_stride, batch.dst_stride, static_cast<unsigned>(batch.count)};
  const BatchTuning of_pixel = tuning([&](auto table) { return table.batch(pixel_bytes); });
  const std::int64_t tiles = device::plan_picture(
      image_of(batch, 0), pixel_bytes, of_pixel, pictures.first,
      batch.count > 1 ? batch.src_stride : 0, batch.count > 1 ? batch.dst_stride : 0);
  // The second dimension of a grid ends at 65,535.
  const unsigned down = std::min(pictures.count, 65535u);
  const dim3 grid(device::tiles_of_launch(tiles), down, (pictures.count - 1) / down + 1);
  with_pixel(pixel_bytes, [&](auto pixel) {
    device::launch_overlapping(device::turn_uniform_batch<pixel.value>, grid, of_pixel.threads,
                               stream, pictures, pixel_bytes);
  });
}

void transform_planes(const PlanesImage* images, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const BatchPixels pixels = check_images(images, count);
  enqueue(
      count * most_planes, [&](std::size_t i) { return plane_at(images, i); }, pixels, stream);
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
  const int threads =
      tuning([&](auto table) { return table.batch_in_memory(pixel_bytes).threads; });
  with_pixel(pixel_bytes, [&](auto pixel) {
    const auto batch = device::enqueue_plan<BatchPicture>(
        PlanOnDevice<pixel.value>{images, pixel_bytes}, count, workspace, stream);
    const unsigned blocks =
        device::blocks_for_tiles_in_memory(device::resident_threads_in_memory, threads);
    device::launch_overlapping(device::turn_batch_in_memory<pixel.value>, dim3(blocks), threads,
                               stream, batch, pixel_bytes);
  });
}

}  // namespace qturn
