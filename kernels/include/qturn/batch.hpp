// Many images in device memory, each with an orientation of its own, in one launch.
//
//   std::vector<qturn::BatchImage> images = ...;
//   qturn::transform_batch(images.data(), images.size(), stream);
#ifndef QTURN_BATCH_HPP
#define QTURN_BATCH_HPP

#include <qturn/cuda.hpp>

#include <cstddef>

namespace qturn {

/// `dst` becomes `src` seen in `orientation`, as in transform().
struct BatchImage {
  ConstView src;
  View dst;
  Orientation orientation = Orientation::identity;
};

/// How many images one launch holds: their descriptors travel in the kernel's parameters. 46 where
/// the driver is older than CUDA 12.1.
inline constexpr std::size_t batch_images_in_a_launch = 360;

/// Enqueues all `count` images and returns without waiting. Allocates nothing, does not read
/// `images` later; may be captured in a graph.
///
/// Sizes, pitches, alignments and orientations may differ from image to image; `pixel_bytes` may
/// not. Work is divided into tiles of a few KB, so a large image does not hold up small ones. More
/// than batch_images_in_a_launch images take several launches, one after the other. The rules of
/// transform() hold for each image, and no destination may overlap another image of the batch,
/// which is not checked. Empty images are left out.
///
/// Throws std::invalid_argument, before anything is enqueued, for what transform() refuses and for
/// pixels of another size than those of image 0, with the index of the image; CudaError when a
/// launch fails.
QTURN_EXPORT void transform_batch(const BatchImage* images, std::size_t count, cudaStream_t stream);

/// Bytes of device memory that the overload below works in: 84 for each image, and some 4 KB.
QTURN_EXPORT std::size_t batch_workspace_bytes(std::size_t count);

/// The same for descriptors in device memory, which are read when the stream gets there. A graph
/// that captured the call can be replayed with other orientations, sizes and addresses, even with
/// images left out by a width of 0. Any number of images takes two launches.
///
/// `workspace` is device memory of batch_workspace_bytes(count) at a multiple of 16, which this
/// call uses until it is done. All images have pixels of `pixel_bytes`.
///
/// Nothing here can be checked before the launch. An image that has other pixels, a negative size
/// or a destination of the wrong shape is left out; overlaps are not seen.
///
/// Throws std::invalid_argument, before anything is enqueued, when `pixel_bytes` is not 1 to 256,
/// there are 2^31 images or more, or `images` or `workspace` is at address 0 or not aligned;
/// CudaError when a launch fails.
QTURN_EXPORT void transform_batch(const BatchImage* images, std::size_t count, int pixel_bytes,
                                  void* workspace, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_BATCH_HPP
