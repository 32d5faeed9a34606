// A lane on a GPU. Pages are decoded into page-locked memory, so that upload, kernel and download
// are asynchronous work on the lane's own stream, and overlap with the work of other lanes.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <qturn/cuda.hpp>

#include <new>
#include <utility>

#include "src/gpu/device.hpp"
#include "src/gpu/owners.hpp"

namespace qturn {
namespace {

void* allocate_for_pictures(std::size_t bytes) {
  void* block = nullptr;
  const cudaError_t error = cudaHostAlloc(&block, bytes, cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check(error, "page-locked memory");
  return block;
}

const BlockSource page_locked_memory{allocate_for_pictures,
                                     [](void* block) { cudaFreeHost(block); }};

/// A picture that the device cannot turn is turned on the CPU. What was decoded is in the CPU's
/// memory still.
class CudaLane : public Lane {
 public:
  CudaLane(int device, std::size_t keep_bytes)
      : Lane(page_locked_memory, keep_bytes), device_(device) {
    check(cudaSetDevice(device_), "the device");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  }

  ~CudaLane() override {
    cudaSetDevice(device_);
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  PixelArena& decoded() override {
    try {
      // Decoding allocates memory on the thread that the image is on.
      if (!is_lost_) check(cudaSetDevice(device_), "the device");
      if (!is_lost_) check(cudaStreamQuery(stream_), "the device");
    } catch (const CudaError& error) {
      leave_device(error);
    }
    return is_lost_ ? on_cpu_->decoded() : decoded_;
  }

  void load(const Image& image) override {
    image_ = image;
    try {
      is_on_device_ = !is_lost_;
      if (is_on_device_) upload();
    } catch (const CudaError& error) {
      leave_device(error);
    }
  }

  Image turn(Orientation orientation, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) override {
    try {
      if (is_on_device_) return turn_on_device(orientation);
    } catch (const CudaError& error) {
      leave_device(error);
    }
    if (!problem_.empty()) warnings.push_back(std::exchange(problem_, {}));
    on_cpu_->load(image_);
    return on_cpu_->turn(orientation, stop, warnings);
  }

  void release_decoded() override {
    image_ = {};
    on_cpu_->release_decoded();
    decoded_.release();
  }

  void clear() override {
    cudaStreamSynchronize(stream_);  // an upload may still read the pages
    image_ = {};
    on_cpu_->clear();
    decoded_.clear();
    turned_.clear();
  }

 private:
  void upload() {
    check(cudaSetDevice(device_), "the device");
    std::byte* source = source_.reserve(total_bytes(image_));
    for (const Page& page : image_.pages) {
      check(cudaMemcpyAsync(source, page.pixels, page.bytes(), cudaMemcpyHostToDevice, stream_),
            "an upload");
      source += aligned_bytes(page);
    }
  }

  Image turn_on_device(Orientation orientation) {
    check(cudaSetDevice(device_), "the device");
    turned_.clear();
    Image result = image_;
    std::byte* source = source_.data();
    std::byte* destination = destination_.reserve(total_bytes(image_));
    for (Page& page : result.pages) {
      View from = page.view();
      from.data = source;
      const Orientation applied =
          compose(std::exchange(page.ahead, Orientation::identity), orientation);
      if (swaps_axes(applied)) std::swap(page.width, page.height);
      page.pixels = turned_.take(page.bytes());
      View to = page.view();
      to.data = destination;
      transform(from, to, applied, stream_);
      check(
          cudaMemcpyAsync(page.pixels, destination, page.bytes(), cudaMemcpyDeviceToHost, stream_),
          "a download");
      source += aligned_bytes(page);
      destination += aligned_bytes(page);
    }
    check(cudaStreamSynchronize(stream_), "turning on the device");
    return result;
  }

  // Memory may be free again for the next picture. After any other error CUDA refuses all that
  // follows, until the program ends.
  void leave_device(const CudaError& error) {
    cudaStreamSynchronize(stream_);  // an upload may still read the pages
    is_on_device_ = false;
    is_lost_ = dynamic_cast<const OutOfDeviceMemory*>(&error) == nullptr;
    problem_ =
        is_lost_ ? fmt::format("cuda:{} failed ({}); this and later pictures are turned on the CPU",
                               device_, error.what())
                 : fmt::format("cuda:{} is out of memory; turned on the CPU", device_);
  }

  static std::size_t aligned_bytes(const Page& page) { return (page.bytes() + 255) / 256 * 256; }

  static std::size_t total_bytes(const Image& image) {
    std::size_t bytes = 0;
    for (const Page& page : image.pages) bytes += aligned_bytes(page);
    return bytes;
  }

  int device_;
  cudaStream_t stream_ = nullptr;
  bool is_lost_ = false;
  bool is_on_device_ = false;  ///< the image
  std::string problem_;        ///< that no picture's warnings have named yet
  std::unique_ptr<Lane> on_cpu_ = make_cpu_lane(0);
  DeviceBuffer source_;
  DeviceBuffer destination_;
};

}  // namespace

std::unique_ptr<Lane> make_cuda_lane(int device, std::size_t keep_bytes) {
  return std::make_unique<CudaLane>(device, keep_bytes);
}

}  // namespace qturn
