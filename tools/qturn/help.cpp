#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/qturn/options.hpp"
#include "tools/qturn/terminal.hpp"

namespace qturn {
namespace {

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

std::string usage(const Operation& operation) {
  if (&operation == &program)
    return "Usage: qturn OPERATION INPUT... -o OUTPUT [OPTION...]\n"
           "       qturn OPERATION INPUT... --in-place [OPTION...]\n"
           "       qturn OPERATION --help\n";
  const auto has = [&](const char* option) { return option_of(operation, option) != nullptr; };
  std::string name = fmt::format("qturn {}", operation.name);
  if (has("INPUT")) name += " INPUT...";
  for (const char* positional : {"OUTPUT", "BACKUP"})
    if (has(positional)) name += std::string(" ") + positional;
  const std::string first =
      fmt::format("Usage: {}{} [OPTION...]\n", name, has("--output") ? " -o OUTPUT" : "");
  return has("--in-place") ? fmt::format("{}       {} --in-place [OPTION...]\n", first, name)
                           : first;
}

// Without what an option needs or excludes: a wrong combination is refused in words.
std::string entry_of(const Option& option, const std::string& text) {
  std::string name(option.names);
  if (option.is_named() && !option.value.empty())
    name += fmt::format("{}{}", option.value.starts_with("[=") ? "" : " ", option.value);
  return entry(name, text);
}

std::string few_options(const Operation& operation) {
  std::string text;
  for (const std::string_view name : often_typed())
    if (const Option* const option = option_of(operation, name))
      text += entry_of(*option, first_part(help_of(*option)));
  return text.empty() ? text : "\nMost used options:\n" + text;
}

std::string all_options(const Operation& operation) {
  std::vector<std::pair<std::string_view, std::string>> groups;
  for (const Option& option : options()) {
    // A user who reads the help of an operation knows how to ask for it.
    if ((option.of & operation.bit) == 0 || (option.group == "More" && &operation != &program))
      continue;
    auto group = std::ranges::find(groups, option.group, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(group, {option.group, ""});
    group->second += entry_of(option, help_of(option));
  }
  std::string text;
  for (const auto& [group, entries] : groups) text += fmt::format("\n{}:\n{}", group, entries);
  return text;
}

std::string all_operations() {
  std::string text = "\nOperations:\n";
  for (const Operation& operation : operations())
    text += entry(fmt::format("{}", fmt::join(operation.names(), ", ")),
                  sentence(std::string(operation.help)));
  return text;
}

}  // namespace

std::string help_text(const Operation& operation, bool is_short) {
  const bool is_program = &operation == &program;
  std::string text = usage(operation) + "\n";
  if (!operation.examples.empty())
    text += fmt::format(fmt::runtime(operation.examples), operation.name) + "\n";
  text += wrapped(sentence(std::string(operation.help)), 0) + "\n";
  if (is_program) text += all_operations();
  if (!is_short) {
    text += all_options(operation);
    if (!operation.exit_status.empty())
      text += "\n" + wrapped(std::string(operation.exit_status), 0) + "\n";
    return text;
  }
  const std::string name = is_program ? "OPERATION" : std::string(operation.name);
  return text + few_options(operation) + "\n" +
         wrapped(fmt::format("'qturn {} --help' lists all options.", name), 0) + "\n";
}

}  // namespace qturn
