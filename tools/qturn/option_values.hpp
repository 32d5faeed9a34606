// Values of options: from the words that are typed, in our own words where they are wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What somebody who mistyped a word may have meant.

namespace qturn {

/// The known word that begins with this one, or else the one that differs in the fewest letters:
/// changed, added, left out or exchanged. Empty if more than every third letter differs.
std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known);

/// The operation that is meant: what other programs call it, or else the nearest word.
std::string nearest_operation(std::string_view mistyped, const std::vector<std::string>& known);

/// " (did you mean WORD?)", or nothing without a word.
std::string did_you_mean(std::string_view word);

}  // namespace qturn

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace qturn {

/// The whole number in `text`. Throws std::invalid_argument unless it is one from `least` to
/// `most`.
std::uint64_t number_in(std::string_view text, std::uint64_t least, std::uint64_t most);

/// The bytes of a size such as 512MiB, 4G or 1000000; a unit is a power of 1024. Throws
/// std::invalid_argument for anything else, and for fewer bytes than `least`.
std::uint64_t size_in(std::string_view text, std::uint64_t least);

/// "'fial' is not one of fail, skip; did you mean fail?"
std::string not_one_of(std::string_view text, const std::vector<std::string>& known);

/// Adds an option with a value that `take` reads. What `take` throws is said after the option's
/// name.
CLI::Option* add_value(CLI::App& app, const std::string& names, std::string type, std::string help,
                       std::function<void(const std::string&)> take);

/// Adds an option whose value is one of a few words. The type is these words, so help and
/// completions list them.
template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names,
                        std::vector<std::pair<std::string, Value>> choices, std::string help,
                        std::function<void(Value)> take) {
  std::vector<std::string> words;
  std::string type;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    type += (type.empty() ? "" : "|") + word;
  }
  return add_value(
      app, names, type, std::move(help),
      [choices = std::move(choices), words, take = std::move(take)](const std::string& text) {
        for (const auto& [word, value] : choices)
          if (word == text) return take(value);
        throw std::invalid_argument(not_one_of(text, words));
      });
}

}  // namespace qturn
