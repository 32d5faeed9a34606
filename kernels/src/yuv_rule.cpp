#include "kernels/src/yuv_rule.hpp"

#include <qturn/batch.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/src/planar_format.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

void check_plane(ConstView view, Size size, int pixel_bytes, const std::string& which) {
  check_view(view, which);
  if (view.pixel_bytes != pixel_bytes) {
    throw std::invalid_argument(which + " has pixels of " + std::to_string(view.pixel_bytes) +
                                " bytes, expected " + std::to_string(pixel_bytes));
  }
  if (view.width != size.width || view.height != size.height) {
    throw std::invalid_argument(which + " is " + std::to_string(view.width) + "x" +
                                std::to_string(view.height) + ", expected " +
                                std::to_string(size.width) + "x" + std::to_string(size.height));
  }
}

}  // namespace

YuvArithmetic arithmetic_of(YuvRule rule) {
  const bool ten_bits = rule.format == YuvFormat::p010;
  const bool full = rule.range == YuvRange::full;
  const double kr = rule.matrix == YuvMatrix::bt601   ? 0.299
                    : rule.matrix == YuvMatrix::bt709 ? 0.2126
                                                      : 0.2627;
  const double kb = rule.matrix == YuvMatrix::bt601   ? 0.114
                    : rule.matrix == YuvMatrix::bt709 ? 0.0722
                                                      : 0.0593;
  const double kg = 1 - kr - kb;
  const int times = ten_bits ? 4 : 1;
  const int most = ten_bits ? 1023 : 255;
  const double luma = full ? 1 : most / (219.0 * times);
  const double chroma = full ? 1 : most / (224.0 * times);
  const double rv = 2 * (1 - kr) * chroma;
  const double bu = 2 * (1 - kb) * chroma;
  const auto factor = [](double value) { return static_cast<int>(std::lround(value * 65536)); };
  return {.black = full ? 0 : 16 * times,
          .grey = 128 * times,
          .most = most,
          .chroma_step = (rule.format == YuvFormat::i420 ? 1 : 2) * sample_bytes(rule.format),
          .cy = factor(luma),
          .rv = factor(rv),
          .gu = factor(-bu * kb / kg),
          .gv = factor(-rv * kr / kg),
          .bu = factor(bu)};
}

void check_yuv(const YuvImage& image, YuvRule rule, const PlanarFormat& format) {
  if (rule.format > YuvFormat::i420 || rule.matrix > YuvMatrix::bt2020 ||
      rule.range > YuvRange::full) {
    throw std::invalid_argument("the format, the matrix or the range of the rule is no such value");
  }
  const int bytes = sample_bytes(rule.format);
  if (format.src_type != (bytes == 2 ? SampleType::uint16 : SampleType::uint8)) {
    throw std::invalid_argument(bytes == 2 ? "src_type is not uint16, which p010 has"
                                           : "src_type is not uint8, which nv12 and i420 have");
  }
  check_format(format, 3);
  const Size size{image.luma.width, image.luma.height};
  check_plane(image.luma, size, bytes, "luma");
  check_side(size);
  const bool pairs = rule.format != YuvFormat::i420;
  for (int i = 0; i < (pairs ? 1 : 2); ++i) {
    check_plane(image.chroma[i], chroma_size(Subsampling::yuv420, size), pairs ? 2 * bytes : 1,
                "chroma " + std::to_string(i));
  }
  check_turned_size({image.dst.width, image.dst.height}, size, image.orientation);
  check_planes(image.luma, image.dst, format);
  for (int i = 0; i < (pairs ? 1 : 2); ++i) check_planes(image.chroma[i], image.dst, format);
}

void check_yuv(const YuvImage* images, std::size_t count, YuvRule rule,
               const PlanarFormat& format) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  for (std::size_t i = 0; i < count; ++i) {
    try {
      check_yuv(images[i], rule, format);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
  }
}

}  // namespace qturn
