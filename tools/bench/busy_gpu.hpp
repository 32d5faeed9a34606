// How busy a GPU is while something else is measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace qturn::bench {

/// Asks the driver from now on, many times a second.
class BusyGpu {
 public:
  /// The first of `devices`; with none, or without the driver's management library, nothing is
  /// asked.
  explicit BusyGpu(const std::vector<int>& devices);
  ~BusyGpu();
  BusyGpu(const BusyGpu&) = delete;
  BusyGpu& operator=(const BusyGpu&) = delete;

  /// In how much of the time a kernel ran; empty if nothing was asked.
  std::string sentence() const;

 private:
  struct Sampler;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace qturn::bench
