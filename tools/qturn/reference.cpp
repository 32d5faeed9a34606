// Writes the man page and the shell completions from the option table: qturn-reference
// man|bash|zsh|fish FILE.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "src/formats/table.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/one/label.hpp"
#include "src/picture/file_limits.hpp"
#include "tools/qturn/options.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

/// The options of an operation that have a name.
std::vector<Option> options_of(const Operation& operation) {
  std::vector<Option> list;
  for (const Option& option : options())
    if ((option.of & operation.bit) != 0 && option.is_named()) list.push_back(option);
  return list;
}

bool may_lack_value(const Option& option) { return option.value.starts_with("[="); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string roff(std::string text) {
  text = replaced(replaced(std::move(text), "\\", "\\e"), "-", "\\-");
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

std::string man_option(const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(split(option.names, ','), ", "));
  return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(names),
                     option.value.empty() || may_lack_value(option) ? "" : " ",
                     option.value.empty() ? "" : "\\fI" + roff(std::string(option.value)) + "\\fR",
                     roff(help_of(option)));
}

std::string man_page() {
  std::string text = fmt::format(
      ".\\\" Made by qturn-reference from the option table.\n.TH QTURN 1 \"\" \"qturn {}\" \"User "
      "Commands\"\n.SH NAME\n"
      "qturn \\- turn and mirror pictures\n.SH SYNOPSIS\n",
      version);
  text +=
      ".B qturn\n\\fIOPERATION\\fR \\fIINPUT\\fR... \\fB\\-o\\fR \\fIOUTPUT\\fR "
      "[\\fIOPTION\\fR...]\n.br\n";
  text +=
      ".B qturn\n\\fIOPERATION\\fR \\fIINPUT\\fR... \\fB\\-\\-in\\-place\\fR "
      "[\\fIOPTION\\fR...]\n.br\n";
  text +=
      ".B qturn augment\n\\fIINPUT\\fR... \\fB\\-o\\fR \\fIOUTPUT\\fR [\\fIOPTION\\fR...]\n.br\n";
  text +=
      ".B qturn check\n\\fIINPUT\\fR... [\\fIOPTION\\fR...]\n.br\n.B qturn "
      "merge\n\\fIOUTPUT\\fR\n.br\n.B "
      "qturn restore\n\\fIBACKUP\\fR\n.br\n.B qturn devices\n";
  text += ".SH DESCRIPTION\n" + roff(std::string(program.help)) + "\n.SH OPERATIONS\n";
  for (const Operation& operation : operations())
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n",
                        roff(fmt::format("{}", fmt::join(operation.names(), ", "))),
                        roff(std::string(operation.help)));

  // Each group of options once, although several operations have it.
  std::vector<std::pair<std::string, std::string>> groups;
  std::set<std::string_view> known;
  for (const Operation& operation : operations()) {
    for (const Option& option : options_of(operation)) {
      const std::string group(option.group);
      if (group == "More" || !known.insert(option.name()).second) continue;
      auto at = std::ranges::find(groups, group, &std::pair<std::string, std::string>::first);
      if (at == groups.end()) at = groups.insert(at, {group, ""});
      at->second += man_option(option);
    }
  }
  for (const auto& [group, options] : groups) {
    std::string heading = group;
    std::ranges::transform(heading, heading.begin(),
                           [](unsigned char c) { return std::toupper(c); });
    text += fmt::format(".SH {} OPTIONS\n", heading);
    if (group == "Variants") text += "Only for \\fBaugment\\fR.\n";
    text += options;
  }
  text += R"(.SH FILES
Each result is written to a hidden file in the output folder, flushed to the disk and renamed. So a file is written whole or not at all.
The folder structure below an input folder is kept below \fIOUTPUT\fR. Files that are not pictures are counted, or copied with
\fB\-\-others copy\fR. \fBaugment\fR writes \fImanifest.jsonl\fR, with one line for each picture that it wrote.
.SH EXIT STATUS
.TP
.B 0
All pictures are done, or were skipped because an option or a documented default says so.
.TP
.B 1
Some pictures failed; the others are done. \fBcheck\fR: some pictures disagree or cannot be read.
.TP
.B 2
Nothing was started: the command line is wrong, there is no input, or the output cannot be used.
.TP
.B 129, 130, 143
Interrupted by SIGHUP, SIGINT or SIGTERM. No file is half\-written.
.SH EXAMPLES
.nf
qturn upright photos \-o turned
qturn upright photos \-\-in\-place
qturn rotate90 scan.tif \-o turned.tif
find . \-name '*.png' \-print0 | qturn flop \-\-files\-from \- \-0 \-o mirrored
qturn augment data \-o data8 \-\-random 4 \-\-seed 1
.fi
.SH SEE ALSO
.BR jpegtran (1),
.BR exiftool (1)
)";
  return text;
}

std::string words(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, " "));
}

/// The values that a shell offers for an option.
struct Values {
  std::vector<std::string> words;
  bool files = false;
};

/// The words that a name in a type stands for, such as FORMAT.
std::vector<std::string> words_of_name(const std::string& name) {
  std::vector<std::string> list;
  if (name == "FORMAT") return {format_names(" ")};
  if (name == "DEVICE") return {"auto", "cpu", "cuda"};
  if (name == "FORMAT[:DIR]")
    for (const LabelFormat& format : label_formats) list.emplace_back(format.option);
  if (name == "FORMAT:FILE") {
    for (const SharedLabelFormat& format : shared_label_formats) {
      if (!format.is_named_only)
        list.push_back(std::string(format.option) + ":");
      else if (list.back() != format.option)
        list.emplace_back(format.option);
    }
  }
  if (name == "NAME=VALUE") {
    for (const LimitName& limit : limit_names) list.push_back(std::string(limit.name) + "=");
    list.emplace_back("seconds=");
  }
  if (name == "LIST") {
    list = {"all", "rotations"};
    for (const Orientation each : all_orientations) list.emplace_back(qturn::name(each));
  }
  return list;
}

