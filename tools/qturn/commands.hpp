// The commands and the kinds of runs that main() chooses from, each in its own file.
#pragma once

#include <cstddef>
#include <span>

#include "src/picture/bytes.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

// qturn check finds damage, and what metadata and labels say that contradicts the pictures.

/// Returns the exit status: 0 if nothing was found, 1 if some disagree or cannot be read. Throws
/// PlanError where there is nothing to check.
int check(CommandLine& line);

// qturn devices says which devices a run would use, and why.

/// Prints them, and returns the exit status.
int print_devices(const CommandLine& line);

// qturn merge makes one output of the shards that wrote to it.

/// Returns the exit status. Throws as merge_shards() does.
int merge(const CommandLine& line);

// Pictures of folders, with all that belongs to them, as the samples of tars: docs/tar.md.

/// Whether the output is a tar: its name ends in .tar, or several files go to standard output.
/// Throws PlanError for names such as out.tgz.
bool is_packed(const CommandLine& line);

/// Turns the pictures. Returns the exit status. Throws PlanError if nothing was started.
int turn_and_pack(const CommandLine& line, PlanOptions plan, RunOptions options);

// qturn restore puts back the files that a run in place replaced.

/// Takes back the run of a folder, or lists the runs in a folder of backups. Returns the exit
/// status. Throws PlanError, or as Journals does.
int restore(const CommandLine& line);

// Files to files, in a folder or in place.

/// Turns the pictures. Returns the exit status. Throws PlanError if nothing was started.
int turn_files(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head);

// Tars as inputs and outputs: docs/tar.md.

/// Takes the list of --files-from as inputs if it begins with a tar.
void take_listed_tars(CommandLine& line, PlanOptions& options);

/// Whether the inputs are tars, by their content; `head` is the beginning of standard input. Throws
/// PlanError if only some of them are.
bool are_tars(const CommandLine& line, std::span<const std::byte> head);

/// Turns the pictures in them. Returns the exit status. Throws PlanError if nothing was started.
int turn_tars(const CommandLine& line, PlanOptions plan, RunOptions options, const Bytes& head);

}  // namespace qturn
