#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/cases.hpp"

namespace qturn::bench {

/// Called with each result as soon as it is there.
using Listener = std::function<void(const Result&)>;

/// Measures on a GPU. Throws std::runtime_error if there is no GPU, or if it fails.
void measure_gpu(const Plan& plan, int device, const Listener& listener);

/// The libraries of Plan::against that this machine does not have.
std::vector<std::string> missing_peers(int device);

/// Microseconds of host time: of a call that turns 64 x 64 pixels of 4 bytes, and of a bare launch,
/// which differs from machine to machine.
struct HostTimes {
  double call = 0;
  double launch = 0;
};
HostTimes gpu_host_times(int device);

/// Measures on one core.
void measure_cpu(const Plan& plan, const Listener& listener);

}  // namespace qturn::bench
