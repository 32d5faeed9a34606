// Another program that works in the folder of a run: at one of the run's calls it saves, replaces,
// moves or removes a file, or it is a second qturn.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/files/file_descriptor.hpp"
#include "tests/faults/disturbed_run.hpp"

namespace faults {

/// Where it keeps what it links to.
inline constexpr char elsewhere[] = "elsewhere";
/// What it adds to the name of what it moves.
inline constexpr char moved[] = ".moved";

/// What it may do at this call of the undisturbed run, to the files that the call is about.
std::vector<Fault> acts_at(const SystemCall& call, const Scenario& scenario, const Run& whole);

/// The other program, from the start of the run.
class OtherProgram {
 public:
  OtherProgram(Act act, std::filesystem::path folder);
  /// `call`: the run is about to make it; null: it has not begun.
  Deed act(const Scenario& scenario, const SystemCall* call) const;

 private:
  Act act_;
  std::filesystem::path folder_;
  qturn::FileDescriptor open_;  // of Act::Kind::save_late
};

/// What a run makes of the folder after the other program.
Tree made_after(const Scenario& scenario, const Act& act);

}  // namespace faults
