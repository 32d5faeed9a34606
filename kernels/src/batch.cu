#include "kernels/src/batch_kernels.cuh"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/src/launch.cuh"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

using device::BatchParameters;
using device::BatchPicture;

// Parameters up to this size work everywhere, larger ones from CUDA 12.1 on.
constexpr std::size_t old_parameter_bytes = 4096;
constexpr std::size_t new_parameter_bytes = 32764;
constexpr int few = 64;
constexpr int many = static_cast<int>(batch_images_in_a_launch);
static_assert(sizeof(BatchParameters<few>) + sizeof(int) <= old_parameter_bytes);
static_assert(sizeof(BatchParameters<many>) + sizeof(int) <= new_parameter_bytes);

bool driver_takes_many() {
  static const bool takes = [] {
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess && version >= 12010;
  }();
  return takes;
}

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

constexpr std::int64_t most_tiles = (std::int64_t{1} << 31) - 1;

// Enqueues as many of the images as fit one launch, and returns how many.
template <int capacity>
std::size_t launch_some(const BatchImage* images, std::size_t count, cudaStream_t stream) {
  const int pixel_bytes = images[0].src.pixel_bytes;
  BatchParameters<capacity> batch;
  batch.count = 0;
  std::int64_t tiles = 0;
  std::size_t done = 0;
  for (; done < count && batch.count < capacity; ++done) {
    batch.first_tile[batch.count] = static_cast<unsigned>(tiles);
    const std::int64_t more =
        device::plan_picture(images[done], pixel_bytes, batch.pictures[batch.count]);
    if (tiles + more > most_tiles && tiles > 0) break;
    if (more == 0) continue;
    tiles += more;
    batch.count += 1;
  }
  if (tiles == 0) return done;
  constexpr unsigned stretches = device::batch_stretches<capacity>;
  batch.shift = device::stretch_shift(static_cast<unsigned>(tiles), stretches);
  int picture = 0;
  for (unsigned stretch = 0; stretch <= stretches; ++stretch) {
    const std::uint64_t tile = std::uint64_t{stretch} << batch.shift;
    while (picture + 1 < batch.count && batch.first_tile[picture + 1] <= tile) ++picture;
    batch.first_picture[stretch] = static_cast<std::uint16_t>(picture);
  }
  with_pixel(pixel_bytes, [&](auto pixel) {
    device::launch_overlapping(
        device::turn_batch<pixel.value, capacity>, dim3(static_cast<unsigned>(tiles)),
        device::batch_tuning(pixel.value).threads, stream, batch, pixel_bytes);
  });
  return done;
}

constexpr int plan_threads = 1024;

// One block makes the plan: what each image is, the running sum of their tiles, and which images
// the stretches of tiles begin in.
__global__ void __launch_bounds__(plan_threads)
    plan_batch(const BatchImage* images, unsigned count, int pixel_bytes, BatchPicture* pictures,
               unsigned* first_tile, unsigned* first_picture, unsigned* shift_of_stretches) {
  __shared__ unsigned sums[plan_threads];
  device::wait_for_previous_kernel();
  unsigned before = 0;
  for (unsigned base = 0; base < count; base += plan_threads) {
    const unsigned i = base + threadIdx.x;
    unsigned tiles = 0;
    if (i < count) {
      const BatchImage image = images[i];
      const bool swaps = (device::swapped >> static_cast<unsigned>(image.orientation) & 1u) != 0;
      const bool fits = image.src.pixel_bytes == pixel_bytes &&
                        image.dst.pixel_bytes == pixel_bytes && image.src.width > 0 &&
                        image.src.height > 0 &&
                        image.dst.width == (swaps ? image.src.height : image.src.width) &&
                        image.dst.height == (swaps ? image.src.width : image.src.height);
      if (fits) {
        BatchPicture picture;
        tiles = static_cast<unsigned>(device::plan_picture(image, pixel_bytes, picture));
        pictures[i] = picture;
      }
    }
    sums[threadIdx.x] = tiles;
    __syncthreads();
    for (unsigned distance = 1; distance < plan_threads; distance *= 2) {
      const unsigned left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < count) first_tile[i] = before + sums[threadIdx.x] - tiles;
    before += sums[plan_threads - 1];
    __syncthreads();
  }
  const unsigned shift = device::stretch_shift(before, device::stretches_in_memory);
  if (threadIdx.x == 0) {
    first_tile[count] = before;
    *shift_of_stretches = shift;
  }
  __syncthreads();
  // Of each stretch, or of the last tile where it lies behind that.
  for (unsigned i = threadIdx.x; i < count; i += plan_threads) {
    const unsigned begin = first_tile[i];
    const unsigned end = first_tile[i + 1];
    if (begin == end) continue;
    const std::uint64_t size = std::uint64_t{1} << shift;
    const std::uint64_t last = end == before ? device::stretches_in_memory : (end - 1) / size;
    for (std::uint64_t s = (begin + size - 1) / size; s <= last; ++s) {
      first_picture[s] = i;
    }
  }
}

