// Interleaved pictures made planar: turned, channels chosen, samples converted and normalised, in
// one pass. What a training loop feeds to its model.
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
// The same on a stream, and for many pictures at once: <qturn/to_planar.hpp>.
#ifndef QTURN_PLANAR_HPP
#define QTURN_PLANAR_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <array>
#include <cstdint>

namespace qturn {

/// float16 is IEEE 754's binary16 (CUDA's half), bfloat16 the upper half of a binary32.
enum class SampleType : std::uint8_t { uint8, uint16, float16, bfloat16, float32 };

constexpr int sample_bytes(SampleType type) {
  return type == SampleType::uint8 ? 1 : type == SampleType::float32 ? 4 : 2;
}

/// Planes of one picture: that of channel c begins `c * plane_pitch` bytes after `data`, and in it
/// row y `y * pitch` bytes further on. Both may be negative.
struct PlanarView {
  void* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;
  std::int64_t plane_pitch = 0;
};

/// How samples become samples: plane c of the destination is made of channel `channel[c]` of the
/// source, so {2, 1, 0} makes RGB of BGR, {0, 1, 2} of RGBA drops alpha, and {0, 0, 0} makes three
/// planes of grey.
///
/// A sample x, an integer as it is, becomes (x * scale - mean[c]) / deviation[c], computed as one
/// fused multiply-add of floats, fma(x, factor, offset), where factor is scale / deviation[c] and
/// offset is -mean[c] / deviation[c], both computed in double and rounded to float once. The result
/// is rounded once more if `dst_type` is no float32. Each rounding is to the nearest, ties to even;
/// what is too large for `dst_type` becomes infinite. Subnormal numbers are kept, and any NaN
/// becomes the positive one of which all bits are set. So the CPU and every GPU agree in each bit.
struct PlanarFormat {
  SampleType src_type = SampleType::uint8;    ///< uint8, uint16, float16 or float32
  SampleType dst_type = SampleType::float32;  ///< float16, bfloat16 or float32
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
/// This defines what the GPU has to do, and is not made for speed.
///
/// Throws std::invalid_argument, before anything is written, when shapes disagree, `src` has no 1
/// to 4 samples or not the channels that `format` names, a type, a number of planes, an address or
/// a pitch is none of those above, a deviation is 0, a factor or an offset is not finite, or memory
/// overlaps.
QTURN_EXPORT void to_planar(ConstView src, PlanarView dst, Orientation orientation,
                            const PlanarFormat& format);

}  // namespace qturn

#endif  // QTURN_PLANAR_HPP
