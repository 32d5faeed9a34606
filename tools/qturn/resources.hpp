// The options of a run, and the share of the machine that it may use, as the user typed them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

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
