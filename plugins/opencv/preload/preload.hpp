// Between the library that is preloaded, which knows no OpenCV, and the ones that turn pictures for
// one version of it each.
#ifndef QTURN_OPENCV_PRELOAD_HPP
#define QTURN_OPENCV_PRELOAD_HPP

namespace cv {
class _InputArray;
class _OutputArray;
namespace cuda {
class Stream;
}
}  // namespace cv

/// Does what cv::cuda::transpose() is asked for and says true; or says false and has done nothing.
using TakeTranspose = bool(const cv::_InputArray& src, const cv::_OutputArray& dst,
                           cv::cuda::Stream& stream);
/// Likewise for cv::cuda::flip().
using TakeFlip = bool(const cv::_InputArray& src, const cv::_OutputArray& dst, int flip_code,
                      cv::cuda::Stream& stream);

inline constexpr const char* take_transpose_symbol = "qturn_take_transpose";
inline constexpr const char* take_flip_symbol = "qturn_take_flip";

#endif  // QTURN_OPENCV_PRELOAD_HPP
