// What must be true after every run, whatever befell it.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/disturbed_run.hpp"

namespace faults {

/// The rules that the run has broken, each as a sentence; `whole` is the undisturbed run.
std::vector<std::string> broken_rules(const Scenario& scenario, const Run& whole, const Run& run,
                                      const Fault& fault);

}  // namespace faults
