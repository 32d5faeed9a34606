// OpenCV's cv2.cuda.GpuMat, by its address, step, size and type.
#include "plugins/python/arrays.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

// As OpenCV counts its depths: from CV_16BF on they are OpenCV 5's.
constexpr std::array<const char*, 13> depths{"uint8",   "int8",    "uint16",  "int16",    "int32",
                                             "float32", "float64", "float16", "bfloat16", "bool",
                                             "uint64",  "int64",   "uint32"};

class GpuMats : public Library {
 public:
  Array read(nb::handle mat, std::optional<void*>, const char*) const override {
    const nb::object size = mat.attr("size")();
    const auto channels = nb::cast<std::int64_t>(mat.attr("channels")());
    const auto pixel_bytes = nb::cast<std::int64_t>(mat.attr("elemSize")());
    Array result;
    result.data = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        nb::cast<std::uintptr_t>(mat.attr("cudaPtr")()));
    result.item_bytes = nb::cast<std::int64_t>(mat.attr("elemSize1")());
    result.shape.push(nb::cast<std::int64_t>(size[1]));
    result.shape.push(nb::cast<std::int64_t>(size[0]));
    result.shape.push(channels);
    result.strides.push(nb::cast<std::int64_t>(mat.attr("step")));
    result.strides.push(pixel_bytes);
    result.strides.push(result.item_bytes);
    result.device = result.data == nullptr ? 0 : device_of(result.data);
    result.owner = nb::borrow(mat);
    return result;
  }

  std::string type_name(nb::handle mat) const override {
    const auto depth = nb::cast<std::size_t>(mat.attr("depth")());
    if (depth < depths.size()) return depths[depth];
    throw nb::type_error(("a GpuMat has depth " + std::to_string(depth) + ", expected 0 to " +
                          std::to_string(depths.size() - 1))
                             .c_str());
  }

  nb::object empty(nb::handle model, const Axes& shape, const char* type,
                   std::optional<void*>) const override {
    if (type != nullptr) {
      throw nb::type_error("a GpuMat cannot hold planes: give out=, a tensor of PyTorch or CuPy");
    }
    return model.type()(shape[0], shape[1], model.attr("type")());
  }
};

}  // namespace

const Library* gpu_mats() {
  static const auto* library = new GpuMats;
  return library;
}

}  // namespace qturn::python
