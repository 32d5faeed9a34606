#include <qturn/cuda.hpp>

#include <string>
#include <string_view>

#include "kernels/src/cuda_check.hpp"

namespace qturn {

CudaError::~CudaError() = default;

void check(cudaError_t code, std::source_location where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // thrown here, it must not be found again by the caller's next launch
  std::string_view file = where.file_name();
  file.remove_prefix(file.find_last_of('/') + 1);
  throw CudaError(code, std::string(file) + ":" + std::to_string(where.line()) + ": " +
                            cudaGetErrorName(code) + ": " + cudaGetErrorString(code));
}

}  // namespace qturn
