// What a batch of JPEGs needs on a GPU: a stream, and memory on both sides.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include <cstddef>

#include "src/gpu/owners.hpp"

namespace qturn {

/// Page-locked memory of one kind of work.
template <class Result>
struct HostSide {
  PageLockedBuffer tables, made;

  void reserve(const JpegWorkspace& needed, std::size_t pictures) {
    tables.reserve(needed.host_bytes);
    made.reserve(pictures * sizeof(Result));
  }
  Result* results() const { return reinterpret_cast<Result*>(made.data()); }
};

/// Waits for a stream when its scope is left, also by an exception.
struct StreamEnd {
  cudaStream_t stream;
  ~StreamEnd() { cudaStreamSynchronize(stream); }
};

/// Where pieces of device memory lie, each at a multiple of 256.
class DevicePieces {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = bytes_;
    bytes_ += aligned(bytes);
    return at;
  }
  std::size_t bytes() const { return bytes_; }

  static constexpr std::size_t aligned(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    return (bytes + alignment - 1) / alignment * alignment;
  }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace qturn
