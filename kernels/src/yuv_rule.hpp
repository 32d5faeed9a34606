// What a YuvRule means, for the CPU and for the GPU.
#pragma once

#include <qturn/yuv.hpp>

#include <cstddef>

namespace qturn {

struct Rgb {
  int channel[3];
};

/// The numbers of a rule, as yuv.hpp names them.
struct YuvArithmetic {
  int black;        // of luma
  int grey;         // of chroma
  int most;         // of all channels
  int chroma_step;  // bytes from a sample of U to the next one
  int cy, rv, gu, gv, bu;

  constexpr Rgb rgb(int luma, int chroma_u, int chroma_v) const {
    const int y = (luma - black) * cy + 32768;
    const int u = chroma_u - grey;
    const int v = chroma_v - grey;
    return {limited((y + rv * v) >> 16), limited((y + gu * u + gv * v) >> 16),
            limited((y + bu * u) >> 16)};
  }

 private:
  constexpr int limited(int value) const { return value < 0 ? 0 : value > most ? most : value; }
};

YuvArithmetic arithmetic_of(YuvRule rule);

/// Bytes of a sample.
constexpr int sample_bytes(YuvFormat format) { return format == YuvFormat::p010 ? 2 : 1; }

/// Throws std::invalid_argument unless the image, the rule and the format agree.
void check_yuv(const YuvImage& image, YuvRule rule, const PlanarFormat& format);

/// The same of `count` images, at least one, with the number of the image.
void check_yuv(const YuvImage* images, std::size_t count, YuvRule rule, const PlanarFormat& format);

}  // namespace qturn
