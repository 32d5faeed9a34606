// Planes are the images of a batch; what is left to do here is to see whether they fit one launch.
#include <qturn/planes.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/src/batch_launch.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

constexpr int most_planes = 4;

std::string place(std::size_t image, int plane) {
  return "image " + std::to_string(image) + ", plane " + std::to_string(plane);
}

// All there are: two at most, of which the second is twice the first.
BatchPixels check_images(const PlanesImage* images, std::size_t count) {
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  int smallest = 0;
  int largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const PlanesImage& image = images[i];
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

BatchImage plane_at(const void* context, std::size_t i) {
  const PlanesImage& image = static_cast<const PlanesImage*>(context)[i / most_planes];
  const std::size_t plane = i % most_planes;
  if (static_cast<int>(plane) >= image.planes) return {};
  return {image.src[plane], image.dst[plane], image.orientation};
}

}  // namespace

void transform_planes(const PlanesImage* images, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const BatchPixels pixels = check_images(images, count);
  enqueue_batch({count * most_planes, images, plane_at}, pixels, stream);
}

}  // namespace qturn
