#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include "src/files/json_names.hpp"
#include "src/gpu/device.hpp"
#include "src/run/limits.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {
namespace {

/// "13.0" for 13000.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string json_line(const Devices& devices, const DeviceChoice& jpegs) {
  Json json;
  json["threads"] = available_cores();
  json["cuda"] = Json::array();
  for (const CudaDevice& device : devices.cuda) {
    Json& one = json["cuda"].emplace_back();
    one["index"] = device.index;
    one["name"] = device.name;
    one["compute_capability"] = device.compute_capability;
    one["memory_bytes"] = device.memory_bytes;
    one["usable"] = device.problem.empty();
    one["problem"] = device.problem;
  }
  json["cuda_problem"] = devices.cuda_problem;
  if (devices.runtime_version > 0) json["built_with"] = cuda_version(devices.runtime_version);
  if (devices.driver_version > 0) json["driver_supports"] = cuda_version(devices.driver_version);
  json["auto"] = {{"many_jpegs", jpegs.cuda.empty() ? "cpu" : "cuda"}, {"other", "cpu"}};
  return dump(json);
}

}  // namespace

int print_devices(const CommandLine& line) {
  JsonLines json(line);
  const Devices devices = find_devices();
  const DeviceChoice jpegs = choose_device("auto", Work::many_jpegs);
  json.put([&] { return json_line(devices, jpegs); });
  if (json.is_standard_output()) return json.finish() ? 0 : 1;
  fmt::print("cpu     {} threads\n", available_cores());
  for (const CudaDevice& device : devices.cuda)
    fmt::print("cuda:{}  {}, compute capability {}.{}, {:.0f} GiB: {}\n", device.index, device.name,
               device.compute_capability / 10, device.compute_capability % 10,
               static_cast<double>(device.memory_bytes) / (1 << 30),
               device.problem.empty() ? "usable" : device.problem);
  if (!devices.cuda_problem.empty()) fmt::print("cuda    {}\n", devices.cuda_problem);
  if (devices.runtime_version > 0)
    fmt::print("built with CUDA {}; the driver {}\n", cuda_version(devices.runtime_version),
               devices.driver_version > 0 ? "supports CUDA " + cuda_version(devices.driver_version)
                                          : "is missing");
  fmt::print("--device auto uses {} for many JPEGs: {}\n", jpegs.cuda.empty() ? "cpu" : "cuda",
             jpegs.cuda.empty() ? jpegs.why : "its kernels turn the compressed coefficients");
  fmt::print("--device auto uses cpu for everything else\n");
  return json.finish() ? 0 : 1;
}

}  // namespace qturn
