#include "kernels/src/cpu_paths.hpp"

namespace qturn {

void append_vector_paths(std::vector<CpuPath>&) {}

}  // namespace qturn
