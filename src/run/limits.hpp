// What this process may use. In a container or a cluster's job that is less than the machine has.
#pragma once

#include <cstdint>
#include <filesystem>

namespace qturn {

/// Bytes this process could still take without swapping: the system's MemAvailable or, where that
/// is less, what the limits of its control groups (version 1 or 2) and of all groups above leave.
/// Caches that the system gives up on demand count as free. `root` is where /proc and
/// /sys/fs/cgroup are looked for.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// Processors that the calling thread may run on, or less if the time limits of its control groups
/// allow less, in processors, rounded up.
int available_cores(const std::filesystem::path& root = "/");

}  // namespace qturn
