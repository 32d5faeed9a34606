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

/// To the folder out, flopped.
inline Result augment(const Workplace& workplace, Words words) {
  words.insert(words.begin(), {"augment", "-o", "out", "--variants", "flop"});
  return workplace.qturn(words);
}

/// What lies there, but for the manifest.
inline Names results(const Workplace& workplace) {
  Names names = workplace.files("out");
  names.erase("manifest.jsonl");
  return names;
}

}  // namespace cli
