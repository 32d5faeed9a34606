// The one operation that all functions of the plugin use.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cuda_runtime_api.h>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace qturn::opencv {

struct BlobParams;

/// Whether this build's OpenCV has streams and can allocate GpuMats.
extern const bool opencv_has_cuda;

/// Throws CudaError, which names the caller's line, unless `code` is cudaSuccess.
void check(cudaError_t code, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// These functions enqueue on `stream` and return whether there was anything to enqueue. They throw
/// Refusal, std::invalid_argument or cv::Exception before that, and CudaError if CUDA fails.
bool turn(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, Orientation orientation,
          cudaStream_t stream);
bool turn(const std::vector<cv::cuda::GpuMat>& src, std::vector<cv::cuda::GpuMat>& dst,
          const std::vector<Orientation>& orientations, cudaStream_t stream);
/// GpuMats or host images, in any combination.
bool turn(cv::InputArray src, cv::OutputArray dst, Orientation orientation, cudaStream_t stream);

/// to_planar() and to_planar_batch(), likewise.
bool to_blob(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, Orientation orientation,
             const BlobParams& params, cudaStream_t stream);
bool to_blob(const std::vector<cv::cuda::GpuMat>& src, cv::cuda::GpuMat& dst,
             const std::vector<Orientation>& orientations, const BlobParams& params,
             cudaStream_t stream);

/// What messages call an image: "src", or "src[2]" in a batch.
struct Name {
  const char* name;
  std::size_t index = not_in_a_batch;

  static constexpr std::size_t not_in_a_batch = ~std::size_t{0};
  std::string text() const;
};

inline bool has_pixels(const cv::cuda::GpuMat& mat) { return mat.rows > 0 && mat.cols > 0; }

/// Throws Refusal unless there are as many orientations as images.
void require_one_each(std::size_t orientations, std::size_t images);

/// Throws Refusal unless pixels of `type` can be moved.
void require_type(int type, Name name);

/// `mat` as the kernels see it, if the current device can reach its memory; else throws Refusal.
View device_view(const cv::cuda::GpuMat& mat, Name name);

/// The old memory of a destination that was replaced. The stream may still use it, so it is freed
/// when the stream is done. An error of the stream shows at its next synchronisation.
class Replaced {
 public:
  Replaced(const cv::cuda::GpuMat& mat, cudaStream_t stream) : mat_(mat), stream_(stream) {}
  ~Replaced();
  Replaced(Replaced&& other) noexcept;
  Replaced& operator=(Replaced&&) = delete;

 private:
  cv::cuda::GpuMat mat_;
  cudaStream_t stream_;
};

/// Releases `dst` when the stream is done with it.
void release(cv::cuda::GpuMat& dst, cudaStream_t stream);

/// How the rows of a created picture lie: at the pitch that cv::cuda chooses, or without bytes
/// between them.
enum class Rows { padded, dense };

/// Makes `dst` a picture of this size and type, unless it is one already. Keep the result until
/// all is enqueued.
std::optional<Replaced> replace(cv::cuda::GpuMat& dst, Name name, cv::Size size, int type,
                                cudaStream_t stream, Rows rows = Rows::padded);

/// What cv::flip() does for that code. Only its sign counts.
inline Orientation orientation_of_flip(int code) {
  if (code == 0) return Orientation::flip;
  return code > 0 ? Orientation::flop : Orientation::rotate180;
}

/// The turned picture's size.
inline cv::Size turned(Orientation orientation, cv::Size size) {
  return swaps_axes(orientation) ? cv::Size(size.height, size.width) : size;
}

}  // namespace qturn::opencv
