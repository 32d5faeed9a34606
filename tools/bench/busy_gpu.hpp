// How busy a GPU is while something else is measured.
#ifndef QTURN_TOOLS_BENCH_BUSY_GPU_HPP
#define QTURN_TOOLS_BENCH_BUSY_GPU_HPP

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

#endif  // QTURN_TOOLS_BENCH_BUSY_GPU_HPP
