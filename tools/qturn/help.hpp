// What -h and --help print: first what people type, then the options, as wide as the terminal. -h
// has the options that people type, --help all. No other file of the program includes CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace qturn {

/// CLI11's own formatter begins with the description and does not wrap lines.
class Help : public CLI::Formatter {
 public:
  /// Lines to show under the usage of `command`, which must outlive this.
  void set_examples(const CLI::App* command, std::string lines);

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;

 private:
  std::string operations(const CLI::App* app) const;
  std::string all_options(const CLI::App* app) const;
  std::string few_options(const CLI::App* app) const;
  std::string entry_of(const CLI::Option* option, std::string text) const;

  std::map<const CLI::App*, std::string> examples_;
};

/// The names of an operation: its own, then the others it has.
std::vector<std::string> names_of(const CLI::App& command);

}  // namespace qturn
