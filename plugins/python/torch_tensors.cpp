// PyTorch's tensors, by their own attributes: DLPack would order its default stream after the
// current one, which a captured graph refuses.
#include "plugins/python/arrays.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

nb::object torch() { return nb::module_::import_("torch"); }

nb::object external_stream(void* stream, int device) {
  return torch().attr("cuda").attr("ExternalStream")(reinterpret_cast<std::uintptr_t>(stream),
                                                     nb::arg("device") = device);
}

class TorchTensors : public Library {
 public:
  Array read(nb::handle tensor, std::optional<void*>, const char* which) const override {
    static const Name shape("shape");
    static const Name stride("stride");
    static const Name element_size("element_size");
    static const Name data_ptr("data_ptr");
    static const Name is_cuda("is_cuda");
    static const Name is_cpu("is_cpu");
    static const Name get_device("get_device");
    static const Name is_conj("is_conj");
    static const Name is_neg("is_neg");
    Array result;
    if (nb::cast<bool>(is_cuda.of(tensor))) {
      result.device = static_cast<int>(get_device.call_number(tensor));
    } else if (!nb::cast<bool>(is_cpu.of(tensor))) {
      throw nb::type_error((std::string(which) + " is a tensor on " +
                            text(nb::object(tensor.attr("device"))) +
                            ", expected the CPU or a CUDA device")
                               .c_str());
    }
    result.item_bytes = element_size.call_number(tensor);
    result.shape = axes_of(shape.of(tensor), which);
    if (nb::cast<bool>(is_conj.call(tensor)))
      refuse_lazy(result, which, "conjugate", "resolve_conj");
    if (nb::cast<bool>(is_neg.call(tensor))) refuse_lazy(result, which, "negative", "resolve_neg");
    result.strides = axes_of(stride.call(tensor), which, result.item_bytes);
    result.data = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        nb::cast<std::uintptr_t>(data_ptr.call(tensor)));
    result.owner = nb::borrow(tensor);
    return result;
  }

  std::string type_name(nb::handle tensor) const override {
    return text(nb::object(tensor.attr("dtype"))).substr(sizeof("torch.") - 1);
  }

  nb::object empty(nb::handle model, const Axes& shape, const char* type,
                   std::optional<void*> stream) const override {
    std::optional<Scope> on_stream;
    if (stream) {
      // The allocator gives memory out again in the order of the stream that it was made for.
      const auto device = nb::cast<int>(model.attr("get_device")());
      on_stream.emplace(torch().attr("cuda").attr("stream")(external_stream(*stream, device)));
    }
    return new_empty(model, shape, type);
  }

  nb::object permuted(nb::handle tensor, const Axes& order) const override {
    return tensor.attr("permute")(tuple_of(order));
  }

  void* current_stream(int device) const override {
    // What torch.cuda.current_stream() asks, in a tenth of its time.
    static const nb::handle raw_stream =
        kept(nb::getattr(torch().attr("_C"), "_cuda_getCurrentRawStream", nb::none()));
    const nb::object stream =
        raw_stream.is_none()
            ? torch().attr("cuda").attr("current_stream")(device).attr("cuda_stream")
            : raw_stream(device);
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        nb::cast<std::uintptr_t>(stream));
  }

  void keep_for(nb::handle tensor, int device, void* stream) const override {
    tensor.attr("record_stream")(external_stream(stream, device));
  }

 private:
  /// A view whose memory has other numbers than it: they are conjugated or negated when it is read.
  [[noreturn]] static void refuse_lazy(const Array& tensor, const char* which, const char* kind,
                                       const char* remedy) {
    throw nb::value_error((std::string(which) + " of shape " + text(tensor.shape) + " is the " +
                           kind + " of what is in memory: pass its ." + remedy + "()")
                              .c_str());
  }

  static nb::object new_empty(nb::handle model, const Axes& shape, const char* type) {
    static const nb::handle name = kept(nb::steal(PyUnicode_InternFromString("new_empty")));
    if (type != nullptr) {
      return model.attr("new_empty")(tuple_of(shape), nb::arg("dtype") = torch().attr(type));
    }
    const nb::tuple sizes = tuple_of(shape);
    PyObject* arguments[] = {model.ptr(), sizes.ptr()};
    PyObject* made = PyObject_VectorcallMethod(name.ptr(), arguments, 2, nullptr);
    if (made == nullptr) throw nb::python_error();
    return nb::steal(made);
  }
};

}  // namespace

const Library* torch_tensors() {
  static const auto* library = new TorchTensors;
  return library;
}

}  // namespace qturn::python
