#include "kernels/src/batch_images.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

std::string place(std::size_t image, int plane) {
  return "image " + std::to_string(image) + ", plane " + std::to_string(plane);
}

// A View or a ConstView, moved by this many bytes.
template <class AnyView>
AnyView moved(AnyView view, std::int64_t bytes) {
  view.data = reinterpret_cast<decltype(view.data)>(reinterpret_cast<std::uintptr_t>(view.data) +
                                                    static_cast<std::uintptr_t>(bytes));
  return view;
}

}  // namespace

void check_images(const BatchImage* images, std::size_t count) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  for (std::size_t i = 0; i < count; ++i) {
    const BatchImage& image = images[i];
    try {
      check_shapes(image.src, image.dst, image.orientation);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
    if (image.src.pixel_bytes != images[0].src.pixel_bytes) {
      throw std::invalid_argument("image " + std::to_string(i) + " has pixels of " +
                                  std::to_string(image.src.pixel_bytes) + " bytes, image 0 of " +
                                  std::to_string(images[0].src.pixel_bytes));
    }
  }
}

BatchPixels check_images(const PlanesImage* images, std::size_t count) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  int smallest = 0;
  int largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const PlanesImage& image = images[i];
    if (!is_valid(image.orientation)) {
      throw std::invalid_argument("image " + std::to_string(i) + ": orientation is " +
                                  std::to_string(static_cast<int>(image.orientation)) +
                                  ", expected 1 to 8");
    }
    if (image.planes < 0 || image.planes > most_planes) {
      throw std::invalid_argument("image " + std::to_string(i) + " has " +
                                  std::to_string(image.planes) + " planes, expected 0 to 4");
    }
    for (int plane = 0; plane < image.planes; ++plane) {
      try {
        check_shapes(image.src[plane], image.dst[plane], image.orientation);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(place(i, plane) + ": " + error.what());
      }
      const int bytes = image.src[plane].pixel_bytes;
      smallest = smallest == 0 ? bytes : std::min(smallest, bytes);
      largest = std::max(largest, bytes);
      const bool fits = (bytes == smallest || bytes == largest) &&
                        (smallest == largest || (smallest == 1 && largest == 2) ||
                         (smallest == 2 && largest == 4));
      if (!fits) {
        throw std::invalid_argument(place(i, plane) + " has pixels of " + std::to_string(bytes) +
                                    " bytes beside " +
                                    std::to_string(bytes == smallest ? largest : smallest) +
                                    ", expected one size, or 1 and 2, or 2 and 4");
      }
    }
  }
  return {smallest, largest == smallest ? 0 : largest};
}

void check_uniform(const UniformBatch& batch) {
  check_shapes(batch.src, batch.dst, batch.orientation);
  if (batch.count >= std::size_t{1} << 31) {
    throw std::invalid_argument(std::to_string(batch.count) + " images, expected fewer than 2^31");
  }
  if (batch.dst.empty()) return;
  // Whether two of them overlap depends only on their distance; beyond the length of one they do
  // not.
  const View dst = batch.dst;
  const std::int64_t bytes = (dst.height - 1) * std::abs(dst.pitch) + dst.row_bytes();
  for (std::size_t i = 1; i < batch.count; ++i) {
    const std::int64_t distance = static_cast<std::int64_t>(i) * batch.dst_stride;
    if (distance <= -bytes || distance >= bytes) break;
    if (overlap(dst, moved(dst, distance))) {
      throw std::invalid_argument("destinations " + std::to_string(batch.dst_stride) +
                                  " bytes apart, 0 and " + std::to_string(i) +
                                  " overlap in memory");
    }
  }
}

BatchImage image_of(const UniformBatch& batch, std::size_t i) {
  const auto number = static_cast<std::int64_t>(i);
  return {moved(batch.src, number * batch.src_stride), moved(batch.dst, number * batch.dst_stride),
          batch.orientation};
}

}  // namespace qturn
