// Formats of labels that are not turned: known by the first bytes of a file, so that a message can
// name them and say what to convert them to.
#pragma once

#include <string_view>

namespace qturn {

struct ForeignFormat {
  std::string_view name;
  std::string_view instead;  ///< formats that are turned and can say the same
  bool (*is_of)(std::string_view lower_suffix, std::string_view head);
};

/// Null if it is not known. A format that is turned counts, too: its file lies elsewhere than such
/// files do, and `instead` is empty.
const ForeignFormat* foreign_format(std::string_view lower_suffix, std::string_view head);

}  // namespace qturn
