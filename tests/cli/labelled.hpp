// Data sets with labels for the command-line tests: a picture, and runs of augment with one
// variant.
#pragma once

#include <qturn/orientation.hpp>

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

/// Where a picture and a file of it lie, what is turned of them, and where they lie then.
struct Layout {
  std::string picture, file, input, out_picture, out_file;
};

/// Flops a picture with a file of this content, and checks what is there then, and nothing else.
inline Result flop_layout(const Workplace& workplace, const Layout& layout,
                          const std::string& content, const Words& more = {}) {
  workplace.add(layout.picture, png(labelled_picture));
  workplace.add(layout.file, content);
  Result result = workplace.done(with(augment({layout.input}), more));
  CHECK(result.err.find("left out") == std::string::npos);
  CHECK(results(workplace) == Names{layout.out_picture, layout.out_file});
  CHECK(pixels_of(workplace.path() / "out" / layout.out_picture) ==
        turned(labelled_picture, qturn::Orientation::flop));
  return result;
}

}  // namespace cli
