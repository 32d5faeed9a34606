// Values of options, made from the words that are typed; errors are in our own words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/inputs/options.hpp"

namespace qturn {

// What somebody who mistyped a word may have meant.

/// The known word that begins with this one, or else the one that differs in the fewest letters:
/// changed, added, left out or exchanged. Empty if more than every third letter differs.
std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known);

/// The operation that is meant, by its name in other programs, or else the nearest word.
std::string nearest_operation(std::string_view mistyped, const std::vector<std::string>& known);

/// " (did you mean WORD?)", or nothing without a word.
std::string did_you_mean(std::string_view word);

// All throw std::invalid_argument.

/// The whole number in `text`, from `least` to `most`.
std::uint64_t number_in(std::string_view text, std::uint64_t least, std::uint64_t most);

/// The bytes of a size such as 512MiB, 4G or 1000000, at least `least`. A unit is a power of 1024.
std::uint64_t size_in(std::string_view text, std::uint64_t least);

/// "'fial' is not one of fail, skip; did you mean fail?"
std::string not_one_of(std::string_view text, const std::vector<std::string>& known);

/// Sets what NAME=VALUE says.
void set_limit(Limits& limits, double& seconds, const std::string& text);

/// What --labels says, with the rest of `before`.
LabelOptions label_options(const std::string& text, const LabelOptions& before);

/// Whether --labels takes this word. With check its value is optional: the word may be an input.
bool is_label_kind(const std::string& word);

}  // namespace qturn
