#include "kernels/src/planar_format.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

std::string text(std::int64_t number) { return std::to_string(number); }
std::string text(Size size) { return text(size.width) + "x" + text(size.height); }

// Messages call an address or a pitch by `what` it is.
void check_multiple(std::int64_t number, int bytes, const char* which, const char* what) {
  if (number % bytes != 0) {
    throw std::invalid_argument(std::string(which) + what + text(number) +
                                ", expected a multiple of " + text(bytes));
  }
}

void check_alignment(const void* data, std::int64_t pitch, int bytes, const char* which) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) % 16);
  check_multiple(address, bytes, which, " lies at an address that modulo 16 is ");
  check_multiple(pitch, bytes, which, " has a pitch of ");
}

}  // namespace

ConstView plane_of(ConstPlanarView view, int plane, int bytes) {
  const std::int64_t offset = plane * view.plane_pitch;
  return {reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(view.data) +
                                        static_cast<std::uintptr_t>(offset)),
          view.width, view.height, view.pitch, bytes};
}

void check_turned_size(Size dst, Size src, Orientation orientation) {
  const Size expected = turned_size(orientation, src);
  if (dst == expected) return;
  throw std::invalid_argument("dst is " + text(dst) + ", expected " + text(expected));
}

void check_side(Size size) {
  if (size.width >> 31 == 0 && size.height >> 31 == 0) return;
  throw std::invalid_argument("src is " + text(size) + ", expected sides below 2^31");
}

PlanarArithmetic arithmetic_of(const PlanarFormat& format) {
  PlanarArithmetic result{};
  result.planes = format.planes;
  for (std::size_t c = 0; c < static_cast<std::size_t>(format.planes); ++c) {
    result.factor[c] = static_cast<float>(format.scale / format.deviation[c]);
    result.offset[c] = static_cast<float>(-format.mean[c] / format.deviation[c]);
    result.channel[c] = format.channel[c];
  }
  return result;
}

void check_format(const PlanarFormat& format, int channels) {
  switch (format.src_type) {
    case SampleType::uint8:
    case SampleType::uint16:
    case SampleType::float16:
    case SampleType::float32:
      break;
    default:
      throw std::invalid_argument("src_type is not one of uint8, uint16, float16 and float32");
  }
  switch (format.dst_type) {
    case SampleType::uint8:
    case SampleType::float16:
    case SampleType::bfloat16:
    case SampleType::float32:
      break;
    default:
      throw std::invalid_argument("dst_type is not one of uint8, float16, bfloat16 and float32");
  }
  if (channels < 1 || channels > 4) {
    throw std::invalid_argument("src has " + text(channels) + " channels, expected 1 to 4");
  }
  if (format.planes < 1 || format.planes > 4) {
    throw std::invalid_argument("dst has " + text(format.planes) + " planes, expected 1 to 4");
  }
  const PlanarArithmetic numbers = arithmetic_of(format);
  for (std::size_t c = 0; c < static_cast<std::size_t>(format.planes); ++c) {
    if (format.channel[c] < 0 || format.channel[c] >= channels) {
      throw std::invalid_argument("plane " + std::to_string(c) + " is made of channel " +
                                  text(format.channel[c]) + ", expected 0 to " +
                                  text(channels - 1));
    }
    if (!std::isfinite(numbers.factor[c]) || !std::isfinite(numbers.offset[c])) {
      throw std::invalid_argument(
          "plane " + std::to_string(c) + " has scale " + std::to_string(format.scale) + ", mean " +
          std::to_string(format.mean[c]) + " and deviation " + std::to_string(format.deviation[c]) +
          ", and their quotients are not finite");
    }
  }
}

int channels_of(ConstView src, const PlanarFormat& format) {
  const int bytes = sample_bytes(format.src_type);
  if (src.pixel_bytes < bytes || src.pixel_bytes > 4 * bytes || src.pixel_bytes % bytes != 0) {
    throw std::invalid_argument("src has pixels of " + text(src.pixel_bytes) +
                                " bytes, expected 1 to 4 samples of " + text(bytes));
  }
  return src.pixel_bytes / bytes;
}

