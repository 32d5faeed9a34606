// The part of the option table that is about labels.
#pragma once

#include <vector>

#include "tools/qturn/command_line.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace qturn {

/// Adds the options about labels of operations that turn.
void add_labels(CLI::App& app, CommandLine& line);

/// Adds --html of augment.
void add_page(CLI::App& app, CommandLine& line);

/// Adds the options about labels of check, which looks at labels only with --labels.
void add_label_check(CLI::App& app, CommandLine& line);

/// Whether a word is what --labels takes. Of check that is optional: the next word may be an input.
bool is_label_kind(const std::string& word);

/// What --masks says, or else --labels.
MaskOptions mask_options(const CommandLine& line);

/// The options as they were given.
std::vector<TypedOption> label_words(const CommandLine& line);

}  // namespace qturn
