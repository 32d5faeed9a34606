// What somebody who mistyped a word may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// The known word that begins with this one, or else the one that differs in the fewest letters:
/// changed, added, left out or exchanged. Empty if more than every third letter differs.
std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known);

/// The operation that is meant: what other programs call it, or else the nearest word.
std::string nearest_operation(std::string_view mistyped, const std::vector<std::string>& known);

/// " (did you mean WORD?)", or nothing without a word.
std::string did_you_mean(std::string_view word);

}  // namespace qturn
