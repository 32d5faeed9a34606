// From interleaved pictures to planes, the input of a model: orientation, choice of channels,
// conversion and normalisation in one pass. And from planes to interleaved pictures.
//
//   // ImageNet's normalisation of RGB bytes: y = (x / 255 - mean) / deviation.
//   qturn::PlanarFormat format;
//   format.src_type = qturn::SampleType::uint8;
//   format.dst_type = qturn::SampleType::float16;
//   format.scale = 1 / 255.0;
//   format.mean = {0.485, 0.456, 0.406};
//   format.deviation = {0.229, 0.224, 0.225};
//   qturn::to_planar(src, dst, qturn::Orientation::rotate90, format);
//
//   // 256 pictures into one tensor of 256 x 3 x 224 x 224 halves.
//   std::vector<qturn::PlanarImage> images(256);
//   for (std::size_t i = 0; i < images.size(); ++i) {
//     images[i].src = {.data = ..., .width = 224, .height = 224, .pitch = ..., .pixel_bytes = 3};
//     images[i].dst = {.data = tensor + i * 3 * 224 * 224, .width = 224, .height = 224,
//                      .pitch = 224 * 2, .plane_pitch = 224 * 224 * 2};
//     images[i].orientation = ...;
//   }
//   qturn::to_planar_batch(images.data(), images.size(), format, stream);
//
// Bytes become planes of bytes (HWC to CHW) as they are if dst_type is uint8 and the rest of the
// format is the default.
//
// Threads, streams, devices, graphs: as cpu.hpp and cuda.hpp say.
#ifndef QTURN_PLANAR_HPP
#define QTURN_PLANAR_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

/// CUDA's own declaration of a stream, repeated so that this header needs no header of CUDA. The
/// functions that take a stream exist only in libraries that are built with CUDA.
using cudaStream_t = struct CUstream_st*;

namespace qturn {

/// float16 is IEEE 754's binary16 (CUDA's half), bfloat16 the upper half of a binary32.
enum class SampleType : std::uint8_t { uint8, uint16, float16, bfloat16, float32 };

/// The size of a sample.
constexpr int sample_bytes(SampleType type) {
  return type == SampleType::uint8 ? 1 : type == SampleType::float32 ? 4 : 2;
}

/// The planes of one picture. The plane of channel c begins `c * plane_pitch` bytes after `data`.
/// Row y of a plane begins `y * pitch` bytes after the plane. Both pitches may be negative.
struct ConstPlanarView {
  const void* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;
  std::int64_t plane_pitch = 0;
};

/// A ConstPlanarView whose samples may be written.
struct PlanarView {
  void* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;
  std::int64_t plane_pitch = 0;

