// Batches: images of any sizes, each with its own orientation; images of one shape at a fixed
// stride; and images of several planes. Each call exists for the CPU and, with a stream as its last
// argument, for the GPU.
//
//   std::vector<qturn::BatchImage> images = ...;
//   qturn::transform_batch(images.data(), images.size(), stream);
//
//   // A tensor of 1000 x 480 x 640 x 3 bytes.
//   const qturn::UniformBatch batch{
//       .src = {.data = tensor, .width = 640, .height = 480, .pitch = 640 * 3, .pixel_bytes = 3},
//       .dst = {.data = turned, .width = 480, .height = 640, .pitch = 480 * 3, .pixel_bytes = 3},
//       .src_stride = 640 * 480 * 3,
//       .dst_stride = 640 * 480 * 3,
//       .count = 1000,
//       .orientation = qturn::Orientation::rotate90};
//   qturn::transform_batch(batch, stream);
//
//   // NV12 at 1920 x 1080: a plane of luma bytes and a plane of chroma pairs.
//   using qturn::View;
//   const View luma{.data = y, .width = 1920, .height = 1080, .pitch = pitch, .pixel_bytes = 1};
//   const View chroma{.data = uv, .width = 960, .height = 540, .pitch = pitch, .pixel_bytes = 2};
//   const View turned_luma{...}, turned_chroma{...};  // 1080 x 1920 and 540 x 960
//   const qturn::PlanesImage image{.src = {luma, chroma},
//                                  .dst = {turned_luma, turned_chroma},
//                                  .planes = 2,
//                                  .orientation = qturn::Orientation::rotate90};
//   qturn::transform_planes(&image, 1, stream);
//
// Threads, streams, devices, graphs: as cpu.hpp and cuda.hpp say.
#ifndef QTURN_BATCH_HPP
#define QTURN_BATCH_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cstddef>
#include <cstdint>

/// CUDA's own declaration of a stream, repeated so that this header needs no header of CUDA. The
/// functions that take a stream exist only in libraries that are built with CUDA.
using cudaStream_t = struct CUstream_st*;

