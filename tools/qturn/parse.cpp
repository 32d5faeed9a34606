// Makes values of the words of a command line. No other file of the program includes CLI11.
#include "tools/qturn/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "src/formats/table.hpp"
#include "tools/qturn/options.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

/// An option of the operation, and what CLI11 read for it.
struct Read {
  const Option& option;
  CLI::Option* words;

  bool is_given() const { return words->count() > 0; }
};

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

/// "--format=png" begins with the name.
std::string name_in(const std::string& word) { return word.substr(0, word.find('=')); }

std::string not_an_option(const std::string& name, const Operation& operation) {
  std::vector<std::string> known;
  for (const Option& option : options())
    if ((option.of & operation.bit) != 0 && option.name().starts_with("--"))
      known.emplace_back(option.name());
  return fmt::format("'{}' is not an option{}", name, did_you_mean(nearest_word(name, known)));
}

/// Why there is no operation.
std::string no_operation(const std::vector<std::string>& words) {
  const std::string example = ", as in 'qturn upright photos -o turned'";
  if (words.empty()) return "begin with an operation" + example;
  if (!is_option(words[0])) {
    std::vector<std::string> known;
    for (const Operation& operation : operations())
      for (const std::string& name : operation.names()) known.push_back(name);
    const std::string nearest = nearest_operation(words[0], known);
    return fmt::format("'{}' is not an operation{}", words[0],
                       nearest.empty() ? "; begin with one" + example : did_you_mean(nearest));
  }
  const std::string name = name_in(words[0]);
  if (std::ranges::any_of(operations(), [&](const Operation& operation) {
        return option_of(operation, name) != nullptr;
      }))
    return "begin with an operation" + example;
  return not_an_option(name, program);
}

/// A word that the operation does not take.
std::string unexpected(const Operation& operation, const std::string& word) {
  if (!is_option(word)) return fmt::format("'{}' is one argument too many", word);
  return not_an_option(name_in(word), operation);
}

/// Names two options that must not be given together, or one that needs another.
std::string wrong_together(const std::vector<Read>& all) {
  const auto names = [](std::string_view list, const Option& option) {
    return std::ranges::count(split(list, ' '), option.name()) > 0;
  };
  for (const Read& each : all) {
    if (!each.is_given()) continue;
    const Option& option = each.option;
    for (const Read& other : all)
      if (other.is_given() &&
          (names(option.excludes, other.option) || names(other.option.excludes, option)))
        return fmt::format("{} and {} exclude each other; leave one out", option.name(),
                           other.option.name());
    for (const Read& other : all)
      if (!other.is_given() && names(option.needs, other.option))
        return fmt::format("{} needs {}", option.name(), other.option.name());
  }
  return {};
}

/// Names an option without its value, with a value that it does not take, or given twice.
std::string wrong_count(const std::vector<Read>& all, const CLI::ParseError& error) {
  for (const auto& [option, words] : all) {
    const bool takes_value = !option.value.empty();
    if (takes_value && !option.field.repeats && words->count() > 1)
      return fmt::format("{} is given twice", option.name());
    if (!takes_value && std::ranges::any_of(words->results(),
                                            [](const std::string& each) { return each != "true"; }))
      return fmt::format("{} takes no value", option.name());
    // CLI11 names the option first.
    if (takes_value &&
        std::string_view(error.what()).starts_with(fmt::format("{}:", option.name())))
      return fmt::format("{} needs a value: {} {}", option.name(), option.name(), option.value);
  }
  return {};
}

/// What is wrong, in our own words: CLI11 writes for programmers.
std::string complaint(const Operation& operation, const std::vector<Read>& all,
                      const std::vector<std::string>& remaining, const CLI::ParseError& error) {
  for (const std::string& word : remaining)
    if (is_option(word)) return unexpected(operation, word);
  if (dynamic_cast<const CLI::ValidationError*>(&error))
    return error.what();  // these words are ours
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing && operation.command == CommandLine::Command::restore)
    return "name the folder of a run, or of all runs: qturn restore BACKUP";
  if (is_missing && operation.command == CommandLine::Command::merge)
    return "name the folder that all shards wrote to: qturn merge OUTPUT";
  std::string why = wrong_count(all, error);
  if (why.empty()) why = wrong_together(all);
  if (why.empty() && !remaining.empty()) why = unexpected(operation, remaining.front());
  return why.empty() ? "these options cannot be combined" : why;
}

CLI::Option* add_option(CLI::App& app, CommandLine& line, const Option& option) {
  const std::string names(option.names);
  if (option.value.empty())
    return app.add_flag_callback(names, [&] { option.field.set(line, option, ""); });
  const auto set = [&line, &option](const std::string& value) {
    try {
      option.field.set(line, option, value);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(std::string(option.name()), error.what());
    }
  };
  if (!option.field.repeats)
    return app.add_option_function<std::string>(names, set)->required(!option.is_named());
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [set](const std::vector<std::string>& values) { std::ranges::for_each(values, set); })
      ->allow_extra_args(!option.is_named());
}

/// Gives an option that is typed without its value the value of its row: otherwise CLI11 would take
/// the next word.
void add_values(const Operation& operation, std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const Option* const option = option_of(operation, words[i]);
    if (!option || option->alone.empty()) continue;
    // `check --labels data` and `check --labels yolo data` are both right.
    const bool may_follow = !option->value.starts_with("[=");
    if (may_follow && i + 1 < words.size() && is_label_kind(words[i + 1])) continue;
    words[i] += fmt::format("={}", option->alone);
  }
}

/// The help or the version that is asked for without an operation, or before it; or nothing.
std::string said_without_operation(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::count(words, word) > 0; };
  if (has("-V") || has("--version"))
    return fmt::format("qturn {}\n{}\n", version, library_versions());
  if (!has("-h") && !has("--help")) return {};
  const Operation* asked = &program;
  for (const std::string& word : words)
    if (asked == &program && operation_of(word)) asked = operation_of(word);
  return help_text(*asked, !has("--help"));
}

}  // namespace

std::string parse(std::vector<std::string> words, CommandLine& line) {
  // `help upright` is `upright --help`.
  if (!words.empty() && words[0] == "help") {
    std::rotate(words.begin(), words.begin() + 1, words.end());
    words.back() = "--help";
  }
  const Operation* const operation = words.empty() ? nullptr : operation_of(words[0]);
  if (!operation) {
    if (std::string said = said_without_operation(words); !said.empty()) return said;
    throw CommandLineError(no_operation(words) + "; see 'qturn --help'");
  }
  line.command = operation->command;
  line.orientation = operation->orientation;
  add_values(*operation, words);

  CLI::App app;
  app.set_help_flag("-h");
  app.set_help_all_flag("--help");
  std::vector<Read> all;
  for (const Option& option : options())
    if ((option.of & operation->bit) != 0 && option.field.set)
      all.push_back({option, add_option(app, line, option)});
  try {
    // CLI11 wants them in this order.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    if (!wrong_together(all).empty()) throw CLI::RequiresError("", "");
  } catch (const CLI::CallForHelp&) {
    return help_text(*operation, true);
  } catch (const CLI::CallForAllHelp&) {
    return help_text(*operation, false);
  } catch (const CLI::ParseError& error) {
    throw CommandLineError(fmt::format(
        "{}; see 'qturn {} --help'", complaint(*operation, all, app.remaining(), error), words[0]));
  }
  return {};
}

}  // namespace qturn
