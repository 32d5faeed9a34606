// The interface between the preloaded library, which does not know OpenCV, and the libraries that
// turn pictures for one version of OpenCV each.
#pragma once

namespace cv {
class _InputArray;
class _OutputArray;
namespace cuda {
class Stream;
}
}  // namespace cv

/// Does what cv::cuda::transpose() was asked to do and returns true; or does nothing and returns
/// false. Throws cv::Exception if the GPU fails while this waits for the result.
using TakeTranspose = bool(const cv::_InputArray& src, const cv::_OutputArray& dst,
                           cv::cuda::Stream& stream);
/// Does the same for cv::cuda::flip().
using TakeFlip = bool(const cv::_InputArray& src, const cv::_OutputArray& dst, int flip_code,
                      cv::cuda::Stream& stream);

inline constexpr const char* take_transpose_symbol = "qturn_take_transpose";
inline constexpr const char* take_flip_symbol = "qturn_take_flip";
