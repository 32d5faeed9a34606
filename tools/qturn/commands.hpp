// The commands and the ways of a run that main() chooses from, each in its own file.
#pragma once

#include <cstddef>
#include <span>
#include "src/files/source.hpp"
#include "src/files/tar/tar.hpp"
#include "src/picture/bytes.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

// `qturn check --against`: turned pictures compared with their originals.

/// Compares each picture of `turned` with the picture of its name in `line.against`. Returns the
/// exit status. Throws PlanError.
int check_against(const CommandLine& line, PlanOptions turned);

// qturn devices: what a run would take place on, and why.

/// Prints it, and returns the exit status.
int print_devices(const CommandLine& line);

// qturn merge: one output of the shards that wrote to it.

/// Returns the exit status. Throws as merge_shards().
int merge(const CommandLine& line);

// Pictures of folders, with all that belongs to them, as the samples of tars: docs/tar.md.

/// Whether the output is a tar: its name ends in .tar, or several files go to standard output.
/// Throws PlanError for names such as out.tgz.
bool is_packed(const CommandLine& line);

/// Turns the pictures. Returns the exit status. Throws PlanError if nothing was started.
int turn_and_pack(const CommandLine& line, PlanOptions plan, RunOptions options);

// qturn restore: what a run in place replaced is put back.

/// Takes back the run of a folder, or lists the runs in a folder of backups. Returns the exit
/// status. Throws PlanError, or as Journals.
int restore(const CommandLine& line);

// Tars as inputs and outputs: docs/tar.md.

/// If what --files-from lists begins with a tar, it lists inputs.
void take_listed_tars(CommandLine& line, PlanOptions& options);

/// Whether the inputs are tars, by their content; `head` is the beginning of standard input. Throws
/// PlanError if only some of them are.
bool are_tars(const CommandLine& line, std::span<const std::byte> head);

/// Turns the pictures in them. Returns the exit status. Throws PlanError if nothing was started.
int turn_tars(const CommandLine& line, PlanOptions plan, RunOptions options, const Bytes& head);

}  // namespace qturn