void check_planar_shapes(ConstView src, PlanarView dst, Orientation orientation,
                         const PlanarFormat& format) {
  check_view(src, "src");
  check_view(plane_of(dst, 0, sample_bytes(format.dst_type)), "dst");
  check_turned_size({dst.width, dst.height}, {src.width, src.height}, orientation);
  check_planes(src, dst, format);
}

void check_planes(ConstView src, PlanarView dst, const PlanarFormat& format) {
  const int bytes = sample_bytes(format.dst_type);
  const ConstView first = plane_of(dst, 0, bytes);
  check_view(first, "dst");
  if (src.empty() || first.empty()) return;
  check_rows(first, "dst");
  // The pitch of a single row or plane has no meaning.
  check_alignment(src.data, src.height > 1 ? src.pitch : 0, sample_bytes(format.src_type), "src");
  check_alignment(dst.data, dst.height > 1 ? dst.pitch : 0, bytes, "dst");
  if (format.planes > 1) {
    check_multiple(dst.plane_pitch, bytes, "dst", " has a plane pitch of ");
  }
  for (int i = 0; i < format.planes; ++i) {
    const ConstView plane = plane_of(dst, i, bytes);
    if (overlap(src, plane)) {
      throw std::invalid_argument("src and plane " + text(i) + " of dst overlap in memory");
    }
    for (int j = 0; j < i; ++j) {
      if (overlap(plane_of(dst, j, bytes), plane)) {
        throw std::invalid_argument("planes " + text(j) + " and " + text(i) +
                                    " of dst overlap in memory");
      }
    }
  }
}

int check_interleaved(const InterleavedImage& image, int planes) {
  const ConstPlanarView& src = image.src;
  const View& dst = image.dst;
  if (planes < 1 || planes > 4) {
    throw std::invalid_argument("src has " + text(planes) + " planes, expected 1 to 4");
  }
  const int bytes = dst.pixel_bytes / planes;
  if (dst.pixel_bytes % planes != 0 || (bytes != 1 && bytes != 2 && bytes != 4)) {
    throw std::invalid_argument("dst has pixels of " + text(dst.pixel_bytes) + " bytes, expected " +
                                text(planes) + " samples of 1, 2 or 4");
  }
  const ConstView first = plane_of(src, 0, bytes);
  check_view(first, "src");
  check_view(dst, "dst");
  check_turned_size({dst.width, dst.height}, {src.width, src.height}, image.orientation);
  check_side({src.width, src.height});
  if (dst.empty()) return bytes;
  check_rows(dst, "dst");
  check_alignment(src.data, src.height > 1 ? src.pitch : 0, bytes, "src");
  check_alignment(dst.data, dst.height > 1 ? dst.pitch : 0, bytes, "dst");
  if (planes > 1) check_multiple(src.plane_pitch, bytes, "src", " has a plane pitch of ");
  for (int i = 0; i < planes; ++i) {
    if (!overlap(plane_of(src, i, bytes), dst)) continue;
    throw std::invalid_argument("plane " + text(i) + " of src and dst overlap in memory");
  }
  return bytes;
}

int check_interleaved(const InterleavedImage* images, std::size_t count, int planes) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  int bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const int found = check_interleaved(images[i], planes);
      if (i == 0) bytes = found;
      if (found == bytes) continue;
      throw std::invalid_argument("dst has samples of " + text(found) + " bytes, image 0 has " +
                                  text(bytes));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
  }
  return bytes;
}

int check_images(const PlanarImage* images, std::size_t count, const PlanarFormat& format) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  const int channels = channels_of(images[0].src, format);
  check_format(format, channels);
  for (std::size_t i = 0; i < count; ++i) {
    const PlanarImage& image = images[i];
    if (image.src.pixel_bytes != images[0].src.pixel_bytes) {
      throw std::invalid_argument("image " + std::to_string(i) + " has pixels of " +
                                  std::to_string(image.src.pixel_bytes) + " bytes, image 0 of " +
                                  std::to_string(images[0].src.pixel_bytes));
    }
    try {
      check_planar_shapes(image.src, image.dst, image.orientation, format);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
  }
  return channels;
}

}  // namespace qturn
