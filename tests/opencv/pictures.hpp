// OpenCV's images for the tests of the plugin: random pixels, what OpenCV's own functions on the
// CPU make of them, and GpuMats that any OpenCV can make, with CUDA or without.
#pragma once

#include <qturn/opencv.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <string>
#include <vector>

#include "tests/fixtures/pictures.hpp"
#include "tests/kernels/device_memory.hpp"

namespace qturn::tests {

/// GpuMats that OpenCV allocates, and cv::cuda::Streams.
inline void need_opencv_with_cuda() {
  need_gpu();
  if (cv::cuda::getCudaEnabledDeviceCount() <= 0) SKIP("this OpenCV was built without CUDA");
}

/// Every depth with 1 to 4 channels, and a few with more.
inline std::vector<int> all_types() {
  std::vector<int> types;
  for (const int depth : {
           CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F, CV_16F,
#ifdef CV_16BF
           CV_16BF, CV_Bool, CV_64U, CV_64S, CV_32U,  // OpenCV 5's
#endif
       }) {
    for (int channels = 1; channels <= 4; ++channels) types.push_back(CV_MAKETYPE(depth, channels));
  }
  for (const int type : {CV_8UC(5), CV_8UC(12), CV_16UC(7), CV_32FC(8)}) types.push_back(type);
  return types;
}

inline cv::Mat random_picture(cv::Size size, int type, std::uint64_t seed = 1) {
  cv::Mat picture(size, type);
  const std::vector<unsigned char> bytes =
      random_bytes(static_cast<std::int64_t>(picture.total() * picture.elemSize()), seed);
  std::memcpy(picture.data, bytes.data(), bytes.size());
  return picture;
}

/// By OpenCV, on the CPU. Its cv::transpose() takes pixels of ten sizes; others channel by channel.
inline cv::Mat transposed_by_opencv(const cv::Mat& src) {
  cv::Mat dst;
  for (const std::size_t pixel_bytes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    if (src.elemSize() != pixel_bytes) continue;
    cv::transpose(src, dst);
    return dst;
  }
  std::vector<cv::Mat> channels;
  cv::split(src, channels);
  for (cv::Mat& channel : channels) cv::transpose(channel, channel);
  cv::merge(channels, dst);
  return dst;
}

/// cv::rotate() is a transpose and a flip too, but of fewer types.
inline cv::Mat turned_by_opencv(const cv::Mat& src, Orientation orientation) {
  if (orientation == Orientation::identity) return src.clone();
  const cv::Mat straight = swaps_axes(orientation) ? transposed_by_opencv(src) : src;
  cv::Mat dst;
  switch (orientation) {
    case Orientation::flop:
    case Orientation::rotate90:
      cv::flip(straight, dst, 1);
      return dst;
    case Orientation::flip:
    case Orientation::rotate270:
      cv::flip(straight, dst, 0);
      return dst;
    case Orientation::rotate180:
    case Orientation::transverse:
      cv::flip(straight, dst, -1);
      return dst;
    default:
      return straight;
  }
}

/// Nothing if they are equal, in size, type and every byte.
inline std::string difference(const cv::Mat& got, const cv::Mat& wanted) {
  const auto shape = [](const cv::Mat& mat) {
    return std::to_string(mat.cols) + "x" + std::to_string(mat.rows) + " " +
           cv::typeToString(mat.type());
  };
  if (got.size() != wanted.size() || got.type() != wanted.type()) {
    return "got " + shape(got) + " wanted " + shape(wanted);
  }
  const std::size_t pixel_bytes = wanted.elemSize();
  for (int y = 0; y < wanted.rows; ++y) {
    if (std::memcmp(got.ptr(y), wanted.ptr(y), wanted.cols * pixel_bytes) == 0) continue;
    for (int x = 0; x < wanted.cols; ++x) {
      const unsigned char* a = got.ptr(y) + x * pixel_bytes;
      const unsigned char* b = wanted.ptr(y) + x * pixel_bytes;
      if (std::memcmp(a, b, pixel_bytes) == 0) continue;
      return shape(wanted) + ": x=" + std::to_string(x) + " y=" + std::to_string(y) + " got " +
             hex(a, static_cast<int>(pixel_bytes)) + " wanted " +
             hex(b, static_cast<int>(pixel_bytes));
    }
  }
  return {};
}

/// A picture in device memory. OpenCV without CUDA cannot allocate one, but wrap one.
class DevicePicture {
 public:
  explicit DevicePicture(const cv::Mat& picture) : DevicePicture(picture.size(), picture.type()) {
    upload(picture);
  }
  DevicePicture(cv::Size size, int type)
      : step_(static_cast<std::size_t>(size.width) * CV_ELEM_SIZE(type)),
        memory_(static_cast<std::int64_t>(step_) * size.height),
        mat_(size, type, memory_.data(), step_) {}

  cv::cuda::GpuMat& mat() { return mat_; }
  cv::cuda::GpuMat region(cv::Rect where) { return cv::cuda::GpuMat(mat_, where); }

  void upload(const cv::Mat& picture) {
    must(cudaMemcpy2D(mat_.data, step_, picture.data, picture.step, step_,
                      static_cast<std::size_t>(mat_.rows), cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
  }
  cv::Mat download() const {
    cv::Mat picture(mat_.size(), mat_.type());
    must(cudaMemcpy2D(picture.data, picture.step, mat_.data, step_, step_,
                      static_cast<std::size_t>(mat_.rows), cudaMemcpyDeviceToHost));
    return picture;
  }

 private:
  std::size_t step_;
  DeviceMemory memory_;
  cv::cuda::GpuMat mat_;
};

inline cv::Mat downloaded(const cv::cuda::GpuMat& mat) {
  cv::Mat picture(mat.size(), mat.type());
  must(cudaMemcpy2D(picture.data, picture.step, mat.data, mat.step, mat.cols * mat.elemSize(),
                    static_cast<std::size_t>(mat.rows), cudaMemcpyDeviceToHost));
  return picture;
}

/// "" if `call` throws a cv::Exception with that code and message; else what it did instead.
template <class Call>
std::string not_refused(int code, const std::string& message, Call call) {
  try {
    call();
  } catch (const cv::Exception& error) {
    if (error.code == code && error.err == message) return {};
    return "code " + std::to_string(error.code) + ": " + error.err;
  }
  return "nothing was thrown";
}

}  // namespace qturn::tests
