// Turns the images of one array into the images of another.
#pragma once

#include <vector>

#include "plugins/python/place.hpp"
#include "plugins/python/planes.hpp"

namespace qturn::python {

/// Appends one image of a batch for each image of `from`.
void add_images(std::vector<BatchImage>& images, const Planes& from, const Planes& to,
                Orientation orientation);

/// A single image, images at equal distances, and images of any kind each have a kernel of their
/// own; all take one launch (a batch of the third kind one per 360 images).
void turn(const Planes& from, const Planes& to, Orientation orientation, Place place);

}  // namespace qturn::python
