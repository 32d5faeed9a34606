// What `qturn` accepts, as two tables: its operations and their options. The parser, -h, --help,
// the man page and the completions come from them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/inputs/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Operations, a bit each.
using OperationSet = std::uint8_t;

struct Operation {
  std::string_view name, alias;  ///< the alias may be empty
  std::string_view help;
  std::string_view examples, exit_status;  ///< in its help; {0} is the name
  OperationSet bit;
  CommandLine::Command command;
  Orientation orientation = Orientation::identity;

  /// Its name, and its alias if it has one.
  std::vector<std::string> names() const;
};

/// What help says about the program itself.
extern const Operation program;

/// In the order in which help lists them.
std::span<const Operation> operations();

/// The one of this name or alias; or null.
const Operation* operation_of(std::string_view name);

struct Option;

/// What an option does to the fields of a command line.
struct Field {
  /// Takes a value as it was typed; a flag's is empty. Throws std::invalid_argument.
  void (*set)(CommandLine& line, const Option& option, const std::string& value);
  /// The values to type for the present state of the field; none if the option would be left out.
  /// Null: nobody asks.
  std::vector<std::string> (*typed)(const CommandLine& line, const Option& option) = nullptr;
  bool repeats = false;  ///< the option may be given several times
};

struct Option {
  OperationSet of;         ///< the operations that have it
  std::string_view group;  ///< its heading in help
  std::string_view names;  ///< "-o,--output"; a word without dashes is only its name in help
  /// The name of its value in help: "FILE"; or the words that it can be: "each|end|never". Empty:
  /// it is a flag.
  std::string_view value;
  std::string_view help;  ///< a fragment; -h prints only its first part
  Field field;
  /// `needs`: an option that it needs. `excludes`: options that it excludes, with spaces between.
  std::string_view needs = {}, excludes = {};
  /// Its value if none is typed. Then a typed value follows only after "=".
  std::string_view alone = {};

  constexpr bool is_named() const { return names.starts_with('-'); }
  /// "--output".
  constexpr std::string_view name() const { return names.substr(names.rfind(',') + 1); }
};

/// In the order of help: groups as their first option comes, options within their group.
std::span<const Option> options();

/// The option of an operation that has this name; or null.
const Option* option_of(const Operation& operation, std::string_view name);

/// Its help, with the formats and limits that it lists.
std::string help_of(const Option& option);

/// The names of the options that -h shows, in its order.
std::span<const std::string_view> often_typed();

/// The words between the separators.
std::vector<std::string> split(std::string_view text, char separator);

/// The text of -h or --help: first what people type, then the options, as wide as the terminal.
std::string help_text(const Operation& operation, bool is_short);

// Values of options, made from the words that are typed; errors are in our own words.

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
