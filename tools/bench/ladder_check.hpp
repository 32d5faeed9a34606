// Compares the results of a rung with the CPU's, element by element, and the memory around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/ladder.hpp"

namespace qturn::bench {

/// Random matrices in device memory, and the expected results.
class LadderCheck {
 public:
  /// `count` matrices, which begin `offset` floats after an address that is a multiple of 256
  /// bytes, with some floats between them.
  LadderCheck(std::int64_t width, std::int64_t height, std::int64_t count = 1,
              std::int64_t offset = 0);

  /// Runs the rung and waits for it. Returns nothing if all is right, otherwise the first wrong
  /// place.
  std::string error_of(const Rung& rung);

 private:
  // The expected content of the device's memory.
  struct Wanted {
    Makes makes;
    bool many;
    std::vector<float> memory;
  };
  const std::vector<float>& wanted_of(const Rung& rung);
  std::string first_difference(const std::vector<float>& got, const std::vector<float>& wanted,
                               const Rung& rung) const;

  std::int64_t width_;
  std::int64_t height_;
  std::int64_t count_;
  std::int64_t first_;    // float of the first matrix in the memory
  std::int64_t spacing_;  // floats from one matrix to the next
  std::vector<float> in_;
  std::vector<Wanted> wanted_;  // made when first needed: the CPU is slow
  GpuMemory device_in_;
  GpuMemory device_out_;
  GpuStream stream_;
};

}  // namespace qturn::bench
