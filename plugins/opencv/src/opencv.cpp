// Maps OpenCV's codes to orientations, and our errors to cv::Exception.
#include <qturn/cuda.hpp>
#include <qturn/opencv.hpp>

#include <string>
#include <string_view>

#include "plugins/opencv/src/refusal.hpp"
#include "plugins/opencv/src/turn.hpp"

namespace qturn::opencv {

using cv::cuda::GpuMat;
using cv::cuda::Stream;

namespace {

[[noreturn]] void fail(int code, const std::string& message, const char* function,
                       const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  std::string_view name = file;
  name.remove_prefix(name.find_last_of('/') + 1);
  cv::error(static_cast<cv::Error::Code>(code), message, function, std::string(name).c_str(), line);
}

[[noreturn]] void fail(const CudaError& error, const char* function) {
  switch (error.code()) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      fail(cv::Error::GpuNotSupported, std::string("there is no GPU to use: ") + error.what(),
           function);
    case cudaErrorInvalidResourceHandle: {
      int device = 0;
      cudaGetDevice(&device);
      fail(cv::Error::StsBadArg,
           "the stream is not one of device " + std::to_string(device) +
               ", the current one: " + error.what(),
           function);
    }
    default:
      fail(cv::Error::GpuApiCallError, error.what(), function);
  }
}

// Does `work` for the public function named `function`.
template <class Work>
void run(const char* function, Work work) {
  try {
    work();
  } catch (const Refusal& refusal) {
    fail(refusal.code(), refusal.message(), function, refusal.file(), refusal.line());
  } catch (const CudaError& error) {
    fail(error, function);
  } catch (const std::invalid_argument& error) {
    fail(cv::Error::StsBadArg, error.what(), function);
  }
}

constexpr std::nullptr_t null_stream = nullptr;

cudaStream_t handle_of(const Stream& stream) { return static_cast<cudaStream_t>(stream.cudaPtr()); }

Orientation orientation_of_rotate(int code) {
  switch (code) {
    case cv::ROTATE_90_CLOCKWISE:
      return Orientation::rotate90;
    case cv::ROTATE_180:
      return Orientation::rotate180;
    case cv::ROTATE_90_COUNTERCLOCKWISE:
      return Orientation::rotate270;
    default:
      throw Refusal(cv::Error::StsBadArg, "rotate code " + std::to_string(code) +
                                              ", expected 0 (ROTATE_90_CLOCKWISE), 1 (ROTATE_180) "
                                              "or 2 (ROTATE_90_COUNTERCLOCKWISE)");
  }
}

Orientation valid(Orientation orientation) {
  if (!is_valid(orientation)) {
    throw Refusal(
        cv::Error::StsBadArg,
        "orientation " + std::to_string(static_cast<int>(orientation)) + ", expected 1 to 8");
  }
  return orientation;
}

const std::vector<Orientation>& valid(const std::vector<Orientation>& orientations) {
  for (const Orientation orientation : orientations) valid(orientation);
  return orientations;
}

// OpenCV's functions wait on the null stream.
template <class Src, class Dst, class Orientations>
void turn_and_wait_if_null(const Src& src, Dst& dst, const Orientations& orientations,
                           cudaStream_t stream) {
  if (turn(src, dst, orientations, stream) && stream == null_stream) {
    check(cudaStreamSynchronize(stream));
  }
}

template <class Src, class Orientations>
void to_blob_and_wait_if_null(const Src& src, GpuMat& dst, const Orientations& orientations,
                              const BlobParams& params, cudaStream_t stream) {
  if (to_blob(src, dst, orientations, params, stream) && stream == null_stream) {
    check(cudaStreamSynchronize(stream));
  }
}

View host_view(const cv::Mat& mat, Name name) {
  if (mat.dims > 2) {
    throw Refusal(cv::Error::StsBadSize,
                  name.text() + " has " + std::to_string(mat.dims) + " dimensions, expected 2");
  }
  if (mat.data == nullptr) {
    throw Refusal(cv::Error::StsNullPtr,
                  name.text() + " is " + describe(mat.size(), mat.type()) + " at address 0");
  }
  return {mat.data, mat.cols, mat.rows, static_cast<std::int64_t>(mat.step[0]),
          static_cast<int>(mat.elemSize())};
}

// `view` makes the view of an image that has pixels.
template <class Image, class ViewOf>
View checked_view(const Image& image, ViewOf view) {
  View result;
  run("view_of", [&] {
    require_type(image.type(), {"image"});
    result.pixel_bytes = static_cast<int>(image.elemSize());
    if (image.rows != 0 && image.cols != 0) result = view(image, Name{"image"});
  });
  return result;
}

}  // namespace

View view_of(cv::Mat& mat) { return checked_view(mat, host_view); }
ConstView view_of(const cv::Mat& mat) { return checked_view(mat, host_view); }
View view_of(GpuMat& mat) { return checked_view(mat, device_view); }
ConstView view_of(const GpuMat& mat) { return checked_view(mat, device_view); }

