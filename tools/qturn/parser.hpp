// The option table: the only place that defines what `qturn` accepts. The man page and the
// completions are made from it.
#pragma once

#include <memory>

#include "tools/qturn/command_line.hpp"
#include "tools/qturn/help.hpp"

namespace qturn {

/// The parser, filling `line` when it parses. `line` must outlive it.
std::unique_ptr<CLI::App> make_parser(CommandLine& line);

}  // namespace qturn
