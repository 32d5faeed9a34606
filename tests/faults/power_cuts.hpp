// A run meets a power cut: its calls are recorded, every state of the disk that the rules of
// disk_states.hpp allow is made, and in each of them the run is finished as docs/files.md says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace faults {

struct PowerCutOptions {
  std::size_t states = 16;  ///< about so many of each scenario
  std::size_t most = 200;   ///< of Bounds
  std::uint64_t seed = 1;
  std::string scenario;
  /// To see that it would be found: as if the program did not flush its "files", "folders" or
  /// "journals".
  std::string forget;
  std::string keep;  ///< where the first state with a finding is left, to be looked at
  unsigned jobs = 1;
};

/// Prints what it finds. Returns the exit status of the program.
int run_power_cuts(const PowerCutOptions& options);

}  // namespace faults
