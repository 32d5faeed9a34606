// The checks of batches before they touch a pixel, on the CPU and on the GPU.
#pragma once

#include <qturn/batch.hpp>

namespace qturn {

/// The pixels of a batch have `bytes`, or `other_bytes` where that is not 0: 1 and 2, or 2 and 4.
struct BatchPixels {
  int bytes;
  int other_bytes;
};

inline constexpr int most_planes = 4;

/// Throws std::invalid_argument, with the number of the image, unless all make sense and have
/// pixels of one size. There must be at least one.
void check_images(const BatchImage* images, std::size_t count);

/// The same for all planes; returns the sizes of their pixels, 0 if there are none.
BatchPixels check_images(const PlanesImage* images, std::size_t count);

/// Throws std::invalid_argument unless all images make sense and no two destinations share a byte.
void check_uniform(const UniformBatch& batch);

/// Image i.
BatchImage image_of(const UniformBatch& batch, std::size_t i);

}  // namespace qturn
