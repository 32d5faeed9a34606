// Data sets with labels for the command-line tests: a picture, and runs of augment with one
// variant.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace cli {

inline const Picture labelled_picture = random_picture(9, 5);

/// The words of a run into the folder out, with one variant, the flopped one.
inline Words augment(const Words& more) {
  return with({"augment", "-o", "out", "--variants", "flop"}, more);
}

/// What lies there, but for the manifest.
inline Names results(const Workplace& workplace) {
  Names names = workplace.files("out");
  names.erase("manifest.jsonl");
  return names;
}

}  // namespace cli
