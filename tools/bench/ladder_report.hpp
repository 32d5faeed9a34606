// The measurements of the ladder (docs/measurements/ladder.md): lines, tables, JSON, a plot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/cases.hpp"
#include "tools/bench/machine.hpp"

namespace qturn::bench {

struct LadderResult {
  std::string rung;
  std::string than;  ///< the rung that lacks its idea
  std::string shape;
  std::int64_t matrices;  ///< in one launch
  std::string conflicts;  ///< steps of a warp's write to and read from shared memory
  Rate rate;              ///< 0 where the rung is missing
  Rate bound;
  std::string bound_by;
  std::string missing;  ///< what was not found, if it was not

  double percent() const { return 100 * rate.median / bound.median; }
};

/// Called with each result as soon as it is there.
using LadderListener = std::function<void(const LadderResult&)>;

/// Checks every rung against the CPU, at odd sizes and at each of `shapes`, then measures it there,
/// unless `check_only`. Throws std::invalid_argument for a shape that is not a tight matrix or is
/// too large; std::runtime_error if there is no GPU, if it fails, or if the result of a rung is
/// wrong.
void measure_ladder(const std::vector<std::string>& shapes, bool check_only, int device,
                    int batches, const LadderListener& listener);

std::string line(const LadderResult& result);

/// Two tables with a row for each rung and a column for each shape: GB/s, and % of a copy of as
/// many bytes; and how many times as fast it is as the rung that lacks its idea.
std::string markdown(const std::vector<LadderResult>& results);

std::string json(const Machine& machine, const std::vector<LadderResult>& results);

/// A bar for each rung, in % of a copy at the first of the largest shapes, and a dot for each other
/// shape.
std::string svg(const Machine& machine, const std::vector<LadderResult>& results);

}  // namespace qturn::bench
