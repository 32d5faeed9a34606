#include "tools/qturn/help.hpp"

#include <fmt/format.h>

#include <cctype>
#include <sstream>

namespace qturn {
namespace {

constexpr std::size_t line_width = 90;
constexpr std::size_t name_width = 26;  // of the column with the names

/// The words of `text` in lines of at most line_width, each after `indent` spaces but the first.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::size_t at = indent;
  for (std::string word; words >> word;) {
    if (!result.empty() && at + 1 + word.size() > line_width) {
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

std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  if (line.size() + 2 > name_width) line += "\n" + std::string(name_width, ' ');
  line.resize(std::max(line.size(), name_width), ' ');
  return line + wrapped(text, name_width) + "\n";
}

}  // namespace

void Help::set_examples(const CLI::App* command, std::string lines) {
  examples_[command] = std::move(lines);
}

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = make_usage(app, std::move(name)) + "\n";
  if (const auto examples = examples_.find(app); examples != examples_.end())
    text += examples->second + "\n";
  text += wrapped(sentence(app->get_description()), 0) + "\n";
  text += make_subcommands(app, mode) + all_groups(app);
  const std::string footer = make_footer(app);
  return footer.empty() ? text : text + "\n" + footer;
}

std::string Help::make_usage(const CLI::App* app, std::string name) const {
  if (!app->get_subcommands({}).empty())
    return "Usage: qturn OPERATION INPUT... -o OUTPUT [OPTION...]\n"
           "       qturn OPERATION INPUT... --in-place [OPTION...]\n"
           "       qturn OPERATION --help\n";
  const auto has = [&](const char* option) { return app->get_option_no_throw(option) != nullptr; };
  if (has("INPUT")) name += " INPUT...";
  if (has("OUTPUT")) name += " OUTPUT";
  const std::string first =
      fmt::format("Usage: {}{} [OPTION...]\n", name, has("--output") ? " -o OUTPUT" : "");
  return has("--in-place") ? fmt::format("{}       {} --in-place [OPTION...]\n", first, name)
                           : first;
}

std::string Help::all_groups(const CLI::App* app) const {
  std::string text;
  for (const std::string& group : app->get_groups()) {
    const auto options = app->get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && !group.empty(); });
    if (!options.empty()) text += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) text += make_option(option, option->get_positional());
  }
  return text;
}

std::string Help::make_subcommand(const CLI::App* command) const {
  return entry(fmt::format("{}", fmt::join(names_of(*command), ", ")), command->get_description());
}

// Without the lists of options that an option needs or excludes: a wrong combination is refused in
// words.
std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  const bool takes_value = !is_positional && option->get_items_expected_max() > 0;
  if (const std::string type = option->get_type_name(); takes_value && !type.empty())
    name += (type.starts_with('[') ? "" : " ") + type;
  return entry(name, option->get_description());
}

std::vector<std::string> names_of(const CLI::App& command) {
  std::vector<std::string> names{command.get_name()};
  for (const std::string& alias : command.get_aliases()) names.push_back(alias);
  return names;
}

}  // namespace qturn