bool is_aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

}  // namespace

void transform_batch(const BatchImage* images, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  check_images(images, count);
  while (count > 0) {
    const std::size_t done = count > few && driver_takes_many()
                                 ? launch_some<many>(images, count, stream)
                                 : launch_some<few>(images, count, stream);
    images += done;
    count -= done;
  }
}

std::size_t batch_workspace_bytes(std::size_t count) {
  return 64 * count + 4 * (device::stretches_in_memory + 1) + 28;
}

void transform_batch(const BatchImage* images, std::size_t count, int pixel_bytes, void* workspace,
                     cudaStream_t stream) {
  if (pixel_bytes < 1 || pixel_bytes > max_pixel_bytes) {
    throw std::invalid_argument("pixels of " + std::to_string(pixel_bytes) +
                                " bytes, expected 1 to " + std::to_string(max_pixel_bytes));
  }
  if (count == 0) return;
  if (count >= std::size_t{1} << 31) {
    throw std::invalid_argument(std::to_string(count) + " images, expected fewer than 2^31");
  }
  if (images == nullptr || !is_aligned(images, alignof(BatchImage))) {
    throw std::invalid_argument("images at address 0 or at no multiple of " +
                                std::to_string(alignof(BatchImage)));
  }
  if (workspace == nullptr || !is_aligned(workspace, 16)) {
    throw std::invalid_argument("workspace at address 0 or at no multiple of 16");
  }
  static_assert(sizeof(BatchPicture) + sizeof(unsigned) <= 64);
  auto* pictures = static_cast<BatchPicture*>(workspace);
  auto* first_tile = reinterpret_cast<unsigned*>(pictures + count);
  unsigned* first_picture = first_tile + count + 1;
  unsigned* shift = first_picture + device::stretches_in_memory + 1;
  const auto number = static_cast<unsigned>(count);
  device::launch_overlapping(plan_batch, dim3(1), plan_threads, stream, images, number, pixel_bytes,
                             pictures, first_tile, first_picture, shift);
  const int multiprocessors = current_device().multiprocessors;
  with_pixel(pixel_bytes, [&](auto pixel) {
    constexpr int threads = device::batch_tuning(pixel.value).threads;
    // Several times as many blocks as run at once: the more, the fewer tiles each has, and the
    // sooner a block that got little work makes room for the next.
    const unsigned blocks =
        static_cast<unsigned>(multiprocessors) * (device::resident_threads_in_memory / threads) * 4;
    device::launch_overlapping(
        device::turn_batch_in_memory<pixel.value>, dim3(blocks), threads, stream,
        device::BatchInMemory{number, shift, first_picture, first_tile, pictures}, pixel_bytes);
  });
}

}  // namespace qturn