/// The name of an option's value in help tells its values: auto|none|DIR.
Values values_of(const Option& option) {
  Values values;
  std::string_view value = option.value;
  if (value.starts_with('[')) value = value.substr(1, value.size() - 2);
  for (const std::string& part : split(value, '|')) {
    const bool is_word = std::ranges::all_of(part, [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_word) values.words.push_back(part);
    std::ranges::copy(words_of_name(part), std::back_inserter(values.words));
    values.files |= part == "FILE" || part == "DIR" || part == "OUTPUT" || part == "MANIFEST";
  }
  return values;
}

std::vector<std::string> option_words(const Operation& operation) {
  std::vector<std::string> list;
  for (const Option& option : options_of(operation))
    std::ranges::copy(split(option.names, ','), std::back_inserter(list));
  return list;
}

std::string bash_completion() {
  std::vector<std::string> operation_names;
  std::string cases, values_of_options;
  std::set<std::string_view> known;
  for (const Operation& operation : operations()) {
    for (const std::string& name : operation.names()) operation_names.push_back(name);
    for (const Option& option : options_of(operation)) {
      const Values values = values_of(option);
      if (values.words.empty() || !known.insert(option.name()).second) continue;
      values_of_options += fmt::format("    {}) offer \"{}\"{}; return ;;\n", option.name(),
                                       words(values.words), values.files ? " files" : "");
    }
    cases += fmt::format("    {}) options=\"{}\" ;;\n", fmt::join(operation.names(), "|"),
                         words(option_words(operation)));
  }
  return fmt::format(R"(# Made by qturn-reference from the option table.
_qturn() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=
  if [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "{} --help --version" -- "$current")
    return
  fi
  # Bash takes --option=value for three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  offer() {{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"; [[ ! ${{2:-}} ]] || compgen -f -- "$current")
  }}
  case $before in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    compopt -o default
    COMPREPLY=()
  fi
}}
complete -F _qturn qturn
)",
                     words(operation_names), values_of_options, cases);
}

std::string zsh_text(std::string text) {
  return replaced(
      replaced(replaced(replaced(std::move(text), "'", "'\\''"), "[", "\\["), "]", "\\]"), ":",
      "\\:");
}

/// The part after an option's help: the name of its value, and the values that are offered.
std::string zsh_value(const Option& option) {
  if (option.value.empty() || may_lack_value(option)) return "";
  const Values values = values_of(option);
  const std::string offered = words(values.words);
  const std::string action = values.words.empty() ? (values.files ? "_files" : " ")
                             : values.files
                                 ? fmt::format("{{compadd {}; _files}}", zsh_text(offered))
                                 : fmt::format("({})", zsh_text(offered));
  return ":" + zsh_text(std::string(option.value)) + ":" + action;
}

std::string zsh_completion() {
  std::string offered;
  std::string cases;
  for (const Operation& operation : operations()) {
    for (const std::string& name : operation.names())
      offered += fmt::format("    '{}:{}'\n", name, zsh_text(std::string(operation.help)));
    cases += fmt::format("    {})\n      arguments=(\n", fmt::join(operation.names(), "|"));
    for (const Option& option : options_of(operation)) {
      const std::string help = zsh_text(help_of(option));
      const std::string value = zsh_value(option);
      for (const std::string& name : split(option.names, ','))
        cases += fmt::format("        '{}[{}]{}'\n", name, help, value);
    }
    cases += "      ) ;;\n";
  }
  return fmt::format(R"(#compdef qturn
# Made by qturn-reference from the option table.
local -a operations arguments
operations=(
{})
if (( CURRENT == 2 )); then
  _describe operation operations
  return
fi
case $words[2] in
{}esac
shift words
(( CURRENT-- ))
_arguments -s $arguments '*:picture or folder:_files'
)",
                     offered, cases);
}

std::string fish_completion() {
  std::string text = "# Made by qturn-reference from the option table.\n";
  const auto quoted = [](const std::string& help) {
    return replaced(replaced(help, "\\", "\\\\"), "'", "\\'");
  };
  for (const Operation& operation : operations())
    for (const std::string& name : operation.names())
      text += fmt::format("complete -c qturn -n __fish_use_subcommand -a {} -d '{}'\n", name,
                          quoted(std::string(operation.help)));
  for (const Operation& operation : operations()) {
    for (const Option& option : options_of(operation)) {
      text += fmt::format("complete -c qturn -n '__fish_seen_subcommand_from {}'",
                          words(operation.names()));
      for (const std::string& name : split(option.names, ','))
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty() && !may_lack_value(option)) {
        const Values values = values_of(option);
        text += values.files ? " -r -F" : " -x";
        if (!values.words.empty()) text += fmt::format(" -a '{}'", words(values.words));
      }
      text += fmt::format(" -d '{}'\n", quoted(help_of(option)));
    }
  }
  return text;
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  using namespace qturn;
  const std::map<std::string, std::string (*)()> writers{{"man", man_page},
                                                         {"bash", bash_completion},
                                                         {"zsh", zsh_completion},
                                                         {"fish", fish_completion}};
  const auto writer = argc == 3 ? writers.find(argv[1]) : writers.end();
  if (writer == writers.end()) {
    fmt::print(stderr, "usage: qturn-reference man|bash|zsh|fish FILE\n");
    return 2;
  }
  std::ofstream file(argv[2]);
  file << writer->second();
  return file.flush() ? 0 : 1;
}
