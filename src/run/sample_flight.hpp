// One sample on its way: the flights of its pictures, whose results stand or fall together.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/run/flight.hpp"
#include "src/run/outcome.hpp"
#include "src/sources/sample_reader.hpp"

namespace qturn {

class SampleFlight {
 public:
  /// `shared` must outlive it.
  SampleFlight(SampleJobs sample, Shared& shared);

  /// The steps, in order. Each may suspend the calling task.
  void turn();
  /// Returns the number of variants that were put in their places.
  std::size_t put_in_place();

  /// Whether the run ended before the sample was turned.
  bool is_interrupted() const;
  /// One for each output of each picture; fewer if the sample was interrupted.
  std::vector<Outcome> outcomes() &&;

 private:
  void leave_out_parts();

  SampleJobs sample_;
  Shared& shared_;
  std::vector<std::unique_ptr<Flight>> flights_;
};

}  // namespace qturn
