// The OpenCV plugin where OpenCV itself has CUDA: its streams, GpuMats that it allocates, its
// page-locked memory, and host images mixed with GpuMats.
#include <catch2/generators/catch_generators.hpp>

#include "tests/opencv/pictures.hpp"

namespace qturn::tests::stream_test {
namespace {

namespace ours = qturn::opencv;
using cv::cuda::GpuMat;
using cv::cuda::HostMem;

cv::Mat cpu(const cv::Mat& picture, Orientation orientation) {
  return turned_by_opencv(picture, orientation);
}

TEST_CASE("a destination is created where it is missing or another", "[gpu]") {
  need_opencv_with_cuda();
  const cv::Mat picture = random_picture({97, 55}, CV_8UC3);
  const GpuMat src(picture);
  cv::cuda::Stream stream;
  GpuMat dst;
  ours::transpose(src, dst, stream);
  stream.waitForCompletion();
  CHECK(difference(downloaded(dst), cpu(picture, Orientation::transpose)) == "");
  // Another size, then another type of the same size.
  ours::flip(src, dst, -1, stream);
  stream.waitForCompletion();
  CHECK(difference(downloaded(dst), cpu(picture, Orientation::rotate180)) == "");
  const cv::Mat grey = random_picture({97, 55}, CV_16UC1);
  ours::flip(GpuMat(grey), dst, -1, stream);
  stream.waitForCompletion();
  CHECK(difference(downloaded(dst), cpu(grey, Orientation::rotate180)) == "");
  const unsigned char* memory = dst.data;
  ours::flip(GpuMat(grey), dst, 0, stream);
  stream.waitForCompletion();
  CHECK(dst.data == memory);
  std::vector<GpuMat> batch;
  ours::transform_batch({src, GpuMat(), src}, batch,
                        {Orientation::rotate90, Orientation::flop, Orientation::flop}, stream);
  stream.waitForCompletion();
  REQUIRE(batch.size() == 3);
  CHECK(difference(downloaded(batch[0]), cpu(picture, Orientation::rotate90)) == "");
  CHECK(batch[1].empty());
  CHECK(difference(downloaded(batch[2]), cpu(picture, Orientation::flop)) == "");
}

TEST_CASE("an empty source releases a GpuMat", "[gpu]") {
  need_opencv_with_cuda();
  GpuMat dst({4, 3}, CV_8UC1);
  ours::rotate(GpuMat(), dst, cv::ROTATE_180);
  CHECK(dst.empty());
}

// Notes whether the stream was done whenever memory was freed. Memory comes from cudaMalloc, but
// goes back only with the allocator: cudaFree would wait for the device.
class WatchingAllocator : public GpuMat::Allocator {
 public:
  explicit WatchingAllocator(cudaStream_t stream) : stream_(stream) {}
  ~WatchingAllocator() override {
    for (void* memory : freed_) cudaFree(memory);
  }

  bool allocate(GpuMat* mat, int rows, int cols, std::size_t elem_size) override {
    void* memory = nullptr;
    must(cudaMalloc(&memory, rows * cols * elem_size));
    mat->data = static_cast<unsigned char*>(memory);
    mat->step = cols * elem_size;
    mat->refcount = static_cast<int*>(cv::fastMalloc(sizeof(int)));
    return true;
  }
  void free(GpuMat* mat) override {
    too_early = too_early || cudaStreamQuery(stream_) != cudaSuccess;
    freed_.push_back(mat->datastart);
    cv::fastFree(mat->refcount);
  }

  bool too_early = false;
  std::size_t frees() const { return freed_.size(); }

