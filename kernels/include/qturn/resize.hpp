// From interleaved pictures to planes of another size, the input of a model: crop, resize,
// orientation, choice of channels, conversion and normalisation.
//
//   // A crop of each of 256 pictures, as a tensor of 256 x 3 x 224 x 224 halves.
//   std::vector<qturn::ResizedImage> images(256);
//   for (std::size_t i = 0; i < images.size(); ++i) {
//     images[i].src = {.data = ..., .width = 500, .height = 375, .pitch = 1500, .pixel_bytes = 3};
//     images[i].box = {20.5f, 10, 420.5f, 310};
//     images[i].dst = {.data = tensor + i * 3 * 224 * 224, .width = 224, .height = 224,
//                      .pitch = 224 * 2, .plane_pitch = 224 * 224 * 2};
//     images[i].orientation = ...;
//   }
//   const qturn::ResizeRule rule{qturn::ResizeFilter::bilinear};
//   void* workspace = ...;  // resize_workspace_bytes(images.data(), images.size(), rule)
//   qturn::resize_to_planar_batch(images.data(), images.size(), rule, format, workspace, stream);
//
// The resized samples equal Pillow's Image.resize(size, resample, box), bit for bit. The rule is
// Pillow's (src/libImaging/Resample.c and Geometry.c, as compiled for x86-64):
//
// * bilinear and bicubic (a = -0.5) make the columns in one pass, then the rows in another. If the
//   picture becomes lower, the rows come first where PassOrder says so.
// * Along an axis, `scale` is the length of the box, a float, divided by the number of results. The
//   centre of result i is begin + (i + 0.5) * scale. The filter is stretched by `scale` if that is
//   above 1, which prevents aliasing, and reaches `support`, 1 or 2 times as far. The samples that
//   count go from int(centre - support + 0.5) to before int(centre + support + 0.5), as far as they
//   lie in the picture, so also outside of the box.
// * Weights are computed in double, divided by their sum, and become integers with 22 fractional
//   bits, ties away from 0. Half of 2^22 is added to the sum of the products, which is shifted
//   right by 22 bits and limited to 0 to 255. So the samples are bytes between the two passes.
// * nearest takes the sample at int(p), where p begins at begin + 0.5 * scale and grows by `scale`,
//   in double, from result to result.
//
// Threads, streams, devices, graphs: as cpu.hpp and cuda.hpp say.
#ifndef QTURN_RESIZE_HPP
#define QTURN_RESIZE_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/planar.hpp>
#include <qturn/view.hpp>

#include <cstddef>
#include <cstdint>

namespace qturn {

/// How samples of the source become one of the result.
enum class ResizeFilter : std::uint8_t { nearest, bilinear, bicubic };

/// When the rows are made before the columns, if a picture of W x H becomes w x h, and h is less
/// than H: Pillow 12.3 does that where H is above 100 * W, Pillow 13.0 where H - h is above 2 * (W
/// - w). The bytes between the passes are rounded, so the results differ by a level or a few.
enum class PassOrder : std::uint8_t { pillow12, pillow13 };

/// How pictures are resized.
struct ResizeRule {
  ResizeFilter filter = ResizeFilter::bilinear;
  PassOrder order = PassOrder::pillow12;
};

/// A part of a picture: the pixel in column x covers what lies between x and x + 1.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

/// Crops `src` to `box`, resizes it, and writes it to `dst`, seen in `orientation`. The size of
/// `dst` is the size of the result: the crop is resized to dst.width x dst.height, or to dst.height
/// x dst.width where the orientation swaps axes (5 to 8).
struct ResizedImage {
  ConstView src;
  Box box;
  PlanarView dst;
  Orientation orientation = Orientation::identity;
};

/// The longest side of a picture that is resized, and of the result.
inline constexpr std::int64_t most_resized_side = std::int64_t{1} << 28;

/// Fills the planes of `image.dst` on the calling thread. Allocates memory for the resized picture,
/// and for the columns of the rows that the box needs.
///
/// Shapes: `src` has pixels of 1 to 3 interleaved bytes, and at least one. Both are host memory;
/// the address and the pitches of `dst` are multiples of its samples' size, and nothing overlaps.
/// Bytes of `dst` between its rows and planes stay as they are. An empty `dst` is a no-op. What
/// `format` does to a sample, planar.hpp says.
///
/// The results on a GPU are defined by this function.
///
/// Throws std::invalid_argument, before anything is written, when `src` is empty, does not have 1
/// to 3 bytes per pixel, or lacks a channel that `format` names; for a source type other than uint8
/// (with alpha, which Pillow multiplies into the colours first, it is 4 bytes: refused, too); when
/// the box is not within `src`, or its right and bottom are before its left and top; for a side
/// above most_resized_side; and for what to_planar() refuses of `dst` and `format`.
QTURN_EXPORT void resize_to_planar(const ResizedImage& image, ResizeRule rule,
                                   const PlanarFormat& format);

/// Fills all `count` destinations on the calling thread, one after the other, by the same rules.
QTURN_EXPORT void resize_to_planar_batch(const ResizedImage* images, std::size_t count,
                                         ResizeRule rule, const PlanarFormat& format);

/// Bytes of device memory that the overload below works in: for each image its weights, and the
/// bytes between the two passes, about dst.width * src.height * pixel_bytes where the box is all of
/// `src`. Only sizes, boxes and orientations are read.
///
/// Throws std::invalid_argument for images that resize_to_planar() refuses for these.
QTURN_EXPORT std::size_t resize_workspace_bytes(const ResizedImage* images, std::size_t count,
                                                ResizeRule rule);

/// The same, bit for bit, in memory that the stream's device can reach: enqueues all `count` images
/// and returns without waiting. Allocates nothing, does not read `images` later; may be captured in
/// a graph. Bytes of `src` between its rows may be read, but none before its first byte or after
/// its last one.
///
/// Sizes, boxes, pitches and orientations may differ from image to image; the format and the number
/// of channels may not. No destination may overlap another image of the batch or the workspace,
/// which is not checked. Images with an empty `dst` are skipped. Up to 250 images take three
/// launches; each 250 more take three more.
///
/// `workspace` is device memory of resize_workspace_bytes(images, count, rule), aligned to 16
/// bytes, and in use until the work is done.
///
/// Throws std::invalid_argument, before anything is enqueued, for what resize_to_planar() refuses,
/// with the index of the image, and for a workspace at address 0 or not aligned; CudaError when a
/// launch fails.
QTURN_EXPORT void resize_to_planar_batch(const ResizedImage* images, std::size_t count,
                                         ResizeRule rule, const PlanarFormat& format,
                                         void* workspace, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_RESIZE_HPP
