// What is run, again and again, with a fault at another call each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/faults/tree.hpp"

namespace faults {

struct Scenario {
  std::string name;
  std::vector<std::string> words;  ///< of the command line
  Tree before;
  /// What is added to them to finish a run that was ended by a signal. By default that is --resume
  /// if the run has left a journal, and nothing if it has not begun.
  std::optional<std::vector<std::string>> to_finish = {};
  Tree completed = {};  ///< what an interrupted run makes, which this one completes and takes back
};

/// The file of the JSON lines, in the scenarios that have one.
inline constexpr char json_file[] = "log";

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more);

std::vector<Scenario> scenarios();

}  // namespace faults
