// Turns a picture clockwise by a quarter, from host memory and as a GpuMat on a stream, and
// compares the results with OpenCV's on the CPU.
#include <qturn/opencv.hpp>

#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

static bool same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0;
}

int main() {
  // 16-bit colour: cv::cuda::transpose() refuses it.
  cv::Mat picture(1080, 1920, CV_16UC3);
  cv::randu(picture, 0, 65536);
  cv::Mat expected;
  cv::rotate(picture, expected, cv::ROTATE_90_CLOCKWISE);

  try {
    cv::Mat turned;
    qturn::opencv::rotate(picture, turned, cv::ROTATE_90_CLOCKWISE);
    std::printf("cv::Mat: %s\n", same(turned, expected) ? "equal to cv::rotate" : "different");

    if (cv::cuda::getCudaEnabledDeviceCount() == 0) {
      std::puts("cv::cuda::GpuMat: this OpenCV was built without CUDA");
      return 0;
    }
    cv::cuda::Stream stream;
    cv::cuda::GpuMat frame;
    cv::cuda::GpuMat upright;
    frame.upload(picture, stream);
    // One pass, where OpenCV needs a transpose and a flip. Returns at once.
    qturn::opencv::rotate(frame, upright, cv::ROTATE_90_CLOCKWISE, stream);
    // The same as a photograph's orientation, in place because this one keeps its shape.
    qturn::opencv::transform(upright, upright, qturn::Orientation::rotate180, stream);
    upright.download(turned, stream);
    stream.waitForCompletion();
    cv::rotate(picture, expected, cv::ROTATE_90_COUNTERCLOCKWISE);
    std::printf("cv::cuda::GpuMat: %s\n",
                same(turned, expected) ? "equal to cv::rotate" : "different");
  } catch (const cv::Exception& error) {
    std::printf("code %d: %s\n", error.code, error.err.c_str());
    return 1;
  }
  return 0;
}
