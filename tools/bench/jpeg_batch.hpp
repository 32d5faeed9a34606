// Photographs in device memory, for what is measured there.
#pragma once

#include <qturn/jpeg_cuda.hpp>
#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/gpu/owners.hpp"
#include "src/picture/bytes.hpp"
#include "tools/bench/gpu_owners.hpp"

namespace qturn::bench {

/// What a GPU is asked to make of a photograph.
struct AskedJpeg {
  const Bytes& file;
  JpegRequest request;
};

/// The JPEGs among `photographs` that a GPU turns in this way. Throws std::runtime_error if there
/// are none.
std::vector<AskedJpeg> asked_jpegs(std::span<const Bytes> photographs, Orientation orientation,
                                   JpegMode mode);

/// Room for the turned data.
inline std::size_t turned_capacity(std::size_t bytes) { return bytes + bytes / 8 + 4096; }

/// Throws std::runtime_error if there are faults.
void must_have_no_faults(JpegFaults faults);

double median(std::vector<double> values);

/// Pieces of device memory.
class Pieces {
 public:
  void* take(std::size_t bytes) {
    pieces_.push_back(std::make_unique<GpuMemory>(static_cast<std::int64_t>(bytes)));
    return pieces_.back()->at(0);
  }
  void* copy(std::span<const std::byte> data) {
    void* const piece = take(data.size());
    must(cudaMemcpy(piece, data.data(), data.size(), cudaMemcpyHostToDevice));
    return piece;
  }

 private:
  std::vector<std::unique_ptr<GpuMemory>> pieces_;
};

/// Page-locked and device memory for a batch of `count`.
template <class Result>
class Workspace {
 public:
  Workspace(const JpegWorkspace& needed, std::size_t count)
      : device_(static_cast<std::int64_t>(needed.device_bytes)) {
    host_.reserve(needed.host_bytes);
    results_.reserve(count * sizeof(Result));
    std::uninitialized_fill_n(results(), count, Result{});
  }
  std::byte* device() const { return reinterpret_cast<std::byte*>(device_.at(0)); }
  std::byte* host() const { return host_.data(); }
  Result* results() const { return reinterpret_cast<Result*>(results_.data()); }

 private:
  GpuMemory device_;
  PageLockedBuffer host_, results_;
};

}  // namespace qturn::bench