void transpose(cv::InputArray src, cv::OutputArray dst) {
  run("transpose", [&] { turn_and_wait_if_null(src, dst, Orientation::transpose, null_stream); });
}
void transpose(cv::InputArray src, cv::OutputArray dst, Stream& stream) {
  run("transpose",
      [&] { turn_and_wait_if_null(src, dst, Orientation::transpose, handle_of(stream)); });
}
void transpose(const GpuMat& src, GpuMat& dst, cudaStream_t stream) {
  run("transpose", [&] { turn(src, dst, Orientation::transpose, stream); });
}

void flip(cv::InputArray src, cv::OutputArray dst, int flip_code) {
  run("flip",
      [&] { turn_and_wait_if_null(src, dst, orientation_of_flip(flip_code), null_stream); });
}
void flip(cv::InputArray src, cv::OutputArray dst, int flip_code, Stream& stream) {
  run("flip",
      [&] { turn_and_wait_if_null(src, dst, orientation_of_flip(flip_code), handle_of(stream)); });
}
void flip(const GpuMat& src, GpuMat& dst, int flip_code, cudaStream_t stream) {
  run("flip", [&] { turn(src, dst, orientation_of_flip(flip_code), stream); });
}

void rotate(cv::InputArray src, cv::OutputArray dst, int rotate_code) {
  run("rotate",
      [&] { turn_and_wait_if_null(src, dst, orientation_of_rotate(rotate_code), null_stream); });
}
void rotate(cv::InputArray src, cv::OutputArray dst, int rotate_code, Stream& stream) {
  run("rotate", [&] {
    turn_and_wait_if_null(src, dst, orientation_of_rotate(rotate_code), handle_of(stream));
  });
}
void rotate(const GpuMat& src, GpuMat& dst, int rotate_code, cudaStream_t stream) {
  run("rotate", [&] { turn(src, dst, orientation_of_rotate(rotate_code), stream); });
}

void transform(cv::InputArray src, cv::OutputArray dst, Orientation orientation) {
  run("transform", [&] { turn_and_wait_if_null(src, dst, valid(orientation), null_stream); });
}
void transform(cv::InputArray src, cv::OutputArray dst, Orientation orientation, Stream& stream) {
  run("transform", [&] { turn_and_wait_if_null(src, dst, valid(orientation), handle_of(stream)); });
}
void transform(const GpuMat& src, GpuMat& dst, Orientation orientation, cudaStream_t stream) {
  run("transform", [&] { turn(src, dst, valid(orientation), stream); });
}

void transform_batch(const std::vector<GpuMat>& src, std::vector<GpuMat>& dst,
                     const std::vector<Orientation>& orientations) {
  run("transform_batch",
      [&] { turn_and_wait_if_null(src, dst, valid(orientations), null_stream); });
}
void transform_batch(const std::vector<GpuMat>& src, std::vector<GpuMat>& dst,
                     const std::vector<Orientation>& orientations, Stream& stream) {
  run("transform_batch",
      [&] { turn_and_wait_if_null(src, dst, valid(orientations), handle_of(stream)); });
}
void transform_batch(const std::vector<GpuMat>& src, std::vector<GpuMat>& dst,
                     const std::vector<Orientation>& orientations, cudaStream_t stream) {
  run("transform_batch", [&] { turn(src, dst, valid(orientations), stream); });
}

void to_planar(const GpuMat& src, GpuMat& dst, Orientation orientation, const BlobParams& params) {
  run("to_planar",
      [&] { to_blob_and_wait_if_null(src, dst, valid(orientation), params, null_stream); });
}
void to_planar(const GpuMat& src, GpuMat& dst, Orientation orientation, const BlobParams& params,
               Stream& stream) {
  run("to_planar",
      [&] { to_blob_and_wait_if_null(src, dst, valid(orientation), params, handle_of(stream)); });
}
void to_planar(const GpuMat& src, GpuMat& dst, Orientation orientation, const BlobParams& params,
               cudaStream_t stream) {
  run("to_planar", [&] { to_blob(src, dst, valid(orientation), params, stream); });
}

void to_planar_batch(const std::vector<GpuMat>& src, GpuMat& dst,
                     const std::vector<Orientation>& orientations, const BlobParams& params) {
  run("to_planar_batch",
      [&] { to_blob_and_wait_if_null(src, dst, valid(orientations), params, null_stream); });
}
void to_planar_batch(const std::vector<GpuMat>& src, GpuMat& dst,
                     const std::vector<Orientation>& orientations, const BlobParams& params,
                     Stream& stream) {
  run("to_planar_batch",
      [&] { to_blob_and_wait_if_null(src, dst, valid(orientations), params, handle_of(stream)); });
}
void to_planar_batch(const std::vector<GpuMat>& src, GpuMat& dst,
                     const std::vector<Orientation>& orientations, const BlobParams& params,
                     cudaStream_t stream) {
  run("to_planar_batch", [&] { to_blob(src, dst, valid(orientations), params, stream); });
}

}  // namespace qturn::opencv
