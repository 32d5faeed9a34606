// A lane on a GPU: pages are decoded into page-locked memory, so that upload, kernel and download
// are asynchronous work on the lane's own stream, and those of one lane overlap with those of the
// others.
#include <cuda_runtime_api.h>
#include <qturn/cuda.hpp>

#include <new>

#include "src/cuda/owners.hpp"
#include "src/run/lane.hpp"

namespace qturn {
namespace {

const BlockSource page_locked_memory{[](std::size_t bytes) {
                                       void* block = nullptr;
                                       check(cudaHostAlloc(&block, bytes, cudaHostAllocPortable),
                                             "page-locked memory");
                                       return block;
                                     },
                                     [](void* block) { cudaFreeHost(block); }};

class CudaLane : public Lane {
 public:
  CudaLane(int device, std::size_t keep_bytes)
      : device_(device),
        decoded_(page_locked_memory, keep_bytes / 2),
        turned_(page_locked_memory, keep_bytes / 2) {
    check(cudaSetDevice(device_), "the device");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  }

  ~CudaLane() override {
    cudaSetDevice(device_);
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  // Decoding asks for memory on whatever thread the image is on.
  PixelArena& decoded() override {
    check(cudaSetDevice(device_), "the device");
    return decoded_;
  }

  void load(const Image& image) override {
    check(cudaSetDevice(device_), "the device");
    image_ = image;
    std::byte* source = source_.reserve(total_bytes(image));
    for (const Page& page : image.pages) {
      check(cudaMemcpyAsync(source, page.pixels, page.bytes(), cudaMemcpyHostToDevice, stream_),
            "an upload");
      source += aligned_bytes(page);
    }
  }

  Image turn(Orientation orientation) override {
    check(cudaSetDevice(device_), "the device");
    turned_.clear();
    Image result = image_;
    std::byte* source = source_.reserve(0);
    std::byte* destination = destination_.reserve(total_bytes(image_));
    for (Page& page : result.pages) {
      View from = page.view();
      from.data = source;
      if (swaps_axes(orientation)) std::swap(page.width, page.height);
      page.pixels = turned_.take(page.bytes());
      View to = page.view();
      to.data = destination;
      transform(from, to, orientation, stream_);
      check(
          cudaMemcpyAsync(page.pixels, destination, page.bytes(), cudaMemcpyDeviceToHost, stream_),
          "a download");
      source += aligned_bytes(page);
      destination += aligned_bytes(page);
    }
    check(cudaStreamSynchronize(stream_), "turning on the device");
    return result;
  }

  void clear() override {
    cudaStreamSynchronize(stream_);  // an upload may still be reading the pages
    image_ = {};
    decoded_.clear();
    turned_.clear();
  }

 private:
  static std::size_t aligned_bytes(const Page& page) { return (page.bytes() + 255) / 256 * 256; }

  static std::size_t total_bytes(const Image& image) {
    std::size_t bytes = 0;
    for (const Page& page : image.pages) bytes += aligned_bytes(page);
    return bytes;
  }

  int device_;
  cudaStream_t stream_ = nullptr;
  Image image_;
  PixelArena decoded_;
  PixelArena turned_;
  DeviceBuffer source_;
  DeviceBuffer destination_;
};

}  // namespace

std::unique_ptr<Lane> make_cuda_lane(int device, std::size_t keep_bytes) {
  return std::make_unique<CudaLane>(device, keep_bytes);
}

}  // namespace qturn
