// A program of somebody else's that calls cv::cuda::transpose and cv::cuda::flip. With an argument
// it turns pictures on the GPU, without one it calls them with nothing.
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

namespace cv::cuda {
void transpose(InputArray src, OutputArray dst, Stream& stream);
void flip(InputArray src, OutputArray dst, int flip_code, Stream& stream);
}  // namespace cv::cuda

int main(int arguments, char**) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (arguments == 1) {
    // A Stream cannot be made without a GPU; none of those called here looks at it.
    alignas(cv::cuda::Stream) unsigned char nothing[sizeof(cv::cuda::Stream)] = {};
    auto& stream = reinterpret_cast<cv::cuda::Stream&>(nothing);
    cv::cuda::transpose(cv::Mat(), cv::noArray(), stream);
    cv::cuda::flip(cv::Mat(), cv::noArray(), 1, stream);
    return 0;
  }
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
