// From the frames of a video decoder (NV12, P010, I420) to planes of RGB, the input of a model:
// colours, orientation, choice of channels, conversion and normalisation in one pass.
//
//   // A decoded frame of 1920 x 1080, as a tensor of 3 x 1080 x 1920 halves from 0 to 1.
//   qturn::YuvImage image;
//   image.luma = {.data = y, .width = 1920, .height = 1080, .pitch = pitch, .pixel_bytes = 1};
//   image.chroma[0] = {.data = uv, .width = 960, .height = 540, .pitch = pitch, .pixel_bytes = 2};
//   image.dst = {.data = tensor, .width = 1920, .height = 1080, .pitch = 1920 * 2,
//                .plane_pitch = 1920 * 1080 * 2};
//   qturn::PlanarFormat format;
//   format.dst_type = qturn::SampleType::float16;
//   format.scale = 1 / 255.0;
//   qturn::yuv_to_planar_batch(&image, 1, {qturn::YuvFormat::nv12, qturn::YuvMatrix::bt709},
//                              format, stream);
//
// Planes that stay Y, U and V are turned by transform_planes(), batch.hpp.
//
// Threads, streams, devices, graphs: as cpu.hpp and cuda.hpp say.
#ifndef QTURN_YUV_HPP
#define QTURN_YUV_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/planar.hpp>
#include <qturn/view.hpp>

#include <cstddef>
#include <cstdint>

namespace qturn {

/// How a frame of 4:2:0 lies in memory. nv12: luma bytes, and pairs of chroma bytes, U first. p010:
/// the same with samples of 10 bits, which are the upper bits of 16; the lower 6 are not read. i420
/// (FFmpeg's yuv420p): luma bytes, U bytes, V bytes.
enum class YuvFormat : std::uint8_t { nv12, p010, i420 };

/// BT.601 (also SMPTE 170M), BT.709, BT.2020 with non-constant luminance.
enum class YuvMatrix : std::uint8_t { bt601, bt709, bt2020 };

/// limited: luma is 16 to 235, chroma 16 to 240, in 10 bits four times as much; the usual one of
/// video. full: all values, as in JPEG.
enum class YuvRange : std::uint8_t { limited, full };

/// What the samples of a frame mean. With kr and kb of the matrix (0.299 and 0.114; 0.2126 and
/// 0.0722; 0.2627 and 0.0593), kg = 1 - kr - kb, and M = 255, N = 1, or in 10 bits M = 1023, N = 4:
///
///   y = Y - 16 * N, in full range Y; u = U - 128 * N; v = V - 128 * N
///   R = (cy * y           + rv * v + 32768) >> 16
///   G = (cy * y + gu * u + gv * v + 32768) >> 16
///   B = (cy * y + bu * u           + 32768) >> 16
///
/// in integers, limited to 0 to M. The factors are these numbers times 65536, rounded to integers:
/// cy = M / (219 * N), rv = 2 * (1 - kr) * M / (224 * N), bu = 2 * (1 - kb) * M / (224 * N), or in
/// full range 1, 2 * (1 - kr), 2 * (1 - kb); gv = -rv * kr / kg, gu = -bu * kb / kg.
///
/// A chroma sample holds for its 2 x 2 luma pixels, wherever the stream says that it is sited;
/// nothing is interpolated. So pixel (x, y) has the chroma sample (x / 2, y / 2), rounded down.
struct YuvRule {
  YuvFormat format = YuvFormat::nv12;
  YuvMatrix matrix = YuvMatrix::bt709;
  YuvRange range = YuvRange::limited;
};

/// `dst` becomes the frame seen in `orientation`, as in yuv_to_planar(). Only i420 has chroma[1].
struct YuvImage {
  ConstView luma;
  ConstView chroma[2];
  PlanarView dst;
  Orientation orientation = Orientation::identity;
};

/// Writes the frame, seen in `image.orientation`, to the planes of `image.dst`, on the calling
/// thread. R, G and B are the channels 0, 1 and 2 of `format`, whose src_type is uint8, or uint16
/// for p010, where they are 0 to 1023. What `format` does to a sample, planar.hpp says. Allocates
/// memory for the frame as RGB.
///
/// Shapes: luma has pixels of 1 byte (p010: 2); chroma is luma's size halved, rounded up, with
/// pixels of 2 bytes (p010: 4), or two planes with pixels of 1 byte (i420). `dst` has the size of
/// luma, or its sides exchanged where the orientation swaps axes (5 to 8). All are host memory;
/// addresses and pitches are multiples of their samples' size, and `dst` overlaps nothing. Bytes of
/// `dst` between its rows and planes stay as they are. An empty frame is a no-op.
///
/// The results on a GPU are defined by this function.
///
/// Throws std::invalid_argument, before anything is written, when shapes or types disagree with
/// that, a side is 2^31 or more, and for what to_planar() refuses of `dst` and `format`.
QTURN_EXPORT void yuv_to_planar(const YuvImage& image, YuvRule rule, const PlanarFormat& format);

/// The same of all `count` images, one after the other.
QTURN_EXPORT void yuv_to_planar_batch(const YuvImage* images, std::size_t count, YuvRule rule,
                                      const PlanarFormat& format);

/// The same, bit for bit, in memory that the stream's device can reach: enqueues all images and
/// returns without waiting. Allocates nothing, does not read `images` later; may be captured in a
/// graph.
///
/// Sizes, pitches and orientations may differ from image to image; the rule and the format may not.
/// Up to 300 images take one launch, each 300 more another. No destination may overlap another
/// image of the batch, which is not checked. Empty images are skipped.
///
/// Throws std::invalid_argument, before anything is enqueued, for what yuv_to_planar() refuses,
/// with the index of the image; CudaError when a launch fails.
QTURN_EXPORT void yuv_to_planar_batch(const YuvImage* images, std::size_t count, YuvRule rule,
                                      const PlanarFormat& format, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_YUV_HPP
