// cv::transpose, flip and rotate on the GPU, and all eight orientations, for OpenCV's images.
//
//   cv::cuda::GpuMat turned;
//   qturn::opencv::rotate(picture, turned, cv::ROTATE_90_CLOCKWISE, stream);
//
// Arguments have the order and the meaning that they have in OpenCV. Each function has three forms:
//
//   without a stream            on OpenCV's null stream; returns when all is done
//   with a cv::cuda::Stream     like cv::cuda's functions: enqueues; Stream::Null() waits
//   with a cudaStream_t         the same for GpuMats only; never waits for the null stream
//
// The rules, the same for all:
//
// Types: every depth with any number of channels, as long as a pixel has at most 256 bytes
// (CV_8UC1, CV_16FC3, CV_64FC4, CV_8UC(12), ...). Pixels are moved, never interpreted.
//
// Images: `src` and `dst` may be GpuMats or regions of them, of any size. The forms without a
// cudaStream_t also take cv::Mat, cv::cuda::HostMem and whatever else OpenCV accepts there, in any
// combination, and copy it to the device and back.
//
// Destination: reused if it has the right size and type, otherwise created. `dst` may be `src`: a
// mirror or a half turn is then done in place, a transpose or a quarter turn too if the picture is
// a square; otherwise `dst` gets a new buffer. Other overlaps are refused. An empty `src` releases
// `dst`, as in cv::rotate().
//
// Memory: a GpuMat is created by its own allocator (GpuMat::allocator). Copies of host images lie
// in stream-ordered memory of the device's pool (cudaMallocAsync).
//
// Waiting: a call on a stream that is not null returns without waiting when source and destination
// are two GpuMats and the destination is not replaced; nothing is allocated then, and a graph can
// capture it. If a GpuMat is replaced or released, the call waits for the stream before it frees
// the old buffer. Copies to and from page-locked memory (HostMem) are enqueued; copies of other
// host memory wait as cudaMemcpyAsync does.
//
// OpenCV without CUDA, such as Debian's, has no streams and cannot allocate a GpuMat. With it, the
// functions without a stream take host images. Those with a cudaStream_t take GpuMats that wrap
// device pointers, and the destination must have the right size and type.
//
// Errors: cv::Exception before anything is enqueued, with a code that says what was wrong and a
// message with what was found and what was expected. Error::GpuApiCallError when CUDA fails later.
#ifndef QTURN_OPENCV_HPP
#define QTURN_OPENCV_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cuda_runtime_api.h>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

#include <vector>