  constexpr operator ConstPlanarView() const { return {data, width, height, pitch, plane_pitch}; }
};

/// How samples are converted. Plane c of the destination is made from channel `channel[c]` of the
/// source, so {2, 1, 0} turns BGR into RGB, {0, 1, 2} drops the alpha of RGBA, and {0, 0, 0} makes
/// three planes from grey.
///
/// A sample x, an integer as it is, becomes (x * scale - mean[c]) / deviation[c], computed as one
/// fused multiply-add of floats, fma(x, factor, offset), where factor is scale / deviation[c] and
/// offset is -mean[c] / deviation[c], both computed in double and rounded to float once. The result
/// is rounded once more if `dst_type` is not float32. Each rounding is to the nearest, ties to
/// even; what is too large for `dst_type` becomes infinite. Subnormal numbers are kept, and any NaN
/// becomes the positive one with all bits set. As uint8, what is below 0 becomes 0, what is above
/// 255 becomes 255, and NaN becomes 0. So the CPU and every GPU agree in each bit.
struct PlanarFormat {
  SampleType src_type = SampleType::uint8;    ///< uint8, uint16, float16 or float32
  SampleType dst_type = SampleType::float32;  ///< uint8, float16, bfloat16 or float32
  int planes = 3;                             ///< of the destination: 1 to 4
  std::array<int, 4> channel{0, 1, 2, 3};
  double scale = 1;
  std::array<double, 4> mean{0, 0, 0, 0};
  std::array<double, 4> deviation{1, 1, 1, 1};
};

/// Writes `src`, seen in `orientation`, to the planes of `dst`, on the calling thread.
///
/// Shapes: `src` has pixels of 1 to 4 interleaved samples of `src_type`; `dst` is src.width x
/// src.height, or src.height x src.width where the orientation swaps axes (5 to 8). Both are host
/// memory; addresses and pitches are multiples of their samples' size, and nothing overlaps. Bytes
/// of `dst` between its rows and planes stay as they are. An empty image is a no-op.
///
/// The results on a GPU are defined by this function.
///
/// Throws std::invalid_argument, before anything is written, when shapes disagree; `src` does not
/// have 1 to 4 samples or lacks a channel that `format` names; a type, a number of planes, an
/// address or a pitch breaks the rules above; a deviation is 0; a factor or an offset is not
/// finite; or memory overlaps.
QTURN_EXPORT void to_planar(ConstView src, PlanarView dst, Orientation orientation,
                            const PlanarFormat& format);

/// `dst` becomes `src` seen in `orientation`, as in to_planar().
struct PlanarImage {
  ConstView src;
  PlanarView dst;
  Orientation orientation = Orientation::identity;
};

/// The same, bit for bit, in memory that the stream's device can reach: enqueues and returns
/// without waiting. Allocates nothing; may be captured in a graph. Bytes of `src` between
/// its rows may be read, but none before its first byte or after its last one.
///
/// Fastest if the destination's address, its two pitches and the bytes of its rows are multiples of
/// 16; a little faster still with multiples of 128; otherwise half as fast. The source may lie
/// anywhere, and gains a little from the same multiples.
///
/// Throws std::invalid_argument, before anything is enqueued, for what the overload above refuses;
/// CudaError when the launch fails.
QTURN_EXPORT void to_planar(ConstView src, PlanarView dst, Orientation orientation,
                            const PlanarFormat& format, cudaStream_t stream);

/// Fills all `count` destinations on the calling thread, one after the other, by the rules below.
QTURN_EXPORT void to_planar_batch(const PlanarImage* images, std::size_t count,
                                  const PlanarFormat& format);

/// The most images per launch: their descriptors are kernel parameters. 48 if the driver is older
/// than CUDA 12.1.
inline constexpr std::size_t planar_images_in_a_launch = 420;

/// Enqueues all `count` images and returns without waiting. Allocates nothing, does not read
/// `images` later; may be captured in a graph.
///
/// Sizes, pitches, alignments and orientations may differ from image to image; the format and the
/// number of channels of the source may not. More than planar_images_in_a_launch images take
/// several launches, one after the other. The rules of to_planar() hold for each image, and no
/// destination may overlap another image of the batch, which is not checked. Empty images are
/// skipped.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the image, for what
/// to_planar() refuses and for pixels of another size than in image 0; CudaError when a launch
/// fails.
QTURN_EXPORT void to_planar_batch(const PlanarImage* images, std::size_t count,
                                  const PlanarFormat& format, cudaStream_t stream);

/// Bytes of device memory that the overload below works in: 76 per image, and about 4 KB.
QTURN_EXPORT std::size_t planar_workspace_bytes(std::size_t count);

/// The same with descriptors in device memory, which are read when the stream reaches the call. A
/// graph that captured it can be replayed with other orientations, sizes and addresses; a width of
/// 0 skips an image. Any number of images takes two launches.
///
/// `workspace` is device memory of planar_workspace_bytes(count), aligned to 16 bytes, and in use
/// until the work is done. All sources have `channels` (1 to 4) samples per pixel.
///
/// The descriptors cannot be checked before the launch. An image is skipped if it has other pixels,
/// a negative size, a destination of the wrong shape, a number that is not an orientation, or an
/// address or a pitch that is not a multiple of its samples' size. Overlaps are not detected. A
/// batch of 2^31 tiles or more, which no memory holds, is skipped as a whole.
///
/// Throws std::invalid_argument, before anything is enqueued, for a format that to_planar()
/// refuses, a number of channels out of range, 2^31 images or more, and `images` or `workspace` at
/// address 0 or not aligned; CudaError when a launch fails.
QTURN_EXPORT void to_planar_batch(const PlanarImage* images, std::size_t count, int channels,
                                  const PlanarFormat& format, void* workspace, cudaStream_t stream);

/// `dst` becomes the planes of `src` seen in `orientation`, as in from_planar().
struct InterleavedImage {
  ConstPlanarView src;
  View dst;
  Orientation orientation = Orientation::identity;
};

/// The way back (CHW to HWC): writes the planes of `src`, seen in `orientation`, to the pixels of
/// `dst`, on the calling thread. Sample c of a pixel comes from plane c, and no bit changes.
///
/// Shapes: `src` has 1 to 4 `planes`, `dst` pixels of as many samples of 1, 2 or 4 bytes; `dst` is
/// src.width x src.height, or src.height x src.width where the orientation swaps axes (5 to 8).
/// Both are host memory; addresses and pitches are multiples of a sample's size, and `dst` overlaps
/// no plane. Bytes of `dst` between its rows stay as they are. An empty image is a no-op.
///
/// Throws std::invalid_argument, before anything is written, when shapes disagree; a side is 2^31
/// or more; a number of planes, a size of pixels, an address or a pitch breaks the rules above; or
/// memory overlaps.
QTURN_EXPORT void from_planar(ConstPlanarView src, int planes, View dst, Orientation orientation);

/// The same of all `count` images, one after the other.
QTURN_EXPORT void from_planar_batch(const InterleavedImage* images, std::size_t count, int planes);

/// The same in memory that the stream's device can reach: enqueues all images and returns without
/// waiting. Allocates nothing, does not read `images` later; may be captured in a graph.
///
/// Sizes, pitches and orientations may differ from image to image; the size of a pixel may not. Up
/// to 400 images take one launch, each 400 more another. No destination may overlap another image
/// of the batch, which is not checked. Empty images are skipped.
///
/// Throws std::invalid_argument, before anything is enqueued, for what from_planar() refuses, with
/// the index of the image; CudaError when a launch fails.
QTURN_EXPORT void from_planar_batch(const InterleavedImage* images, std::size_t count, int planes,
                                    cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_PLANAR_HPP
