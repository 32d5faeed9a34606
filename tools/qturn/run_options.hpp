// Makes the options of a plan and of a run from the command line: its inputs, what decides its
// results, and the share of the machine that it may use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/inputs/options.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

// Of a plan.

/// Which files are inputs. Reads the list of --files-from. Throws PlanError.
PlanOptions input_options(const CommandLine& line);

/// All options, for an operation that turns. Throws PlanError if options contradict each other.
PlanOptions plan_options(const CommandLine& line);

/// The options that decide which results a run has, except for the choice of variants. They are as
/// typed, with `between` between a name and its value: "--jpeg=lossless". A run that resumes or
/// repeats another one must have the same.
std::vector<std::string> result_options(CommandLine line, JpegEdges edges,
                                        std::string_view between);

/// The operation, and the options on which results and the choice of pictures depend.
std::string operation_of(const CommandLine& line, JpegEdges edges);

// Of a run.

/// Sets threads, memory, limits and seconds: as the user typed them, or by what is free.
void set_resources(const CommandLine& line, RunOptions& options);

/// The options of a run, without the device.
RunOptions turn_options(const CommandLine& line);

/// Chooses the device (processes that share a machine under --shard auto share its GPUs), names it
/// with --verbose, and returns its name for the summary. Many JPEGs are worth the start of a GPU:
/// `jpeg_bytes` returns the bytes of all JPEGs, counted for each variant that is written. Only
/// --device auto calls it.
std::string set_device(const CommandLine& line, const std::function<std::uint64_t()>& jpeg_bytes,
                       RunOptions& options);

/// The bytes of the JPEGs that are to do.
std::uint64_t jpeg_bytes(const Plan& plan);

}  // namespace qturn
