// CUDA's errors as exceptions, and owners of its streams and memory, for lanes and for JPEGs.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <qturn/cuda.hpp>
#include <qturn/jpeg_cuda.hpp>

#include "src/picture/file_bytes.hpp"

namespace qturn {

/// cudaErrorMemoryAllocation: less memory may still be there, and other calls work.
class OutOfDeviceMemory : public CudaError {
 public:
  using CudaError::CudaError;
};

/// Throws CudaError, or OutOfDeviceMemory; `what` says what was done.
void check(cudaError_t error, const char* what);

/// A stream of the device that is current when this is constructed.
class CudaStream {
 public:
  CudaStream();
  ~CudaStream() { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Device memory that grows to the largest size that was requested.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  /// Its content is lost if it has to grow.
  std::byte* reserve(std::size_t bytes);
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Makes `device` current for this thread, and lets its waits for a stream yield to other threads.
/// CUDA's default is to spin, which takes cores from the threads that feed the device. These waits
/// are for one picture: a thread that slept would wake up too late. A batch takes milliseconds, so
/// waits for a batch sleep (CudaEvent).
void use_device(int device);

struct FreePageLocked {
  void operator()(std::byte* memory) const { cudaFreeHost(memory); }
};

/// Page-locked memory that grows to the largest size that was requested.
class PageLockedBuffer {
 public:
  /// Its content is lost if it has to grow. Throws OutOfDeviceMemory.
  std::byte* reserve(std::size_t bytes);
  std::byte* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte, FreePageLocked> data_;
  std::size_t bytes_ = 0;
};

/// Page-locked memory that all devices can use. Throws OutOfDeviceMemory.
std::byte* allocate_page_locked(std::size_t bytes);

struct FreePageLockedBlock {
  void operator()(std::byte* memory) const;
};

/// The same for many megabytes, in huge pages if the system has them, which takes a fifth of the
/// time.
std::unique_ptr<std::byte, FreePageLockedBlock> allocate_page_locked_block(std::size_t bytes);

/// A point in the work of a stream for which a thread sleeps until it is reached.
class CudaEvent {
 public:
  CudaEvent();
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Waits for all that was enqueued on `stream` until now; `what` says what that was.
  void wait_for(cudaStream_t stream, const char* what);

 private:
  cudaEvent_t event_ = nullptr;
};

// Page-locked memory for copies to and from a GPU, kept from one picture to the next.
//
// Only copies from such memory overlap with other work. The system takes longer to give a piece of
// it than the copy takes, so pieces are cut out of large blocks.

/// May be used by several threads.
class PageLockedPool {
 public:
  using PageLocked = std::unique_ptr<std::byte, FreePageLockedBlock>;
  /// Asks the system for a block. Throws OutOfDeviceMemory.
  using Allocate = PageLocked (*)(std::size_t bytes);

  /// Takes no more than `most_bytes` in all.
  explicit PageLockedPool(std::uint64_t most_bytes, Allocate allocate = allocate_page_locked_block)
      : most_bytes_(most_bytes), allocate_(allocate) {}

  /// Memory for `bytes`, with any content; none if there is not so much. It goes back to the pool,
  /// which must outlive it. Blocks only while the system is asked for more. The current thread
  /// needs a device.
  FileBytes take(std::size_t bytes);

  /// Whether this is the address of a byte in the pool's memory.
  bool has(const std::byte* data) const;

 private:
  /// Memory that the system gave at once, and its free pieces: sizes by address.
  struct Block {
    PageLocked memory;
    std::size_t bytes;
    std::map<std::byte*, std::size_t> free;

    bool has(const std::byte* data) const {
      return data >= memory.get() && data < memory.get() + bytes;
    }
  };

  std::byte* find(std::size_t bytes);
  FileBytes lent(std::byte* data, std::size_t bytes);
  bool grow(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  void give_back(std::size_t bytes, std::byte* data);
  void merge(std::size_t bytes, std::byte* data);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t most_bytes_, held_ = 0;
  const Allocate allocate_;
  std::size_t in_use_ = 0;
  bool grows_ = false;  ///< a thread asks the system for a block
  std::vector<Block> blocks_;
  /// Pieces that came back, by size; of one size the newest first, because the cores' caches may
  /// still have it. They are merged with free neighbours only if no piece fits: to look for a place
  /// among many takes longer than to write a file.
  std::multimap<std::size_t, std::byte*> returned_;
};

// What a batch of JPEGs needs on a GPU.

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
