#include <stdexcept>

#include "tools/bench/bench.hpp"

namespace qturn::bench {

void measure_gpu(const Plan&, int, const Listener&) {
  throw std::runtime_error("built without CUDA, so there is no GPU to measure");
}

double gpu_call_microseconds(int) { return 0; }

}  // namespace qturn::bench
