#include <qturn/cuda.hpp>

#include <string>
#include <string_view>

#include "kernels/src/cuda/check.hpp"

namespace qturn {

CudaError::~CudaError() = default;

void check(cudaError_t code, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // it is thrown here, so the caller's next launch must not find it again
  std::string_view name = file;
  name.remove_prefix(name.find_last_of('/') + 1);
  throw CudaError(code, std::string(name) + ":" + std::to_string(line) + ": " +
                            cudaGetErrorName(code) + ": " + cudaGetErrorString(code));
}

}  // namespace qturn
