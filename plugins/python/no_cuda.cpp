// Places in a build without CUDA: all are on the host.
#include <stdexcept>

#include <qturn/cpu.hpp>
#include "plugins/python/place.hpp"

namespace qturn::python {
namespace {

void check_is_host(Place place) {
  if (place.device == host) return;
  throw std::runtime_error(
      "this qturn was built without CUDA: copy the array to the CPU, or install a qturn with CUDA");
}

}  // namespace

void transform(ConstView src, View dst, Orientation orientation, Place place) {
  check_is_host(place);
  qturn::transform(src, dst, orientation);
}

void transform_in_place(View view, Orientation orientation, Place place) {
  check_is_host(place);
  qturn::transform_in_place(view, orientation);
}

void transform_batch(const UniformBatch& batch, Place place) {
  check_is_host(place);
  qturn::transform_batch(batch);
}

void transform_batch(const BatchImage* images, std::size_t count, Place place) {
  check_is_host(place);
  qturn::transform_batch(images, count);
}

void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format,
                     Place place) {
  check_is_host(place);
  qturn::to_planar_batch(images, count, format);
}

void wait(Place place) { check_is_host(place); }

int device_of(const void*) { return 0; }  // refused with its first use

void* device_memory(std::size_t, int device) {
  check_is_host({device, nullptr});
  return nullptr;
}

void free_device_memory(void*, int) noexcept {}

}  // namespace qturn::python
