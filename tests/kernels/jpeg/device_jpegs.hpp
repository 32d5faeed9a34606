// JPEGs in GPU memory, and what is made of them, for the tests.
#pragma once

#include <cuda_runtime_api.h>
#include <qturn/jpeg_planar_cuda.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/kernels/device_memory.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests {

inline constexpr unsigned char poison = 0xC3;

template <class T>
class HostMemory {
 public:
  explicit HostMemory(std::size_t count) {
    must(cudaMallocHost(&data_, std::max<std::size_t>(count, 1) * sizeof(T)));
  }
  ~HostMemory() { cudaFreeHost(data_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  T* data() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

/// The scans' data, at addresses of every alignment.
class DeviceScans {
 public:
  explicit DeviceScans(const std::vector<ScanTurn>& scans) : memory_(prepared(scans)) {
    std::vector<unsigned char> bytes(at_.back());
    for (std::size_t i = 0; i < scans.size(); ++i) {
      std::memcpy(bytes.data() + at_[i], scans[i].data().data(), scans[i].data().size());
    }
    memory_.upload(bytes);
  }
  const void* data(std::size_t i) const {
    return static_cast<const unsigned char*>(memory_.data()) + at_[i];
  }

 private:
  std::int64_t prepared(const std::vector<ScanTurn>& scans) {
    std::size_t bytes = 0;
    for (const ScanTurn& scan : scans) {
      at_.push_back(bytes += 3);
      bytes += scan.data().size();
    }
    at_.push_back(bytes);
    return static_cast<std::int64_t>(bytes + 1);
  }

  std::vector<std::size_t> at_;  ///< and after the last one, all
  DeviceMemory memory_;
};

/// Pieces of GPU memory with some bytes between them, which must stay as they are.
class PoisonedMemory {
 public:
  static constexpr std::size_t margin = 37;

  /// Blocks of these sizes, at multiples of `alignment`, or at addresses of every alignment.
  explicit PoisonedMemory(std::vector<std::size_t> sizes, std::size_t alignment = 1)
      : sizes_(std::move(sizes)), memory_(prepared(alignment)) {
    must(cudaMemset(memory_.data(), poison, all_));
    must(cudaDeviceSynchronize());
  }
  unsigned char* data(std::size_t i) const {
    return static_cast<unsigned char*>(memory_.data()) + at_[i];
  }

  /// Everything. What is between the pieces, or after `used[i]` bytes of one, is checked.
  std::vector<std::vector<unsigned char>> download(const std::vector<std::size_t>& used) const {
    const auto bytes = memory_.download(static_cast<std::int64_t>(all_));
    std::vector<std::vector<unsigned char>> pieces;
    std::size_t checked = 0;
    int touched = 0;
    const auto check_until = [&](std::size_t end) {
      for (; checked < end; ++checked) touched += bytes[checked] != poison;
    };
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const unsigned char* first = bytes.data() + at_[i];
      pieces.emplace_back(first, first + used[i]);
      check_until(at_[i]);
      checked = at_[i] + used[i];
    }
    check_until(all_);
    CHECK(touched == 0);
    return pieces;
  }
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  std::int64_t prepared(std::size_t alignment) {
    for (const std::size_t size : sizes_) {
      all_ = (all_ + margin + alignment - 1) / alignment * alignment;
      at_.push_back(all_);
      all_ += size;
    }
    all_ += margin;
    return static_cast<std::int64_t>(all_);
  }

  std::vector<std::size_t> sizes_, at_;
  std::size_t all_ = 0;
  DeviceMemory memory_;
};

/// Workspaces as asked for, with bytes that nobody expects.
class Workspaces {
 public:
  explicit Workspaces(const JpegWorkspace& needed)
      : device_(static_cast<std::int64_t>(needed.device_bytes)), host_(needed.host_bytes) {
    must(cudaMemset(device_.data(), poison, needed.device_bytes));
    must(cudaDeviceSynchronize());
  }
  void* device() const { return device_.data(); }
  void* host() const { return host_.data(); }

 private:
  DeviceMemory device_;
  HostMemory<unsigned char> host_;
};

inline const JpegResult& scan_of(const JpegResult& result) { return result; }
inline const JpegResult& scan_of(const JpegPlanarResult& result) { return result.scan; }

/// What a turn of a batch has become; no data if it has faults.
template <class Result>
struct TurnedOnDevice {
  Result result;
  Bytes data;
};

/// Makes these turns of `scans` in one batch, with `capacities[i]` bytes for each, by the library's
/// functions. What comes before and after each output must stay as it is.
template <class Turn, class Result>
std::vector<TurnedOnDevice<Result>> turn_on_device(
    std::vector<Turn> turns, const std::vector<ScanTurn>& scans,
    const std::vector<std::size_t>& capacities,
    JpegWorkspace (*workspace)(const Turn*, std::size_t),
    void (*enqueue)(const Turn*, std::size_t, void*, void*, Result*, cudaStream_t)) {
  const DeviceScans src(scans);
  const PoisonedMemory dst(capacities);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i].data = src.data(i);
    turns[i].bytes = scans[i].data().size();
    turns[i].out = dst.data(i);
    turns[i].capacity = capacities[i];
  }
  const Workspaces workspaces(workspace(turns.data(), turns.size()));
  const HostMemory<Result> results(turns.size());
  Stream stream;
  enqueue(turns.data(), turns.size(), workspaces.device(), workspaces.host(), results.data(),
          stream);
  stream.wait();
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const JpegResult& scan = scan_of(results.data()[i]);
    used.push_back(!scan.faults.any() ? scan.bytes : capacities[i]);
  }
  const auto pieces = dst.download(used);
  std::vector<TurnedOnDevice<Result>> turned;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Result& result = results.data()[i];
    const auto* first = reinterpret_cast<const std::byte*>(pieces[i].data());
    turned.push_back(
        {result, !scan_of(result).faults.any() ? Bytes(first, first + used[i]) : Bytes{}});
  }
  return turned;
}

}  // namespace qturn::tests
