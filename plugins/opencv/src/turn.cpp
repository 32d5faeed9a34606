#include "plugins/opencv/src/turn.hpp"

#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>

#include <limits>
#include <opencv2/opencv_modules.hpp>
#include <string_view>
#include <utility>

#include "plugins/opencv/src/refusal.hpp"

namespace qturn::opencv {

using cv::cuda::GpuMat;

// OpenCV cannot be built with CUDA and without this module.
#ifdef HAVE_OPENCV_CUDEV
const bool opencv_has_cuda = true;
#else
const bool opencv_has_cuda = false;
#endif

namespace {

constexpr std::size_t most_pixel_bytes = 256;

bool fits(const GpuMat& dst, cv::Size size, int type) {
  return dst.data != nullptr && dst.size() == size && dst.type() == type;
}

bool same_memory(const GpuMat& a, const GpuMat& b) {
  return a.data == b.data && a.size() == b.size() && (a.step == b.step || a.rows == 1);
}

// A kernel would find out too late: after an access to an address that the device does not know,
// CUDA refuses all further calls of this process.
void require_reachable(const GpuMat& mat, Name name) {
  cudaPointerAttributes memory{};
  check(cudaPointerGetAttributes(&memory, mat.data));
  if (memory.type != cudaMemoryTypeUnregistered && memory.devicePointer != nullptr) return;
  int device = 0;
  check(cudaGetDevice(&device));
  if (memory.type == cudaMemoryTypeUnregistered) {
    int reaches_any_memory = 0;
    check(cudaDeviceGetAttribute(&reaches_any_memory, cudaDevAttrPageableMemoryAccess, device));
    if (reaches_any_memory != 0) return;
    throw Refusal(cv::Error::BadDataPtr, name.text() + " is a GpuMat of host memory, expected " +
                                             "memory of device " + std::to_string(device));
  }
  throw Refusal(cv::Error::BadDataPtr,
                name.text() + " is memory of device " + std::to_string(memory.device) +
                    ", which device " + std::to_string(device) + ", the current one, cannot reach");
}

}  // namespace

void check(cudaError_t code, const char* file, int line) {
  if (code == cudaSuccess) return;
  // Otherwise the next launch would report it as its own error.
  cudaGetLastError();
  std::string_view name_of_file = file;
  name_of_file.remove_prefix(name_of_file.find_last_of('/') + 1);
  throw CudaError(code, std::string(name_of_file) + ":" + std::to_string(line) + ": " +
                            cudaGetErrorName(code) + ": " + cudaGetErrorString(code));
}

std::string Name::text() const {
  return index == not_in_a_batch ? name : std::string(name) + "[" + std::to_string(index) + "]";
}

void require_one_each(std::size_t orientations, std::size_t images) {
  if (orientations == images) return;
  throw Refusal(cv::Error::StsUnmatchedSizes, std::to_string(orientations) +
                                                  " orientations, expected " +
                                                  std::to_string(images) + ", one for each image");
}

void require_type(int type, Name name) {
  const std::size_t pixel_bytes = CV_ELEM_SIZE(type);
  if (pixel_bytes > most_pixel_bytes) {
    throw Refusal(cv::Error::BadNumChannels, name.text() + " is " + cv::typeToString(type) +
                                                 ", pixels of " + std::to_string(pixel_bytes) +
                                                 " bytes, expected at most " +
                                                 std::to_string(most_pixel_bytes));
  }
}

View device_view(const GpuMat& mat, Name name) {
  if (mat.data == nullptr) {
    throw Refusal(cv::Error::StsNullPtr,
                  name.text() + " is " + describe(mat.size(), mat.type()) + " at address 0");
  }
  require_reachable(mat, name);
  return {mat.data, mat.cols, mat.rows, static_cast<std::int64_t>(mat.step),
          static_cast<int>(mat.elemSize())};
}

Replaced::Replaced(Replaced&& other) noexcept : stream_(other.stream_) { mat_.swap(other.mat_); }

Replaced::~Replaced() {
  if (mat_.data != nullptr) cudaStreamSynchronize(stream_);
}

void release(GpuMat& dst, cudaStream_t stream) {
  const Replaced released(dst, stream);
  dst.release();
}

std::optional<Replaced> replace(GpuMat& dst, Name name, cv::Size size, int type,
                                cudaStream_t stream, Rows rows) {
  if (fits(dst, size, type)) return {};
  if (!opencv_has_cuda) {
    throw Refusal(cv::Error::GpuNotSupported,
                  name.text() + " is " + describe(dst.size(), dst.type()) + ", expected " +
                      describe(size, type) +
                      ": this OpenCV was built without CUDA and cannot allocate it");
  }
  Replaced replaced(dst, stream);
  // A single row has no bytes after it. Its columns are counted in an int.
  const std::int64_t samples = std::int64_t{size.width} * size.height;
  if (rows == Rows::dense && samples <= std::numeric_limits<int>::max()) {
    dst.create(1, static_cast<int>(samples), type);
    dst = dst.reshape(0, size.height);
  } else {
    dst.create(size, type);
  }
  return replaced;
}

bool turn(const GpuMat& src, GpuMat& dst, Orientation orientation, cudaStream_t stream) {
  if (!has_pixels(src)) {
    release(dst, stream);
    return false;
  }
  require_type(src.type(), {"src"});
  const View from = device_view(src, {"src"});
  const cv::Size size = turned(orientation, src.size());
  if (same_memory(src, dst) && fits(dst, size, src.type())) {
    if (orientation != Orientation::identity) transform_in_place(from, orientation, stream);
    return true;
  }
  // `dst` may be `src` itself, which must stay what it is if this fails.
  GpuMat result = dst;
  const std::optional<Replaced> replaced = replace(result, {"dst"}, size, src.type(), stream);
  transform(from, device_view(result, {"dst"}), orientation, stream);
  if (replaced) dst = result;
  return true;
}

bool turn(const std::vector<GpuMat>& src, std::vector<GpuMat>& dst,
          const std::vector<Orientation>& orientations, cudaStream_t stream) {
  require_one_each(orientations.size(), src.size());
  if (&src == &dst) {
    throw Refusal(cv::Error::StsInplaceNotSupported,
                  "dst is src: a batch cannot be turned in place, call transform() for each image");
  }
  std::vector<BatchImage> images(src.size());
  int pixel_bytes = 0;
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (!has_pixels(src[i])) continue;
    require_type(src[i].type(), {"src", i});
    images[i].src = device_view(src[i], {"src", i});
    images[i].orientation = orientations[i];
    if (pixel_bytes == 0) pixel_bytes = images[i].src.pixel_bytes;
    if (images[i].src.pixel_bytes != pixel_bytes) {
      throw Refusal(cv::Error::StsUnmatchedFormats,
                    Name{"src", i}.text() + " is " + cv::typeToString(src[i].type()) +
                        ", pixels of " + std::to_string(images[i].src.pixel_bytes) +
                        " bytes, those before it have " + std::to_string(pixel_bytes));
    }
  }
  for (std::size_t i = src.size(); i < dst.size(); ++i) release(dst[i], stream);
  dst.resize(src.size());
  std::vector<Replaced> replaced;
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (!has_pixels(src[i])) {
      images[i].src.pixel_bytes = images[i].dst.pixel_bytes = pixel_bytes == 0 ? 1 : pixel_bytes;
      release(dst[i], stream);
      continue;
    }
    const cv::Size size = turned(orientations[i], src[i].size());
    if (auto old = replace(dst[i], {"dst", i}, size, src[i].type(), stream)) {
      replaced.push_back(*std::move(old));
    }
    images[i].dst = device_view(dst[i], {"dst", i});
  }
  transform_batch(images.data(), images.size(), stream);
  return pixel_bytes > 0;
}

}  // namespace qturn::opencv
