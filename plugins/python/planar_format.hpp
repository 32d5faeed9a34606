// What a caller says of the planes that to_planar() and decode_batch() make.
#pragma once

#include <qturn/planar.hpp>

#include <optional>
#include <string>
#include <vector>

namespace qturn::python {

struct PlanarWanted {
  std::string dtype;
  std::vector<double> mean, deviation;  ///< one, or one for each plane
  std::vector<int> channels;
  std::optional<double> scale;
};

/// Throws nanobind::value_error and nanobind::type_error.
PlanarFormat format_of(const std::string& src_type, const PlanarWanted& wanted);

}  // namespace qturn::python
