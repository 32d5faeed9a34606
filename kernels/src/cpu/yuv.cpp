// A frame becomes RGB, then to_planar() turns and converts it.
#include <qturn/planar.hpp>
#include <qturn/yuv.hpp>

#include <cstring>
#include <vector>

#include "kernels/src/cpu/rows.hpp"
#include "kernels/src/yuv_rule.hpp"

namespace qturn {
namespace {

template <class Sample>
int sample_at(const std::uint8_t* from) {
  Sample sample;
  std::memcpy(&sample, from, sizeof(sample));
  return sizeof(Sample) == 2 ? sample >> 6 : sample;
}

template <class Sample>
void to_rgb(const YuvImage& image, const YuvArithmetic& numbers, const std::uint8_t* u,
            const std::uint8_t* v, std::int64_t y, std::uint8_t* to) {
  const std::uint8_t* luma = row_of(image.luma, y);
  for (std::int64_t x = 0; x < image.luma.width; ++x, to += 3 * sizeof(Sample)) {
    const std::int64_t chroma = x / 2 * numbers.chroma_step;
    const Rgb rgb =
        numbers.rgb(sample_at<Sample>(luma + x * static_cast<std::int64_t>(sizeof(Sample))),
                    sample_at<Sample>(u + chroma), sample_at<Sample>(v + chroma));
    for (std::size_t c = 0; c < 3; ++c) {
      const auto sample = static_cast<Sample>(rgb.channel[c]);
      std::memcpy(to + c * sizeof(Sample), &sample, sizeof(sample));
    }
  }
}

// `memory` is for the frame as RGB, and images may share it.
void make_planes(const YuvImage& image, YuvRule rule, const PlanarFormat& format,
                 std::vector<std::uint8_t>& memory) {
  if (image.luma.empty()) return;
  const YuvArithmetic numbers = arithmetic_of(rule);
  const int bytes = sample_bytes(rule.format);
  const std::int64_t width = image.luma.width;
  const std::int64_t height = image.luma.height;
  memory.resize(static_cast<std::size_t>(width * height * 3 * bytes));
  const View rgb{memory.data(), width, height, width * 3 * bytes, 3 * bytes};
  for (std::int64_t y = 0; y < height; ++y) {
    const std::uint8_t* u = row_of(image.chroma[0], y / 2);
    const std::uint8_t* v =
        rule.format == YuvFormat::i420 ? row_of(image.chroma[1], y / 2) : u + bytes;
    (bytes == 2 ? to_rgb<std::uint16_t> : to_rgb<std::uint8_t>)(image, numbers, u, v, y,
                                                                row_of(rgb, y));
  }
  to_planar(rgb, image.dst, image.orientation, format);
}

}  // namespace

void yuv_to_planar(const YuvImage& image, YuvRule rule, const PlanarFormat& format) {
  check_yuv(image, rule, format);
  std::vector<std::uint8_t> memory;
  make_planes(image, rule, format, memory);
}

void yuv_to_planar_batch(const YuvImage* images, std::size_t count, YuvRule rule,
                         const PlanarFormat& format) {
  if (count == 0) return;
  check_yuv(images, count, rule, format);
  std::vector<std::uint8_t> memory;
  for (std::size_t i = 0; i < count; ++i) make_planes(images[i], rule, format, memory);
}

}  // namespace qturn
