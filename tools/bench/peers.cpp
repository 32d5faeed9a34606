#include "tools/bench/peers.hpp"

#include <limits>
#include <memory>
#include <stdexcept>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/toolkit_library.hpp"

namespace qturn::bench {
namespace {

void must_be_zero(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string(what) + ": status " + std::to_string(status));
}

bool fits_int(ConstView view) {
  return view.width <= std::numeric_limits<int>::max() &&
         view.height <= std::numeric_limits<int>::max() && view.pitch >= 0 &&
         view.pitch <= std::numeric_limits<int>::max();
}

bool aligned_to(int bytes, ConstView view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % static_cast<unsigned>(bytes) == 0 &&
         view.pitch % bytes == 0;
}

// As in cublas_api.h, where cublasOperation_t is 0 for N and 1 for T.
namespace cublas {
using Handle = void*;
using Create = int(Handle*);
using Destroy = int(Handle);
using SetStream = int(Handle, cudaStream_t);
template <class Number>
using Geam = int(Handle, int, int, int, int, const Number*, const Number*, int, const Number*,
                 const Number*, int, Number*, int);

// cuBLAS stores columns: our rows of `src` are columns of A, whose transpose has src.height rows
// and src.width columns. The factor of B is 0, and C may take its place.
template <class Number>
void transpose(Geam<Number>* geam, Handle handle, ConstView src, View dst) {
  const Number one = 1;
  const Number zero = 0;
  const auto leading = [](ConstView v) { return static_cast<int>(v.pitch / sizeof(Number)); };
  auto* c = static_cast<Number*>(dst.data);
  must_be_zero(geam(handle, 1, 0, static_cast<int>(src.height), static_cast<int>(src.width), &one,
                    static_cast<const Number*>(src.data), leading(src), &zero, c, leading(dst), c,
                    leading(dst)),
               "cuBLAS geam");
}
}  // namespace cublas

// As in nppdefs.h; passed by value.
namespace npp {
struct Size {
  int width;
  int height;
};
struct StreamContext {
  cudaStream_t stream;
  int device;
  int multiprocessors;
  int threads_of_multiprocessor;
  int threads_of_block;
  std::size_t shared_bytes_of_block;
  int major;
  int minor;
  unsigned stream_flags;
  int reserved;
};
using Transpose = int(const void*, int, void*, int, Size, StreamContext);
using Mirror = int(const void*, int, void*, int, Size, int axis, StreamContext);

StreamContext context() {
  StreamContext c{};
  must(cudaGetDevice(&c.device));
  const auto ask = [&](cudaDeviceAttr attribute) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, attribute, c.device));
    return value;
  };
  c.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
  c.threads_of_multiprocessor = ask(cudaDevAttrMaxThreadsPerMultiProcessor);
  c.threads_of_block = ask(cudaDevAttrMaxThreadsPerBlock);
  c.shared_bytes_of_block = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerBlock));
  c.major = ask(cudaDevAttrComputeCapabilityMajor);
  c.minor = ask(cudaDevAttrComputeCapabilityMinor);
  c.stream_flags = cudaStreamNonBlocking;
  return c;
}

struct Type {
  int pixel_bytes;
  int sample_bytes;
  const char* name;
};
constexpr Type types[] = {{1, 1, "8u_C1R"},   {2, 2, "16u_C1R"}, {3, 1, "8u_C3R"},
                          {4, 4, "32f_C1R"},  {6, 2, "16u_C3R"}, {8, 2, "16u_C4R"},
                          {12, 4, "32f_C3R"}, {16, 4, "32f_C4R"}};

const Type* type_of(int pixel_bytes) {
  for (const Type& type : types) {
    if (type.pixel_bytes == pixel_bytes) return &type;
  }
  return nullptr;
}

// "Horizontal" is the axis about which the picture is mirrored.
int axis_of(Orientation orientation) {
  switch (orientation) {
    case Orientation::flip:
      return 0;
    case Orientation::flop:
      return 1;
    case Orientation::rotate180:
      return 2;
    default:
      return -1;
  }
}
}  // namespace npp

