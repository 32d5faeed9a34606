#include "tools/qturn/parse.hpp"

#include <fmt/format.h>

#include "tools/qturn/label_options.hpp"
#include "tools/qturn/parser.hpp"
#include "tools/qturn/suggestion.hpp"

namespace qturn {
namespace {

std::string did_you_mean(std::string_view mistyped, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(mistyped, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

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

/// For an unknown operation CLI11 only says that an operation is missing.
std::string complaint(const CLI::App& parser, const CLI::ParseError& error,
                      const std::vector<std::string>& words) {
  const std::vector<CLI::App*> named = parser.get_subcommands();
  if (named.empty()) {
    if (words.empty()) return "name an operation";
    const bool is_option = words[0].starts_with('-');
    return fmt::format(
        "'{}' is not an {}{}", words[0], is_option ? "option" : "operation",
        did_you_mean(words[0], is_option ? options_of(parser) : operations_of(parser)));
  }
  for (const std::string& word : named.front()->remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    return fmt::format("'{}' is not an option{}", option,
                       did_you_mean(option, options_of(*named.front())));
  }
  return error.what();
}

}  // namespace

std::optional<int> parse(const std::vector<std::string>& words, CommandLine& line) {
  const auto parser = make_parser(line);
  try {
    // CLI11 wants them in this order.
    parser->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& help) {
    return parser->exit(help);
  } catch (const CLI::ParseError& error) {
    throw CommandLineError(complaint(*parser, error, words));
  }
  return std::nullopt;
}

/// `--json` alone means standard output. CLI11 would take the next word for its value.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--json") word = "--json=-";
  }
  // `check --labels data` and `check --labels yolo data` are both right.
  for (std::size_t i = 1; i < words.size() && words[0] == "check" && words[i] != "--"; ++i)
    if (words[i] == "--labels" && (i + 1 == words.size() || !is_label_kind(words[i + 1])))
      words[i] = "--labels=auto";
  return words;
}

}  // namespace qturn
