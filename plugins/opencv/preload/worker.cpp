// libqturn_opencv_preload_414.so and so on: the functions that the preloaded library calls, built
// for one OpenCV version. Calls that are refused here are left to OpenCV, with OpenCV's errors.
#include "plugins/opencv/preload/preload.hpp"
#include "plugins/opencv/preload/taken.hpp"
#include "plugins/opencv/src/turn.hpp"

namespace {

using namespace qturn;

bool taken(cv::InputArray src, cv::OutputArray dst, Orientation orientation,
           const cv::cuda::Stream& stream) {
  auto* const handle = static_cast<cudaStream_t>(stream.cudaPtr());
  return opencv::taken([&] { return opencv::turn(src, dst, orientation, handle); },
                       [&] {
                         // OpenCV's own functions wait if they get no stream.
                         if (handle != nullptr) return;
                         const cudaError_t code = cudaStreamSynchronize(handle);
                         if (code == cudaSuccess) return;
                         cudaGetLastError();
                         CV_Error(cv::Error::GpuApiCallError, cudaGetErrorString(code));
                       });
}

// cv::cuda::flip() throws for these, and its tests require that, so a program may rely on it.
// qturn::opencv::flip() turns them.
bool odd_and_in_place(cv::InputArray src, cv::OutputArray dst) {
  if (src.kind() != cv::_InputArray::CUDA_GPU_MAT || dst.kind() != src.kind()) return false;
  const cv::cuda::GpuMat from = src.getGpuMat();
  const cv::cuda::GpuMat& to = dst.getGpuMatRef();
  return from.data == to.data && from.size() == to.size() && from.type() == to.type() &&
         (from.cols % 2 != 0 || from.rows % 2 != 0);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] bool qturn_take_transpose(const cv::_InputArray& src,
                                                                    const cv::_OutputArray& dst,
                                                                    cv::cuda::Stream& stream) {
  return taken(src, dst, Orientation::transpose, stream);
}

extern "C" [[gnu::visibility("default")]] bool qturn_take_flip(const cv::_InputArray& src,
                                                               const cv::_OutputArray& dst,
                                                               int flip_code,
                                                               cv::cuda::Stream& stream) {
  if (odd_and_in_place(src, dst)) return false;
  return taken(src, dst, opencv::orientation_of_flip(flip_code), stream);
}
