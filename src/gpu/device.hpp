// What the program can run on, and why: for `--device`, and for `qturn devices`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/turn/lane.hpp"

namespace qturn {

/// The requested device cannot be used. The message says what is missing: the build, the driver or
/// the device.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CudaDevice {
  int index = 0;
  std::string name;
  int compute_capability = 0;  ///< 90 for 9.0
  std::uint64_t memory_bytes = 0;
  std::string problem;  ///< why no kernel runs on it; empty if one did
};

struct Devices {
  std::string cuda_problem;  ///< why there is no CUDA at all ("built without CUDA", "no NVIDIA
                             ///< driver ..."); empty if there is
  int driver_version =
      0;  ///< the newest CUDA the driver supports: 13000 for 13.0; 0 without a driver
  int runtime_version = 0;  ///< the CUDA this was built with; 0 without
  std::vector<CudaDevice> cuda;
};

/// Finds the devices and runs one small kernel on each. Takes a few hundred milliseconds if there
/// is a GPU.
Devices find_devices();

/// Where pictures are turned: on these CUDA devices, or, if there are none, on the CPU.
struct DeviceChoice {
  std::vector<int> cuda;
  std::string why;          ///< "the only one that is usable", "asked for"...
  bool only_jpegs = false;  ///< all other pictures are turned on the CPU
};

/// The kind of most of the work. A GPU turns many JPEGs several times as fast as the CPU. All other
/// work is limited by codecs that run on the CPU, and a GPU would only add the time of its start.
enum class Work : std::uint8_t { many_jpegs, other };

/// The work of a run over so many bytes of JPEGs, counted for each of their variants. They are many
/// if all threads take longer over them than a GPU takes to start.
Work work_of(std::uint64_t jpeg_bytes, int threads);

/// Resolves `auto`, `cpu`, `cuda` (all usable devices) or `cuda:0,1`; `auto` is what is fastest for
/// `work`. Throws DeviceError; std::invalid_argument for other words.
DeviceChoice choose_device(std::string_view option, Work work);

/// Picks one of several devices for this process, which is number `local_rank` on this machine.
DeviceChoice device_of_rank(DeviceChoice choice, int local_rank);

/// A lane on CUDA device `device`. At most `keep_bytes` of its page-locked memory stay allocated
/// between images. Throws CudaError; std::logic_error in a build without CUDA.
std::unique_ptr<Lane> make_cuda_lane(int device, std::size_t keep_bytes);

}  // namespace qturn
