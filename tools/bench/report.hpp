// Results as lines, as the README's table, as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/cases.hpp"
#include "tools/bench/machine.hpp"

namespace qturn::bench {

std::string heading(const Machine& machine);
std::string line(const Result& result);

/// A row for each shape and orientation, and for each other library there; a column for each pixel
/// size, in % of the bound.
std::string markdown(const std::vector<Result>& results);

std::string json(const Machine& machine, const std::vector<Result>& results);

}  // namespace qturn::bench
