// Where and from what a table was made.
#pragma once

#include <string>

namespace qturn::bench {

struct Machine {
  std::string device;  ///< the processor that was measured
  std::string driver;  ///< its driver and clocks, if it has any
  std::string date;    ///< UTC, YYYY-MM-DD
  std::string commit;
};

Machine this_cpu();

/// What nvidia-smi says about the device, if it is installed.
Machine this_gpu(int device);

/// How a file of results in JSON begins: the machine, and the bracket of the list of results.
std::string json_opening(const Machine& machine);

}  // namespace qturn::bench
