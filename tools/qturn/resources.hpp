// What a run does, and what it may use of the machine, as the user typed it.
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

/// All but the device.
RunOptions turn_options(const CommandLine& line);

/// Chooses the device (processes that share a machine under --shard auto share its GPUs), says
/// which with --verbose, and returns its name for the summary. A GPU is worth its start for many
/// JPEGs. `jpeg_bytes` says how many bytes of them there are, for each variant that is written, and
/// is asked only by --device auto.
std::string set_device(const CommandLine& line, const std::function<std::uint64_t()>& jpeg_bytes,
                       RunOptions& options);

/// Of all that is to be done.
std::uint64_t jpeg_bytes(const Plan& plan);

}  // namespace qturn
