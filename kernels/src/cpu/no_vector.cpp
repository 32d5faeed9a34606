#include "kernels/src/cpu/paths.hpp"

namespace qturn {

void append_vector_paths(std::vector<CpuPath>&) {}

}  // namespace qturn