namespace qturn {

/// `dst` becomes `src` seen in `orientation`, as in transform().
struct BatchImage {
  ConstView src;
  View dst;
  Orientation orientation = Orientation::identity;
};

/// Transforms all `count` images on the calling thread, one after the other, by the rules below.
QTURN_EXPORT void transform_batch(const BatchImage* images, std::size_t count);

/// The most images per launch: their descriptors are kernel parameters. 46 if the driver is older
/// than CUDA 12.1.
inline constexpr std::size_t batch_images_in_a_launch = 360;

/// Enqueues all `count` images and returns without waiting. Allocates nothing, does not read
/// `images` later; may be captured in a graph.
///
/// Sizes, pitches, alignments and orientations may differ from image to image; `pixel_bytes` may
/// not. Work is divided into tiles of a few kilobytes, so a large image does not hold up small
/// ones. More than batch_images_in_a_launch images take several launches, one after the other. The
/// rules of transform() hold for each image, and no destination may overlap another image of the
/// batch, which is not checked. Empty images are skipped.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the image, for what
/// transform() refuses and for pixels of another size than in image 0; CudaError when a launch
/// fails.
QTURN_EXPORT void transform_batch(const BatchImage* images, std::size_t count, cudaStream_t stream);

/// Bytes of device memory that the overload below works in: 84 per image, and about 4 KB.
QTURN_EXPORT std::size_t batch_workspace_bytes(std::size_t count);

/// The same with descriptors in device memory, which are read when the stream reaches the call. A
/// graph that captured it can be replayed with other orientations, sizes and addresses; a width of
/// 0 skips an image. Any number of images takes two launches.
///
/// `workspace` is device memory of batch_workspace_bytes(count), aligned to 16 bytes, and in use
/// until the work is done. All images have pixels of `pixel_bytes`.
///
/// The descriptors cannot be checked before the launch. An image with other pixels, a negative
/// size, a destination of the wrong shape or a number that is not an orientation is skipped;
/// overlaps are not detected. A batch of 2^31 tiles or more, which no memory holds, is skipped as a
/// whole.
///
/// Throws std::invalid_argument, before anything is enqueued, when `pixel_bytes` is not 1 to 256,
/// there are 2^31 images or more, or `images` or `workspace` is at address 0 or not aligned;
/// CudaError when a launch fails.
QTURN_EXPORT void transform_batch(const BatchImage* images, std::size_t count, int pixel_bytes,
                                  void* workspace, cudaStream_t stream);

/// `count` images of one shape. `src` and `dst` are image 0; image i begins i * `src_stride` and
/// i * `dst_stride` bytes after them. Strides may be negative.
struct UniformBatch {
  ConstView src;
  View dst;
  std::int64_t src_stride = 0;
  std::int64_t dst_stride = 0;
  std::size_t count = 0;
  Orientation orientation = Orientation::identity;
};

/// Transforms all images on the calling thread, one after the other.
///
/// Throws std::invalid_argument, before anything is written, for what transform() refuses of image
/// 0, for 2^31 images or more, and when destinations overlap. No destination may overlap the source
/// of another image, which is not checked.
QTURN_EXPORT void transform_batch(const UniformBatch& batch);

/// The same in memory that the stream's device can reach, in one launch for any number of images:
/// enqueues and returns without waiting. Allocates nothing; may be captured in a graph. Bytes
/// between the images are neither read nor written.
///
/// Throws what the overload above does, before anything is enqueued; CudaError when the launch
/// fails.
QTURN_EXPORT void transform_batch(const UniformBatch& batch, cudaStream_t stream);

/// Which luma pixels share a chroma pixel: none (yuv444), two side by side (yuv422), two above each
/// other (yuv440), or four (yuv420).
enum class Subsampling : std::uint8_t { yuv444, yuv422, yuv440, yuv420 };

/// The subsampling after the turn: where the axes are swapped, 4:2:2 becomes 4:4:0 and 4:4:0
/// becomes 4:2:2. The others stay the same.
///
/// The same holds for chroma pairs: NV16 (4:2:2), turned by a quarter, is 4:4:0 with chroma pairs.
/// The data is right, but hardly any program has a name for that format. NV12 and P010 (4:2:0) stay
/// NV12 and P010 in every orientation.
constexpr Subsampling turned(Subsampling subsampling, Orientation orientation) {
  if (!swaps_axes(orientation)) return subsampling;
  switch (subsampling) {
    case Subsampling::yuv422:
      return Subsampling::yuv440;
    case Subsampling::yuv440:
      return Subsampling::yuv422;
    default:
      return subsampling;
  }
}

/// The size of a chroma plane of a picture with `luma` luma pixels; halves are rounded up.
constexpr Size chroma_size(Subsampling subsampling, Size luma) {
  const bool half_width = subsampling == Subsampling::yuv422 || subsampling == Subsampling::yuv420;
  const bool half_height = subsampling == Subsampling::yuv440 || subsampling == Subsampling::yuv420;
  return {half_width ? (luma.width + 1) / 2 : luma.width,
          half_height ? (luma.height + 1) / 2 : luma.height};
}

/// Turns planes 0 to `planes` - 1 (at most 4) of `src` into the same planes of `dst`, each as
/// transform() does. A plane of chroma pairs (NV12, P010) has pixels of two samples.
struct PlanesImage {
  ConstView src[4];
  View dst[4];
  int planes = 0;
  Orientation orientation = Orientation::identity;
};

/// Transforms all planes of all `count` images on the calling thread, by the rules below.
QTURN_EXPORT void transform_planes(const PlanesImage* images, std::size_t count);

/// Enqueues all planes of all `count` images and returns without waiting. Allocates nothing, does
/// not read `images` later; may be captured in a graph.
///
/// One launch takes up to batch_images_in_a_launch planes. Their pixels have one size, or two: 1
/// and 2 bytes, as in NV12, or 2 and 4, as in P010. Sizes, pitches, alignments and orientations may
/// differ from image to image. The rules of transform() hold for each plane, and no destination may
/// overlap another plane of the call, which is not checked.
///
/// Each plane is transformed on its own. Where a halved side of the luma is odd, the last chroma
/// pixel covers one luma pixel, not two. If the turn brings that edge to the other end, the chroma
/// is half a chroma pixel off. Nothing is resampled here.
///
/// Throws std::invalid_argument, before anything is enqueued, for what transform() refuses, a
/// number of planes out of range and pixels of other sizes, with the indices of image and plane;
/// CudaError when a launch fails.
QTURN_EXPORT void transform_planes(const PlanesImage* images, std::size_t count,
                                   cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_BATCH_HPP