 private:
  cudaStream_t stream_;
  std::vector<void*> freed_;
};

TEST_CASE("a buffer that is replaced outlives the stream's work", "[gpu]") {
  need_opencv_with_cuda();
  const cv::Mat picture = random_picture({4001, 3001}, CV_8UC3);
  cv::cuda::Stream stream;
  WatchingAllocator allocator(static_cast<cudaStream_t>(stream.cudaPtr()));
  {
    GpuMat image(&allocator);
    image.upload(picture);
    // Not a square: cannot stay where it is.
    ours::rotate(image, image, cv::ROTATE_90_CLOCKWISE, stream);
    CHECK(allocator.frees() == 1);
    CHECK(!allocator.too_early);
    stream.waitForCompletion();
    CHECK(difference(downloaded(image), cpu(picture, Orientation::rotate90)) == "");
    GpuMat dst(10, 10, CV_8UC3, &allocator);
    ours::transpose(image, dst, stream);
    std::vector<GpuMat> batch{GpuMat(10, 10, CV_8UC3, &allocator)};
    ours::transform_batch({image}, batch, {Orientation::flop}, stream);
    CHECK(allocator.frees() == 3);
    CHECK(!allocator.too_early);
    // What is released too: by a smaller batch, and by an empty source.
    GpuMat other(picture.size(), CV_8UC3, &allocator);
    ours::flip(GpuMat(picture), other, 0, stream);
    batch.push_back(other);
    other.release();
    ours::flip(batch[1], batch[1], 1, stream);
    ours::transform_batch({image}, batch, {Orientation::flop}, stream);
    CHECK(allocator.frees() == 4);
    ours::flip(dst, dst, 1, stream);
    ours::flip(GpuMat(), dst, 1, stream);
    CHECK(allocator.frees() == 5);
    CHECK(!allocator.too_early);
    stream.waitForCompletion();
  }
}

TEST_CASE("without a stream, and on the null stream, all is done on return", "[gpu]") {
  need_opencv_with_cuda();
  const cv::Mat picture = random_picture({4001, 3001}, CV_32FC1);
  const GpuMat src(picture);
  GpuMat dst({3001, 4001}, CV_32FC1);
  std::vector<GpuMat> batch{dst};
  ours::transpose(src, dst);
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  ours::transpose(src, dst, cv::cuda::Stream::Null());
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  ours::transform_batch({src}, batch, {Orientation::rotate90});
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  CHECK(difference(downloaded(dst), cpu(picture, Orientation::rotate90)) == "");
}

TEST_CASE("host images, page-locked ones and GpuMats mix", "[gpu]") {
  need_opencv_with_cuda();
  const int type = GENERATE(CV_8UC1, CV_8UC3, CV_32FC4);
  const cv::Mat picture = random_picture({211, 134}, type);
  const GpuMat device(picture);
  const HostMem locked(picture);
  cv::cuda::Stream stream;
  for (const Orientation orientation : all_orientations) {
    const cv::Mat wanted = cpu(picture, orientation);
    for (const cv::_InputArray* src :
         {new cv::_InputArray(picture), new cv::_InputArray(device), new cv::_InputArray(locked)}) {
      const std::unique_ptr<const cv::_InputArray> owner(src);
      cv::Mat to_host;
      GpuMat to_device;
      HostMem to_locked;
      ours::transform(*src, to_host, orientation, stream);
      ours::transform(*src, to_device, orientation, stream);
      ours::transform(*src, to_locked, orientation, stream);
      stream.waitForCompletion();
      CHECK(difference(to_host, wanted) == "");
      CHECK(difference(downloaded(to_device), wanted) == "");
      CHECK(difference(to_locked.createMatHeader(), wanted) == "");
      to_host.release();
      ours::transform(*src, to_host, orientation);
      ours::transform(*src, to_locked, orientation, cv::cuda::Stream::Null());
      CHECK(difference(to_host, wanted) == "");
      CHECK(difference(to_locked.createMatHeader(), wanted) == "");
    }
  }
}

TEST_CASE("page-locked images may be their own destination, square or not", "[gpu]") {
  need_opencv_with_cuda();
  for (const cv::Size size : {cv::Size(512, 512), cv::Size(1001, 777)}) {
    const cv::Mat picture = random_picture(size, CV_8UC4);
    HostMem image(picture);
    cv::cuda::Stream stream;
    ours::transpose(image, image, stream);
    stream.waitForCompletion();
    CHECK(difference(image.createMatHeader(), cpu(picture, Orientation::transpose)) == "");
  }
}

TEST_CASE("a GpuMat that is const stays the picture that it is", "[gpu]") {
  need_opencv_with_cuda();
  const cv::Mat picture = random_picture({97, 55}, CV_8UC3);
  const GpuMat src(picture);
  const GpuMat dst({97, 55}, CV_8UC3);
  CHECK(not_refused(cv::Error::StsUnmatchedSizes,
                    "dst is fixed as 97x55 CV_8UC3, expected 55x97 CV_8UC3",
                    [&] { ours::transpose(src, dst); }) == "");
  ours::flip(src, dst, 1);
  CHECK(difference(downloaded(dst), cpu(picture, Orientation::flop)) == "");
}

}  // namespace
}  // namespace qturn::tests::stream_test