namespace qturn::opencv {

/// `dst` becomes `src` mirrored across its main diagonal, as by cv::transpose().
QTURN_EXPORT void transpose(cv::InputArray src, cv::OutputArray dst);
QTURN_EXPORT void transpose(cv::InputArray src, cv::OutputArray dst, cv::cuda::Stream& stream);
QTURN_EXPORT void transpose(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst,
                            cudaStream_t stream);

/// Does what cv::flip() does: 0 exchanges top and bottom, a positive `flip_code` left and right, a
/// negative one both.
QTURN_EXPORT void flip(cv::InputArray src, cv::OutputArray dst, int flip_code);
QTURN_EXPORT void flip(cv::InputArray src, cv::OutputArray dst, int flip_code,
                       cv::cuda::Stream& stream);
QTURN_EXPORT void flip(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, int flip_code,
                       cudaStream_t stream);

/// Does what cv::rotate() does, in one pass; `rotate_code` is one of cv::RotateFlags.
///
/// Any other code throws Error::StsBadArg, where OpenCV leaves `dst` with undefined pixels and says
/// nothing.
QTURN_EXPORT void rotate(cv::InputArray src, cv::OutputArray dst, int rotate_code);
QTURN_EXPORT void rotate(cv::InputArray src, cv::OutputArray dst, int rotate_code,
                         cv::cuda::Stream& stream);
QTURN_EXPORT void rotate(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, int rotate_code,
                         cudaStream_t stream);

/// `dst` becomes `src` seen in `orientation`, in one pass. A value that is not one of the eight
/// throws Error::StsBadArg. The number is Exif's, so this makes a photograph upright. (OpenCV
/// has a function of this name for something else: it multiplies each pixel by a matrix.)
QTURN_EXPORT void transform(cv::InputArray src, cv::OutputArray dst, Orientation orientation);
QTURN_EXPORT void transform(cv::InputArray src, cv::OutputArray dst, Orientation orientation,
                            cv::cuda::Stream& stream);
QTURN_EXPORT void transform(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst,
                            Orientation orientation, cudaStream_t stream);

/// `dst[i]` becomes `src[i]` seen in `orientations[i]`, all in one launch (in several beyond
/// batch_images_in_a_launch images). A small picture costs as much as its launch, so turn small
/// ones with this.
///
/// Sizes may differ from image to image, the bytes per pixel may not. `dst` is resized to as many
/// images as `src` has, and each is reused or created as above; an empty image releases its
/// destination. No destination may share memory with an image of `src`.
QTURN_EXPORT void transform_batch(const std::vector<cv::cuda::GpuMat>& src,
                                  std::vector<cv::cuda::GpuMat>& dst,
                                  const std::vector<Orientation>& orientations);
QTURN_EXPORT void transform_batch(const std::vector<cv::cuda::GpuMat>& src,
                                  std::vector<cv::cuda::GpuMat>& dst,
                                  const std::vector<Orientation>& orientations,
                                  cv::cuda::Stream& stream);
QTURN_EXPORT void transform_batch(const std::vector<cv::cuda::GpuMat>& src,
                                  std::vector<cv::cuda::GpuMat>& dst,
                                  const std::vector<Orientation>& orientations,
                                  cudaStream_t stream);

/// An image, or a region of one, as a view for qturn's own functions: a cv::Mat for functions
/// without a stream (cpu.hpp, batch.hpp, planar.hpp), a GpuMat for functions on a stream. The view
/// does not keep the memory. A const image gives a ConstView.
///
/// Throws Error::BadNumChannels for pixels of more than 256 bytes, Error::StsBadSize for a cv::Mat
/// that has more than two dimensions, Error::StsNullPtr for pixels at address 0, and
/// Error::BadDataPtr for a GpuMat whose memory the current device cannot reach.
QTURN_EXPORT View view_of(cv::Mat& mat);
QTURN_EXPORT ConstView view_of(const cv::Mat& mat);
QTURN_EXPORT View view_of(cv::cuda::GpuMat& mat);
QTURN_EXPORT ConstView view_of(const cv::cuda::GpuMat& mat);

/// What to_planar() does with the samples of a picture. The fields are named as in
/// cv::dnn::Image2BlobParams. Plane c of the blob holds (sample - mean[c]) * scalefactor[c].
///
/// ImageNet's normalisation of RGB bytes is mean {0.485 * 255, 0.456 * 255, 0.406 * 255} and
/// scalefactor {1 / (0.229 * 255), 1 / (0.224 * 255), 1 / (0.225 * 255)}.
struct BlobParams {
  cv::Scalar scalefactor = cv::Scalar::all(1);
  cv::Scalar mean;
  /// Exchanges channels 0 and 2, which turns BGR into RGB. `mean` and `scalefactor` are indexed by
  /// the blob's planes, as in OpenCV.
  bool swap_rb = false;
  int ddepth = CV_32F;  ///< CV_32F, CV_16F, or CV_16BF of OpenCV 5
  /// 0: one plane per channel. 3: drops the alpha of four channels, and repeats a grey one.
  int planes = 0;
};

/// `dst` becomes `src` seen in `orientation`, as normalised planes one below the other, in one
/// pass: for C planes of H rows and W columns a GpuMat of C * H rows and W columns, CV_32FC1,
/// CV_16FC1 or CV_16BFC1. One that is created has no gaps between its rows (unless it has 2^31
/// samples), so that dst.data is a tensor of 1 x C x H x W; a destination of that size and type is
/// reused with its pitch.
///
/// `src` is CV_8U, CV_16U, CV_16F or CV_32F with 1 to 4 channels. A sample x becomes
/// (x - mean) * scalefactor, one fused multiply-add of floats (qturn::PlanarFormat, with 1 /
/// scalefactor for its deviation), rounded once more if ddepth is not CV_32F. The rest is as in
/// transform().
QTURN_EXPORT void to_planar(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst,
                            Orientation orientation, const BlobParams& params);
QTURN_EXPORT void to_planar(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst,
                            Orientation orientation, const BlobParams& params,
                            cv::cuda::Stream& stream);
QTURN_EXPORT void to_planar(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst,
                            Orientation orientation, const BlobParams& params, cudaStream_t stream);

/// The same for N pictures in one launch (in several beyond planar_images_in_a_launch): `dst` has
/// N * C * H rows, picture i from row i * C * H on, and is a tensor of N x C x H x W.
///
/// All pictures must have the size, once turned, and the number of channels of the first one. None
/// may be empty or share memory with `dst`.
QTURN_EXPORT void to_planar_batch(const std::vector<cv::cuda::GpuMat>& src, cv::cuda::GpuMat& dst,
                                  const std::vector<Orientation>& orientations,
                                  const BlobParams& params);
QTURN_EXPORT void to_planar_batch(const std::vector<cv::cuda::GpuMat>& src, cv::cuda::GpuMat& dst,
                                  const std::vector<Orientation>& orientations,
                                  const BlobParams& params, cv::cuda::Stream& stream);
QTURN_EXPORT void to_planar_batch(const std::vector<cv::cuda::GpuMat>& src, cv::cuda::GpuMat& dst,
                                  const std::vector<Orientation>& orientations,
                                  const BlobParams& params, cudaStream_t stream);

}  // namespace qturn::opencv

#endif  // QTURN_OPENCV_HPP
