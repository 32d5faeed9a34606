// A program of somebody else's that calls cv::cuda::transpose and cv::cuda::flip: without an
// argument with nothing, with "gpu" for pictures on the GPU, with "fault" while the GPU fails.
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <string>

#include "fault.hpp"

namespace cv::cuda {
void transpose(InputArray src, OutputArray dst, Stream& stream);
void flip(InputArray src, OutputArray dst, int flip_code, Stream& stream);
}  // namespace cv::cuda

// Flips in place while the GPU fails: the flip is in the stream, and must not be done again.
int flip_while_the_gpu_fails() {
  // Never freed: the GPU takes no call after its failure.
  auto& picture = *new cv::cuda::GpuMat(32, 48, CV_8UC3);
  // Once without the fault, so that the kernel is loaded.
  cv::cuda::flip(picture, picture, 0, cv::cuda::Stream::Null());
  fail_later();
  try {
    cv::cuda::flip(picture, picture, 0, cv::cuda::Stream::Null());
    std::puts("no error");
  } catch (const cv::Exception& error) {
    std::puts(error.code == cv::Error::GpuApiCallError ? "the GPU's error" : error.what());
  }
  return 0;
}

int main(int arguments, char** argument) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (arguments == 1) {
    // A Stream cannot be made without a GPU; no function called here looks at it.
    alignas(cv::cuda::Stream) unsigned char nothing[sizeof(cv::cuda::Stream)] = {};
    auto& stream = reinterpret_cast<cv::cuda::Stream&>(nothing);
    cv::cuda::transpose(cv::Mat(), cv::noArray(), stream);
    cv::cuda::flip(cv::Mat(), cv::noArray(), 1, stream);
    return 0;
  }
  if (argument[1] == std::string("fault")) return flip_while_the_gpu_fails();
  cv::cuda::Stream stream;
  cv::Mat picture(33, 47, CV_8UC3);
  cv::randu(picture, 0, 256);
  cv::cuda::GpuMat src(picture);
  cv::cuda::GpuMat dst;
  cv::Mat got;
  cv::Mat wanted;
  cv::cuda::transpose(src, dst, stream);
  dst.download(got, stream);
  stream.waitForCompletion();
  cv::transpose(picture, wanted);
  std::puts(got.size() == wanted.size() && cv::norm(got, wanted, cv::NORM_INF) == 0 ? "same"
                                                                                    : "different");
  cv::cuda::flip(src, dst, 0, cv::cuda::Stream::Null());
  dst.download(got);
  cv::flip(picture, wanted, 0);
  std::puts(got.size() == wanted.size() && cv::norm(got, wanted, cv::NORM_INF) == 0 ? "same"
                                                                                    : "different");
  // In place and of odd size: OpenCV promises to refuse this.
  cv::cuda::flip(src, src, 0, stream);
  return 0;
}