void find_npp(Peers& peers) {
  const ToolkitLibrary transposes("libnppidei");
  const ToolkitLibrary mirrors("libnppig");
  if (!transposes) peers.missing.emplace_back("NPP transpose (libnppidei)");
  if (!mirrors) peers.missing.emplace_back("NPP mirror (libnppig)");
  if (!transposes && !mirrors) return;
  const auto transpose = [=](int pixel_bytes) -> npp::Transpose* {
    const npp::Type* type = npp::type_of(pixel_bytes);
    if (!type) return nullptr;
    return transposes.find<npp::Transpose>("nppiTranspose_" + std::string(type->name) + "_Ctx");
  };
  const auto mirror = [=](int pixel_bytes) -> npp::Mirror* {
    const npp::Type* type = npp::type_of(pixel_bytes);
    if (!type) return nullptr;
    return mirrors.find<npp::Mirror>("nppiMirror_" + std::string(type->name) + "_Ctx");
  };
  const auto can = [=](ConstView src, View dst, Orientation orientation) {
    const npp::Type* type = npp::type_of(src.pixel_bytes);
    if (!type || !fits_int(src) || !fits_int(dst) || !aligned_to(type->sample_bytes, src) ||
        !aligned_to(type->sample_bytes, dst)) {
      return false;
    }
    return orientation == Orientation::transpose
               ? transpose(src.pixel_bytes) != nullptr
               : npp::axis_of(orientation) >= 0 && mirror(src.pixel_bytes) != nullptr;
  };
  const auto enqueue = [=, context = npp::context()](ConstView src, View dst,
                                                     Orientation orientation, cudaStream_t stream) {
    npp::StreamContext on_stream = context;
    on_stream.stream = stream;
    const npp::Size size{static_cast<int>(src.width), static_cast<int>(src.height)};
    const int src_pitch = static_cast<int>(src.pitch);
    const int dst_pitch = static_cast<int>(dst.pitch);
    if (orientation == Orientation::transpose) {
      must_be_zero(
          transpose(src.pixel_bytes)(src.data, src_pitch, dst.data, dst_pitch, size, on_stream),
          "NPP transpose");
    } else {
      must_be_zero(mirror(src.pixel_bytes)(src.data, src_pitch, dst.data, dst_pitch, size,
                                           npp::axis_of(orientation), on_stream),
                   "NPP mirror");
    }
  };
  peers.found.push_back({"NPP", can, enqueue});
}

Peer memcpy_2d() {
  return {
      "cudaMemcpy2DAsync",
      [](ConstView, View, Orientation orientation) { return orientation == Orientation::identity; },
      [](ConstView src, View dst, Orientation, cudaStream_t stream) {
        must(cudaMemcpy2DAsync(
            dst.data, static_cast<std::size_t>(dst.pitch), src.data,
            static_cast<std::size_t>(src.pitch), static_cast<std::size_t>(src.row_bytes()),
            static_cast<std::size_t>(src.height), cudaMemcpyDeviceToDevice, stream));
      }};
}

}  // namespace

Peers find_cublas() {
  const ToolkitLibrary library("libcublas");
  auto* create = library.find<cublas::Create>("cublasCreate_v2");
  auto* destroy = library.find<cublas::Destroy>("cublasDestroy_v2");
  auto* set_stream = library.find<cublas::SetStream>("cublasSetStream_v2");
  auto* sgeam = library.find<cublas::Geam<float>>("cublasSgeam");
  auto* dgeam = library.find<cublas::Geam<double>>("cublasDgeam");
  if (!create || !destroy || !set_stream || !sgeam || !dgeam) {
    return {{}, {"cuBLAS geam (libcublas)"}};
  }
  cublas::Handle raw = nullptr;
  must_be_zero(create(&raw), "cublasCreate");
  const std::shared_ptr<void> handle(raw, destroy);
  const auto can = [](ConstView src, View dst, Orientation orientation) {
    return orientation == Orientation::transpose &&
           (src.pixel_bytes == 4 || src.pixel_bytes == 8) && fits_int(src) && fits_int(dst) &&
           aligned_to(src.pixel_bytes, src) && aligned_to(src.pixel_bytes, dst);
  };
  const auto enqueue = [=](ConstView src, View dst, Orientation, cudaStream_t stream) {
    must_be_zero(set_stream(handle.get(), stream), "cublasSetStream");
    if (src.pixel_bytes == 4) {
      cublas::transpose(sgeam, handle.get(), src, dst);
    } else {
      cublas::transpose(dgeam, handle.get(), src, dst);
    }
  };
  return {{{"cuBLAS geam", can, enqueue}}, {}};
}

Peers find_peers() {
  Peers peers = find_cublas();
  find_npp(peers);
  peers.found.push_back(memcpy_2d());
  return peers;
}

}  // namespace qturn::bench
