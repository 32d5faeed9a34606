#include "tools/bench/busy_gpu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace qturn::bench {
namespace {

// What NVML declares. The driver brings the library, and not every toolkit has its header.
struct Utilization {
  unsigned gpu, memory;  ///< % of the time since about a sixth of a second ago
};
using Device = struct NvmlDevice*;
using Init = int();
using DeviceOfIndex = int(unsigned index, Device* device);
using UtilizationOf = int(Device device, Utilization* utilization);

constexpr auto period = std::chrono::milliseconds(20);

}  // namespace

struct BusyGpu::Sampler {
  Device device = nullptr;
  UtilizationOf* utilization_of = nullptr;
  std::atomic<double> sum = 0;
  std::atomic<int> samples = 0;
  std::jthread thread;

  void sample(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(period);
      Utilization now{};
      if (utilization_of(device, &now) != 0) continue;
      sum += now.gpu;
      ++samples;
    }
  }
};

BusyGpu::BusyGpu(const std::vector<int>& devices) {
  void* const library = devices.empty() ? nullptr : dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return;
  const auto find = [&]<class Function>(Function** function, const char* name) {
    *function = reinterpret_cast<Function*>(dlsym(library, name));
    return *function != nullptr;
  };
  Init* init = nullptr;
  DeviceOfIndex* device_of_index = nullptr;
  auto sampler = std::make_unique<Sampler>();
  if (!find(&init, "nvmlInit_v2") || !find(&device_of_index, "nvmlDeviceGetHandleByIndex_v2") ||
      !find(&sampler->utilization_of, "nvmlDeviceGetUtilizationRates") || init() != 0 ||
      device_of_index(static_cast<unsigned>(devices.front()), &sampler->device) != 0) {
    return;
  }
  sampler_ = std::move(sampler);
  sampler_->thread = std::jthread(
      [sampler = sampler_.get()](const std::stop_token& stop) { sampler->sample(stop); });
}

BusyGpu::~BusyGpu() = default;

std::string BusyGpu::sentence() const {
  if (!sampler_ || sampler_->samples == 0) return {};
  return fmt::format("a kernel ran in {:.0f} % of the time", sampler_->sum / sampler_->samples);
}

}  // namespace qturn::bench
