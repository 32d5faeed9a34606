// The two passes of a resized picture: other columns, and other rows.
#pragma once

#include <qturn/view.hpp>

#include <vector>

#include "kernels/src/resized_axis.hpp"

namespace qturn {

/// The taps and the weights of all results of an axis.
struct WeighedAxis {
  std::vector<Taps> taps;
  std::vector<int> weights;
  std::size_t most;  // weights of a result

  explicit WeighedAxis(const ResizedAxis& axis);
  const int* weights_of(std::int64_t result) const {
    return weights.data() + static_cast<std::size_t>(result) * most;
  }
};

/// Makes `dst` from `src`, whose rows it has, with other columns. Column 0 of `src` is column
/// `first` of the axis. Pixels have 1 to 3 bytes.
void make_columns_plain(ConstView src, int first, const WeighedAxis& axis, View dst);

/// Makes `dst` from `src`, whose columns it has, with other rows. Row 0 of `src` is row `first` of
/// the axis.
void make_rows_plain(ConstView src, int first, const WeighedAxis& axis, View dst);

}  // namespace qturn
