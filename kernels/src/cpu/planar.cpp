#include <qturn/planar.hpp>

#include <cmath>
#include <cstring>

#include "kernels/src/cpu/half.hpp"
#include "kernels/src/planar_format.hpp"

namespace qturn {
namespace {

template <class Sample>
Sample read(const char* from) {
  Sample sample;
  std::memcpy(&sample, from, sizeof(sample));
  return sample;
}

template <SampleType type>
float load(const char* from) {
  if constexpr (type == SampleType::uint8) return read<std::uint8_t>(from);
  if constexpr (type == SampleType::uint16) return read<std::uint16_t>(from);
  if constexpr (type == SampleType::float16) return float_of_half(read<std::uint16_t>(from));
  if constexpr (type == SampleType::float32) return read<float>(from);
}

template <SampleType type>
void store(char* to, float value) {
  if constexpr (type == SampleType::float32) {
    const std::uint32_t bits = std::isnan(value) ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
    std::memcpy(to, &bits, sizeof(bits));
  } else {
    const std::uint16_t bits = type == SampleType::float16 ? half_of(value) : bfloat16_of(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
}

struct Planes {
  ConstView src;
  PlanarView dst;
  PlanarArithmetic arithmetic;
  std::int64_t across;  // from where the source of one pixel is to that of the next one in a row
  std::int64_t down;    // and in a column
  const char* first;
};

template <SampleType src_type, SampleType dst_type>
void fill(const Planes& p) {
  for (int c = 0; c < p.arithmetic.planes; ++c) {
    const char* channel = p.first + p.arithmetic.channel[c] * sample_bytes(src_type);
    char* plane = static_cast<char*>(p.dst.data) + c * p.dst.plane_pitch;
    for (std::int64_t y = 0; y < p.dst.height; ++y) {
      for (std::int64_t x = 0; x < p.dst.width; ++x) {
        const float sample = load<src_type>(channel + x * p.across + y * p.down);
        store<dst_type>(plane + y * p.dst.pitch + x * sample_bytes(dst_type),
                        std::fma(sample, p.arithmetic.factor[c], p.arithmetic.offset[c]));
      }
    }
  }
}

template <SampleType src_type>
void fill_from(const Planes& planes, SampleType dst_type) {
  switch (dst_type) {
    case SampleType::float16:
      return fill<src_type, SampleType::float16>(planes);
    case SampleType::bfloat16:
      return fill<src_type, SampleType::bfloat16>(planes);
    default:
      return fill<src_type, SampleType::float32>(planes);
  }
}

}  // namespace

void to_planar(ConstView src, PlanarView dst, Orientation orientation, const PlanarFormat& format) {
  check_format(format, channels_of(src, format));
  check_planar_shapes(src, dst, orientation, format);
  if (src.empty()) return;
  const Size size{src.width, src.height};
  const Position origin = source_of(orientation, {0, 0}, size);
  const auto offset = [&](Position at) {
    return (at.x - origin.x) * src.pixel_bytes + (at.y - origin.y) * src.pitch;
  };
  const Planes planes{
      src,
      dst,
      arithmetic_of(format),
      offset(source_of(orientation, {1, 0}, size)),
      offset(source_of(orientation, {0, 1}, size)),
      static_cast<const char*>(src.data) + origin.x * src.pixel_bytes + origin.y * src.pitch};
  switch (format.src_type) {
    case SampleType::uint8:
      return fill_from<SampleType::uint8>(planes, format.dst_type);
    case SampleType::uint16:
      return fill_from<SampleType::uint16>(planes, format.dst_type);
    case SampleType::float16:
      return fill_from<SampleType::float16>(planes, format.dst_type);
    default:
      return fill_from<SampleType::float32>(planes, format.dst_type);
  }
}

void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  if (count == 0) return;
  check_images(images, count, format);
  for (std::size_t i = 0; i < count; ++i) {
    to_planar(images[i].src, images[i].dst, images[i].orientation, format);
  }
}

}  // namespace qturn
