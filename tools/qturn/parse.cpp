#include "tools/qturn/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/qturn/label_options.hpp"
#include "tools/qturn/option_values.hpp"
#include "tools/qturn/parser.hpp"

namespace qturn {
namespace {

std::vector<std::string> options_of(const CLI::App& operation) {
  std::vector<std::string> names;
  for (const CLI::Option* option : operation.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> operations_of(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::App* operation : parser.get_subcommands(nullptr)) {
    names.push_back(operation->get_name());
    for (const std::string& alias : operation->get_aliases()) names.push_back(alias);
  }
  return names;
}

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

/// Why there is no operation.
std::string no_operation(const CLI::App& parser, const std::vector<std::string>& words) {
  const std::string example = ", as in 'qturn upright photos -o turned'";
  if (words.empty()) return "begin with an operation" + example;
  if (!is_option(words[0])) {
    const std::string nearest = nearest_operation(words[0], operations_of(parser));
    return fmt::format("'{}' is not an operation{}", words[0],
                       nearest.empty() ? "; begin with one" + example : did_you_mean(nearest));
  }
  const std::string option = words[0].substr(0, words[0].find('='));
  const auto operations = parser.get_subcommands(nullptr);
  if (std::ranges::any_of(operations, [&](const CLI::App* each) {
        return each->get_option_no_throw(option) != nullptr;
      }))
    return "begin with an operation" + example;
  return fmt::format("'{}' is not an option{}", option,
                     did_you_mean(nearest_word(option, options_of(parser))));
}

/// A word that the operation does not take.
std::string unexpected(const CLI::App& operation, const std::string& word) {
  if (!is_option(word)) return fmt::format("'{}' is one argument too many", word);
  const std::string option = word.substr(0, word.find('='));
  return fmt::format("'{}' is not an option{}", option,
                     did_you_mean(nearest_word(option, options_of(operation))));
}

/// Options that are given together and must not be, or one that is given without what it needs.
std::string wrong_together(const CLI::App& operation) {
  for (const CLI::Option* option : operation.get_options()) {
    if (option->count() == 0) continue;
    for (const CLI::Option* other : option->get_excludes())
      if (other->count() > 0)
        return fmt::format("{} and {} exclude each other; leave one out", option->get_name(),
                           other->get_name());
    for (const CLI::Option* other : option->get_needs())
      if (other->count() == 0)
        return fmt::format("{} needs {}", option->get_name(), other->get_name());
  }
  return {};
}

/// An option without its value, with one that it does not take, or given twice.
std::string wrong_count(const CLI::App& operation, const CLI::ParseError& error) {
  for (const CLI::Option* option : operation.get_options()) {
    const bool takes_value = option->get_items_expected_max() > 0;
    const std::string name = option->get_name();
    if (takes_value && option->count() > static_cast<std::size_t>(option->get_items_expected_max()))
      return fmt::format("{} is given twice", name);
    const auto& results = option->results();
    if (!takes_value &&
        std::ranges::any_of(results, [](const std::string& each) { return each != "true"; }))
      return fmt::format("{} takes no value", name);
    // CLI11 names the option first.
    if (takes_value && std::string_view(error.what()).starts_with(name + ":"))
      return fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
  }
  return {};
}

/// What is wrong, in our own words: those of CLI11 are for programmers.
std::string complaint(const CLI::App& operation, const CLI::ParseError& error) {
  for (const std::string& word : operation.remaining())
    if (is_option(word)) return unexpected(operation, word);
  if (dynamic_cast<const CLI::ValidationError*>(&error))
    return error.what();  // these words are ours
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing && operation.get_option_no_throw("BACKUP"))
    return "name the folder of a run, or of all runs: qturn restore BACKUP";
  if (is_missing && operation.get_option_no_throw("OUTPUT"))
    return "name the folder that all shards wrote to: qturn merge OUTPUT";
  std::string why = wrong_count(operation, error);
  if (why.empty()) why = wrong_together(operation);
  if (why.empty() && operation.remaining_size() > 0)
    why = unexpected(operation, operation.remaining().front());
  return why.empty() ? "these options cannot be combined" : why;
}

}  // namespace

std::optional<int> parse(const std::vector<std::string>& words, CommandLine& line) {
  // An option comes first to ask for help, or by mistake: then all options are looked through.
  const bool is_version = words.size() == 1 && (words[0] == "-V" || words[0] == "--version");
  const bool needs_all = words.empty() || (is_option(words[0]) && !is_version);
  const auto parser = make_parser(line, needs_all ? std::string_view() : words[0]);
  try {
    // CLI11 wants them in this order.
    parser->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& help) {
    return parser->exit(help);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> operations = operations_of(*parser);
    if (words.empty() || std::ranges::find(operations, words[0]) == operations.end())
      throw CommandLineError(no_operation(*parser, words) + "; see 'qturn --help'");
    throw CommandLineError(fmt::format("{}; see 'qturn {} --help'",
                                       complaint(*parser->get_subcommands().front(), error),
                                       words[0]));
  }
  return std::nullopt;
}

/// `--json` alone means standard output, `--progress` alone 30 seconds. CLI11 would take the next
/// word for the value.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") {  // `help upright` is `upright --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--json") word = "--json=-";
    if (word == "--progress") word = "--progress=30";
  }
  // `check --labels data` and `check --labels yolo data` are both right.
  for (std::size_t i = 1; i < words.size() && words[0] == "check" && words[i] != "--"; ++i)
    if (words[i] == "--labels" && (i + 1 == words.size() || !is_label_kind(words[i + 1])))
      words[i] = "--labels=auto";
  return words;
}

}  // namespace qturn
