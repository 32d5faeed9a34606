// Interleaved pictures in device memory made planar, on a stream.
//
//   // 256 pictures into one tensor of 256 x 3 x 224 x 224 halves.
//   std::vector<qturn::PlanarImage> images(256);
//   for (std::size_t i = 0; i < images.size(); ++i) {
//     images[i].src = {...};
//     images[i].dst = {tensor + i * 3 * 224 * 224, 224, 224, 224 * 2, 224 * 224 * 2};
//     images[i].orientation = ...;
//   }
//   qturn::to_planar_batch(images.data(), images.size(), format, stream);
#ifndef QTURN_TO_PLANAR_HPP
#define QTURN_TO_PLANAR_HPP

#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <cstddef>

namespace qturn {

/// `dst` becomes `src` seen in `orientation`, as in to_planar().
struct PlanarImage {
  ConstView src;
  PlanarView dst;
  Orientation orientation = Orientation::identity;
};

/// The same as to_planar() of <qturn/planar.hpp>, bit for bit, in memory that the stream's device
/// can reach: enqueues the work and returns without waiting. Allocates nothing; may be captured in
/// a graph. Bytes of `src` between its rows may be read, but none before its first byte or behind
/// its last one.
///
/// Fastest where the destination's address, its two pitches and the bytes of its rows are multiples
/// of 16, and of 128 still a little faster; where they are not, at half the speed. The source may
/// lie anywhere, and gains a little from the same.
///
/// Throws std::invalid_argument, before anything is enqueued, for what the other one refuses;
/// CudaError when the launch fails.
QTURN_EXPORT void to_planar(ConstView src, PlanarView dst, Orientation orientation,
                            const PlanarFormat& format, cudaStream_t stream);

/// How many images one launch holds: their descriptors travel in the kernel's parameters. 48 where
/// the driver is older than CUDA 12.1.
inline constexpr std::size_t planar_images_in_a_launch = 420;

/// Enqueues all `count` images and returns without waiting. Allocates nothing, does not read
/// `images` later; may be captured in a graph.
///
/// Sizes, pitches, alignments and orientations may differ from image to image; the format and the
/// number of channels of the source may not. More than planar_images_in_a_launch images take
/// several launches, one after the other. The rules of to_planar() hold for each image, and no
/// destination may overlap another image of the batch, which is not checked. Empty images are left
/// out.
///
/// Throws std::invalid_argument, before anything is enqueued, for what to_planar() refuses and for
/// pixels of another size than those of image 0, with the index of the image; CudaError when a
/// launch fails.
QTURN_EXPORT void to_planar_batch(const PlanarImage* images, std::size_t count,
                                  const PlanarFormat& format, cudaStream_t stream);

/// Bytes of device memory that the overload below works in: 76 for each image, and some 4 KB.
QTURN_EXPORT std::size_t planar_workspace_bytes(std::size_t count);

/// The same for descriptors in device memory, which are read when the stream gets there. A graph
/// that captured the call can be replayed with other orientations, sizes and addresses, even with
/// images left out by a width of 0. Any number of images takes two launches.
///
/// `workspace` is device memory of planar_workspace_bytes(count) at a multiple of 16, which this
/// call uses until it is done. All sources have `channels` (1 to 4) samples a pixel.
///
/// Nothing of an image can be checked before the launch. One that has other pixels, a negative
/// size, a destination of the wrong shape, or an address or a pitch that is no multiple of its
/// samples' size, is left out; overlaps are not seen.
///
/// Throws std::invalid_argument, before anything is enqueued, for a format that to_planar()
/// refuses, a number of channels out of range, 2^31 images or more, and `images` or `workspace` at
/// address 0 or not aligned; CudaError when a launch fails.
QTURN_EXPORT void to_planar_batch(const PlanarImage* images, std::size_t count, int channels,
                                  const PlanarFormat& format, void* workspace, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_TO_PLANAR_HPP
