// Tars as inputs and outputs: docs/tar.md.
#pragma once

#include <cstddef>
#include <span>

#include "src/files/tar/reader.hpp"
#include "src/picture/bytes.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Whether the inputs are tars, by their content; `head` is the beginning of standard input. Throws
/// PlanError if only some of them are.
bool are_tars(const CommandLine& line, std::span<const std::byte> head);

/// Turns the pictures in them. Returns the exit status. Throws PlanError if nothing was started.
int turn_tars(const CommandLine& line, PlanOptions plan, RunOptions options, const Bytes& head);

}  // namespace qturn
