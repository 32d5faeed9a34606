// Images of any kind. Those in host memory are copied to buffers on the device and back, in stream
// order.
#include <qturn/cuda.hpp>

#include <algorithm>

#include "plugins/opencv/src/refusal.hpp"
#include "plugins/opencv/src/turn.hpp"

namespace qturn::opencv {

using cv::cuda::GpuMat;
using cv::cuda::HostMem;

namespace {

bool is_gpu_mat(const cv::_InputArray& array) {
  return array.kind() == cv::_InputArray::CUDA_GPU_MAT;
}
bool is_host_mem(const cv::_InputArray& array) {
  return array.kind() == cv::_InputArray::CUDA_HOST_MEM;
}

// One picture is meant, as a GpuMat or in host memory.
void require_kind(const cv::_InputArray& array, const std::string& name) {
  switch (array.kind()) {
    case cv::_InputArray::CUDA_GPU_MAT:
      if (opencv_has_cuda) return;
      throw Refusal(cv::Error::GpuNotSupported,
                    name +
                        " is a GpuMat, expected an image in host memory: this OpenCV was built "
                        "without CUDA, call the function that takes a cudaStream_t");
    case cv::_InputArray::MAT:
    case cv::_InputArray::MATX:
    case cv::_InputArray::STD_VECTOR:
    case cv::_InputArray::UMAT:
    case cv::_InputArray::CUDA_HOST_MEM:
      if (array.dims() <= 2) return;
      throw Refusal(cv::Error::BadOrder, name + " has " + std::to_string(array.dims()) +
                                             " dimensions, expected at most 2");
    case cv::_InputArray::NONE:
      throw Refusal(cv::Error::StsNullPtr, name + " is missing");
    default:
      throw Refusal(cv::Error::StsUnsupportedFormat,
                    name +
                        " is neither a GpuMat nor one image in host memory; transform_batch() "
                        "takes vectors of GpuMats");
  }
}

// Checks what create() would check, but before anything is enqueued.
void require_dst_can_be(cv::OutputArray dst, cv::Size size, int type) {
  if (dst.fixedType() && dst.type() != type) {
    throw Refusal(
        cv::Error::StsUnmatchedFormats,
        "dst is fixed as " + cv::typeToString(dst.type()) + ", expected " + cv::typeToString(type));
  }
  if (dst.fixedSize() && dst.size() != size) {
    throw Refusal(cv::Error::StsUnmatchedSizes, "dst is fixed as " +
                                                    describe(dst.size(), dst.type()) +
                                                    ", expected " + describe(size, type));
  }
  if (dst.kind() == cv::_InputArray::STD_VECTOR && size.width != 1 && size.height != 1) {
    throw Refusal(cv::Error::StsUnmatchedSizes,
                  "dst is a std::vector, a single row or column, expected " + describe(size, type));
  }
}

// Copies between host and device go to the stream's device, whichever is current; kernels fail.
void require_stream_of_current_device(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const cudaError_t code = cudaEventRecord(event, stream);
  cudaEventDestroy(event);
  check(code);
}

class DeviceBuffer {
 public:
  DeviceBuffer(cv::Size size, int type, cudaStream_t stream) : stream_(stream) {
    const std::int64_t pixel_bytes = CV_ELEM_SIZE(type);
    // Rows that begin at multiples of 128 bytes are turned fastest.
    const std::int64_t pitch = (size.width * pixel_bytes + 127) / 128 * 128;
    check(cudaMallocAsync(&data_, static_cast<std::size_t>(pitch * size.height), stream));
    view_ = {data_, size.width, size.height, pitch, static_cast<int>(pixel_bytes)};
  }
  ~DeviceBuffer() { cudaFreeAsync(data_, stream_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  View view() const { return view_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
  View view_;
};

void copy(const void* src, std::size_t src_step, void* dst, std::size_t dst_step, ConstView shape,
          cudaStream_t stream) {
  check(cudaMemcpy2DAsync(dst, dst_step, src, src_step, static_cast<std::size_t>(shape.row_bytes()),
                          static_cast<std::size_t>(shape.height), cudaMemcpyDefault, stream));
}

// OpenCV 5 has images of one dimension, whose step is that from pixel to pixel.
std::size_t step_of(const cv::Mat& image) {
  return image.dims == 1 ? image.total() * image.elemSize() : std::size_t{image.step};
}

// Page-locked host memory that a stream still copies from or to is freed only when the stream is
// done; for other memory CUDA itself waits. Memory is freed when a destination is replaced, which
// may be the source too.
class PageLockedOwners {
 public:
  PageLockedOwners(cv::InputArray src, cv::OutputArray dst, cudaStream_t stream) : stream_(stream) {
    for (const cv::_InputArray* array : {&src, static_cast<const cv::_InputArray*>(&dst)}) {
      if (is_host_mem(*array)) owners_.push_back(*static_cast<const HostMem*>(array->getObj()));
    }
  }
  ~PageLockedOwners() {
    if (!owners_.empty()) cudaStreamSynchronize(stream_);
  }
  PageLockedOwners(const PageLockedOwners&) = delete;
  PageLockedOwners& operator=(const PageLockedOwners&) = delete;

 private:
  cudaStream_t stream_;
  std::vector<HostMem> owners_;
};

void turn_to_host(ConstView from, cv::OutputArray dst, cv::Size size, int type,
                  Orientation orientation, cudaStream_t stream) {
  const DeviceBuffer result(size, type, stream);
  transform(from, result.view(), orientation, stream);
  dst.create(size, type);
  // A std::vector is a row or a column, whichever was asked for.
  cv::Mat to = dst.getMat();
  if (to.size() != size) to = to.reshape(0, size.height);
  copy(result.view().data, static_cast<std::size_t>(result.view().pitch), to.data, step_of(to),
       result.view(), stream);
}

void turn_to(ConstView from, cv::OutputArray dst, cv::Size size, int type, Orientation orientation,
             cudaStream_t stream) {
  if (!is_gpu_mat(dst)) return turn_to_host(from, dst, size, type, orientation, stream);
  GpuMat& to = dst.getGpuMatRef();
  const std::optional<Replaced> replaced = replace(to, {"dst"}, size, type, stream);
  transform(from, device_view(to, {"dst"}), orientation, stream);
}

}  // namespace

bool turn(cv::InputArray src, cv::OutputArray dst, Orientation orientation, cudaStream_t stream) {
  require_kind(src, "src");
  require_kind(dst, "dst");
  const bool from_device = is_gpu_mat(src);
  const GpuMat device_src = from_device ? src.getGpuMat() : GpuMat();
  const cv::Mat host_src = from_device ? cv::Mat() : src.getMat();
  const cv::Size src_size = from_device ? device_src.size() : host_src.size();
  const int type = from_device ? device_src.type() : host_src.type();
  if (src_size.width <= 0 || src_size.height <= 0) {
    if (is_gpu_mat(dst) && !dst.fixedSize()) {
      release(dst.getGpuMatRef(), stream);
    } else {
      const PageLockedOwners owners(src, dst, stream);
      dst.release();
    }
    return false;
  }
  require_type(type, {"src"});
  const cv::Size size = turned(orientation, src_size);
  require_dst_can_be(dst, size, type);
  if (from_device && is_gpu_mat(dst)) {
    return turn(device_src, dst.getGpuMatRef(), orientation, stream);
  }

  if (!from_device && host_src.data == nullptr) {
    throw Refusal(cv::Error::StsNullPtr, "src is " + describe(src_size, type) + " at address 0");
  }
  require_stream_of_current_device(stream);
  const bool lets_go =
      is_host_mem(dst) && !dst.empty() && (dst.size() != size || dst.type() != type);
  std::optional<PageLockedOwners> owners;
  if (lets_go) owners.emplace(src, dst, stream);
  if (from_device) {
    turn_to(device_view(device_src, {"src"}), dst, size, type, orientation, stream);
  } else {
    const DeviceBuffer uploaded(src_size, type, stream);
    copy(host_src.data, step_of(host_src), uploaded.view().data,
         static_cast<std::size_t>(uploaded.view().pitch), uploaded.view(), stream);
    turn_to(uploaded.view(), dst, size, type, orientation, stream);
  }
  return true;
}

}  // namespace qturn::opencv
