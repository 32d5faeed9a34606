// Batches on the CPU: one image after the other. The tests compare the GPU's results with it.
#include <qturn/batch.hpp>
#include <qturn/cpu.hpp>

#include "kernels/src/batch_images.hpp"

namespace qturn {

void transform_batch(const BatchImage* images, std::size_t count) {
  if (count == 0) return;
  check_images(images, count);
  for (std::size_t i = 0; i < count; ++i) {
    transform(images[i].src, images[i].dst, images[i].orientation);
  }
}

void transform_batch(const UniformBatch& batch) {
  check_uniform(batch);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const BatchImage image = image_of(batch, i);
    transform(image.src, image.dst, image.orientation);
  }
}

void transform_planes(const PlanesImage* images, std::size_t count) {
  if (count == 0) return;
  check_images(images, count);
  for (std::size_t i = 0; i < count; ++i) {
    const PlanesImage& image = images[i];
    for (int plane = 0; plane < image.planes; ++plane) {
      transform(image.src[plane], image.dst[plane], image.orientation);
    }
  }
}

}  // namespace qturn
