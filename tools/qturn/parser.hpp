// The option table: the only place that defines what `qturn` accepts. The man page and the
// completions are made from it.
#pragma once

#include <memory>
#include <string_view>

#include "tools/qturn/command_line.hpp"
#include "tools/qturn/help.hpp"

namespace qturn {

/// The parser, filling `line` when it parses. `line` must outlive it.
///
/// With `first_word` of the command line, the turns that it does not name have no options: to make
/// those of all takes longer than to turn a small picture. Empty: all have theirs.
std::unique_ptr<CLI::App> make_parser(CommandLine& line, std::string_view first_word = {});

}  // namespace qturn
