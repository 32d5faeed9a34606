#include "tools/qturn/devices.hpp"

#include <fmt/format.h>

#include "src/gpu/device.hpp"
#include "src/run/limits.hpp"

namespace qturn {

int print_devices() {
  const Devices devices = find_devices();
  const DeviceChoice jpegs = choose_device("auto", Work::many_jpegs);
  fmt::print("cpu     {} threads\n", available_cores());
  for (const CudaDevice& device : devices.cuda)
    fmt::print("cuda:{}  {}, compute capability {}.{}, {:.0f} GiB: {}\n", device.index, device.name,
               device.compute_capability / 10, device.compute_capability % 10,
               static_cast<double>(device.memory_bytes) / (1 << 30),
               device.problem.empty() ? "usable" : device.problem);
  if (!devices.cuda_problem.empty()) fmt::print("cuda    {}\n", devices.cuda_problem);
  const auto cuda_version = [](int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  if (devices.runtime_version > 0)
    fmt::print("built with CUDA {}; the driver {}\n", cuda_version(devices.runtime_version),
               devices.driver_version > 0 ? "supports CUDA " + cuda_version(devices.driver_version)
                                          : "is missing");
  fmt::print("--device auto uses {} for many JPEGs: {}\n", jpegs.cuda.empty() ? "cpu" : "cuda",
             jpegs.cuda.empty() ? jpegs.why : "its kernels turn the compressed coefficients");
  fmt::print("--device auto uses cpu for everything else\n");
  return 0;
}

}  // namespace qturn
