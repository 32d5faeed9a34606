#include "tools/qturn/resources.hpp"

#include "src/run/limits.hpp"

namespace qturn {

void set_resources(const CommandLine& line, RunOptions& options) {
  options.threads = line.threads > 0 ? line.threads : available_cores();
  if (line.memory_bytes > 0) {
    options.memory_bytes = options.largest_bytes = line.memory_bytes;
  } else {
    const std::uint64_t available = available_memory();
    options.memory_bytes = available / 4;
    options.largest_bytes = available / 4 * 3;
  }
  options.limits = line.limits;
  options.seconds = line.seconds;
}

}  // namespace qturn
