// Pictures are turned first, a band of rows at a time, by the kernels of transform(): the band
// stays in a cache, and then the samples of each row are read in their order. Bytes have only 256
// values, so what becomes of each is computed once and looked up.
#include <qturn/cpu.hpp>
#include <qturn/planar.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/src/cpu/half.hpp"
#include "kernels/src/cpu/rows.hpp"
#include "kernels/src/planar_format.hpp"
#include "kernels/src/reduced.hpp"

namespace qturn {
namespace {

template <SampleType type>
float load(const std::uint8_t* from) {
  const auto read = [&](auto sample) {
    std::memcpy(&sample, from, sizeof(sample));
    return sample;
  };
  if constexpr (type == SampleType::uint8) return read(std::uint8_t());
  if constexpr (type == SampleType::uint16) return read(std::uint16_t());
  if constexpr (type == SampleType::float16) return float_of_half(read(std::uint16_t()));
  if constexpr (type == SampleType::float32) return read(float());
}

/// A sample of the result.
template <SampleType type>
auto bits_of(float value) {
  if constexpr (type == SampleType::uint8) return byte_of(value);
  if constexpr (type == SampleType::float16) return half_of(value);
  if constexpr (type == SampleType::bfloat16) return bfloat16_of(value);
  if constexpr (type == SampleType::float32)
    return std::isnan(value) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(value);
}

template <SampleType src_type, SampleType dst_type>
class Conversion {
 public:
  using Result = decltype(bits_of<dst_type>(0));

  explicit Conversion(const PlanarArithmetic& arithmetic) : arithmetic_(arithmetic) {
    if constexpr (src_type == SampleType::uint8) {
      for (int plane = 0; plane < arithmetic.planes; ++plane)
        for (int sample = 0; sample < 256; ++sample)
          table_[at(plane)][at(sample)] = converted(plane, static_cast<float>(sample));
    }
  }

  /// The row `y` of all planes.
  void row(const std::uint8_t* in, int pixel_bytes, const PlanarView& dst, std::int64_t y) const {
    for (int plane = 0; plane < arithmetic_.planes; ++plane) {
      const std::uint8_t* from = in + arithmetic_.channel[plane] * sample_bytes(src_type);
      auto* to = static_cast<std::uint8_t*>(dst.data) + plane * dst.plane_pitch + y * dst.pitch;
      for (std::int64_t x = 0; x < dst.width; ++x, from += pixel_bytes, to += sizeof(Result)) {
        const Result result = of(plane, from);
        std::memcpy(to, &result, sizeof(result));
      }
    }
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  Result converted(int plane, float sample) const {
    return bits_of<dst_type>(
        std::fma(sample, arithmetic_.factor[plane], arithmetic_.offset[plane]));
  }
  Result of(int plane, const std::uint8_t* from) const {
    if constexpr (src_type == SampleType::uint8) return table_[at(plane)][*from];
    return converted(plane, load<src_type>(from));
  }

  const PlanarArithmetic arithmetic_;
  std::array<std::array<Result, src_type == SampleType::uint8 ? 256 : 1>, 4> table_;
};

/// `band` is memory that images may share.
template <SampleType src_type, SampleType dst_type>
void turn(const PlanarImage& image, const Conversion<src_type, dst_type>& conversion,
          std::vector<std::uint8_t>& band) {
  const ConstView& src = image.src;
  const PlanarView& dst = image.dst;
  if (src.empty()) return;
  const Reading r = reading(image.orientation);
  const auto convert = [&](ConstView rows, std::int64_t y) {
    for (std::int64_t row = 0; row < rows.height; ++row)
      conversion.row(row_of(rows, row), rows.pixel_bytes, dst, y + row);
  };
  if (!r.swap_axes && !r.from_right) return convert(r.from_bottom ? upside_down(src) : src, 0);
  constexpr std::int64_t band_bytes = std::int64_t{128} << 10;
  const std::int64_t row_bytes = dst.width * src.pixel_bytes;
  const std::int64_t most = std::clamp<std::int64_t>(band_bytes / row_bytes, 1, dst.height);
  band.resize(std::max(band.size(), static_cast<std::size_t>(most * row_bytes)));
  for (std::int64_t y = 0; y < dst.height; y += most) {
    const std::int64_t rows = std::min(most, dst.height - y);
    const View turned{band.data(), dst.width, rows, row_bytes, src.pixel_bytes};
    transform(part_of(src, r, y, rows), turned, image.orientation);
    convert(turned, y);
  }
}

template <SampleType src_type, SampleType dst_type>
void turn_all(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  const Conversion<src_type, dst_type> conversion(arithmetic_of(format));
  std::vector<std::uint8_t> band;
  for (std::size_t i = 0; i < count; ++i) turn(images[i], conversion, band);
}

template <SampleType src_type>
void turn_all(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  switch (format.dst_type) {
    case SampleType::uint8:
      return turn_all<src_type, SampleType::uint8>(images, count, format);
    case SampleType::float16:
      return turn_all<src_type, SampleType::float16>(images, count, format);
    case SampleType::bfloat16:
      return turn_all<src_type, SampleType::bfloat16>(images, count, format);
    default:
      return turn_all<src_type, SampleType::float32>(images, count, format);
  }
}

void turn_checked(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  switch (format.src_type) {
    case SampleType::uint8:
      return turn_all<SampleType::uint8>(images, count, format);
    case SampleType::uint16:
      return turn_all<SampleType::uint16>(images, count, format);
    case SampleType::float16:
      return turn_all<SampleType::float16>(images, count, format);
    default:
      return turn_all<SampleType::float32>(images, count, format);
  }
}

}  // namespace

void to_planar(ConstView src, PlanarView dst, Orientation orientation, const PlanarFormat& format) {
  check_format(format, channels_of(src, format));
  check_planar_shapes(src, dst, orientation, format);
  const PlanarImage image{src, dst, orientation};
  turn_checked(&image, 1, format);
}

void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  if (count == 0) return;
  check_images(images, count, format);
  turn_checked(images, count, format);
}

}  // namespace qturn
