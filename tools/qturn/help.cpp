#include "tools/qturn/help.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "tools/qturn/terminal.hpp"

namespace qturn {
namespace {

// The options that -h shows, of each operation those that it has.
constexpr std::string_view often_typed[] = {
    "--output",  "--in-place", "--variants", "--random",  "--seed",       "--overwrite",
    "--resume",  "--backup",   "--labels",   "--quick",   "--jpeg-edges", "--format",
    "--quality", "--shard",    "--html",     "--dry-run", "--verbose"};

std::size_t line_width() { return std::max<std::size_t>(terminal_width(STDOUT_FILENO), 40); }

/// The columns for the names, with what is between them and the descriptions.
std::size_t name_width() { return std::min<std::size_t>(26, line_width() / 3); }

/// The words of `text` in lines that fit the terminal, each after `indent` spaces but the first.
std::string wrapped(const std::string& text, std::size_t indent) {
  const std::size_t width = line_width();
  std::istringstream words(text);
  std::string result;
  std::size_t at = indent;
  for (std::string word; words >> word;) {
    if (!result.empty() && at + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++at;
    }
    result += word;
    at += word.size();
  }
  return result;
}

/// Descriptions are fragments, as the man page and the completions want them.
std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

/// The first part of a description, which says what an option is for.
std::string first_part(const std::string& text) {
  return text.substr(0, std::min(text.find("; "), text.find(". ")));
}

std::string entry(const std::string& name, const std::string& text) {
  const std::size_t width = name_width();
  std::string line = "  " + name;
  if (line.size() + 2 > width) line += "\n" + std::string(width, ' ');
  line.resize(std::max(line.size(), width), ' ');
  return line + wrapped(text, width) + "\n";
}

}  // namespace

void Help::set_examples(const CLI::App* command, std::string lines) {
  examples_[command] = std::move(lines);
}

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const bool is_short = mode != CLI::AppFormatMode::All;
  std::string text = make_usage(app, name) + "\n";
  if (const auto examples = examples_.find(app); examples != examples_.end())
    text += examples->second + "\n";
  text += wrapped(sentence(app->get_description()), 0) + "\n" + operations(app);
  text += is_short ? few_options(app) : all_options(app);
  if (!is_short)
    return text + (app->get_footer().empty() ? "" : "\n" + wrapped(app->get_footer(), 0) + "\n");
  const bool has_operations = !app->get_subcommands({}).empty();
  return text + "\n" +
         wrapped(fmt::format("'{} --help' lists all options.",
                             has_operations ? "qturn OPERATION" : name),
                 0) +
         "\n";
}

std::string Help::make_usage(const CLI::App* app, std::string name) const {
  if (!app->get_subcommands({}).empty())
    return "Usage: qturn OPERATION INPUT... -o OUTPUT [OPTION...]\n"
           "       qturn OPERATION INPUT... --in-place [OPTION...]\n"
           "       qturn OPERATION --help\n";
  const auto has = [&](const char* option) { return app->get_option_no_throw(option) != nullptr; };
  if (has("INPUT")) name += " INPUT...";
  for (const char* positional : {"OUTPUT", "BACKUP"})
    if (has(positional)) name += std::string(" ") + positional;
  const std::string first =
      fmt::format("Usage: {}{} [OPTION...]\n", name, has("--output") ? " -o OUTPUT" : "");
  return has("--in-place") ? fmt::format("{}       {} --in-place [OPTION...]\n", first, name)
                           : first;
}

std::string Help::operations(const CLI::App* app) const {
  std::string text;
  for (const CLI::App* command : app->get_subcommands({}))
    text += entry(fmt::format("{}", fmt::join(names_of(*command), ", ")),
                  sentence(command->get_description()));
  return text.empty() ? text : "\nOperations:\n" + text;
}

std::string Help::all_options(const CLI::App* app) const {
  std::string text;
  for (const std::string& group : app->get_groups()) {
    const auto options = app->get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && !group.empty(); });
    if (!options.empty()) text += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) text += entry_of(option, option->get_description());
  }
  return text;
}

std::string Help::few_options(const CLI::App* app) const {
  std::string text;
  for (const std::string_view name : often_typed)
    if (const CLI::Option* option = app->get_option_no_throw(std::string(name)))
      text += entry_of(option, first_part(option->get_description()));
  return text.empty() ? text : "\nMost used options:\n" + text;
}

// Without the lists of options that an option needs or excludes: a wrong combination is refused in
// words.
std::string Help::entry_of(const CLI::Option* option, std::string text) const {
  const bool is_positional = option->get_positional();
  std::string name = make_option_name(option, is_positional);
  const bool takes_value = !is_positional && option->get_items_expected_max() > 0;
  if (const std::string type = option->get_type_name(); takes_value && !type.empty())
    name += (type.starts_with("[=") ? "" : " ") + type;
  return entry(name, text);
}

std::vector<std::string> names_of(const CLI::App& command) {
  std::vector<std::string> names{command.get_name()};
  for (const std::string& alias : command.get_aliases()) names.push_back(alias);
  return names;
}

}  // namespace qturn
