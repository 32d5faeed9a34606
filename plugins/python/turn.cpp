#include "plugins/python/turn.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace qturn::python {

void add_images(std::vector<BatchImage>& images, const Planes& from, const Planes& to,
                Orientation orientation) {
  const std::vector<View> sources = views_of(from);
  const std::vector<View> destinations = views_of(to);
  if (sources.size() != destinations.size()) {
    throw std::logic_error(std::to_string(sources.size()) + " images into " +
                           std::to_string(destinations.size()));
  }
  if (from.first.empty()) return;  // of any type
  for (std::size_t i = 0; i < sources.size(); ++i) {
    images.push_back({sources[i], destinations[i], orientation});
  }
}

void turn(const Planes& from, const Planes& to, Orientation orientation, Place place) {
  const std::int64_t count = from.count();
  if (count == 0 || from.first.empty()) return;
  orientation = in_memory(from, orientation, to);
  if (count == 1) return transform(from.first, to.first, orientation, place);
  const std::optional<std::int64_t> between = equal_distance(from);
  const std::optional<std::int64_t> between_results = equal_distance(to);
  if (between && between_results) {
    UniformBatch batch;
    batch.src = from.first;
    batch.dst = to.first;
    batch.src_stride = *between;
    batch.dst_stride = *between_results;
    batch.count = static_cast<std::size_t>(count);
    batch.orientation = orientation;
    return transform_batch(batch, place);
  }
  std::vector<BatchImage> images;
  add_images(images, from, to, orientation);
  transform_batch(images.data(), images.size(), place);
}

}  // namespace qturn::python
