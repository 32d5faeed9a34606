// PyTorch's tensors, by their own attributes: DLPack would order its default stream after the
// current one, which a captured graph refuses. A plain tensor is asked by DLPack's table of C
// functions, where PyTorch has it: one call of 0.1 us instead of eight of 0.2 us.
#include <qturn/dlpack.hpp>

#include <algorithm>

#include "plugins/python/arrays.hpp"
#include "plugins/python/dlpack_exchange.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

nb::object torch() { return nb::module_::import_("torch"); }

nb::object external_stream(void* stream, int device) {
  // PyTorch would take 0, the default stream, for the wish to make a new one.
  if (stream == nullptr) return torch().attr("cuda").attr("default_stream")(device);
  return torch().attr("cuda").attr("ExternalStream")(reinterpret_cast<std::uintptr_t>(stream),
                                                     nb::arg("device") = device);
}

/// A view whose memory holds other numbers: they are conjugated or negated when it is read.
[[noreturn]] void refuse_view(const Array& tensor, const char* which, const char* kind,
                              const char* remedy) {
  throw nb::value_error((std::string(which) + " of shape " + text(tensor.shape) + " is the " +
                         kind + " of what is in memory: pass its ." + remedy + "()")
                            .c_str());
}

void refuse_lazy(nb::handle tensor, const Array& memory, const char* which) {
  static const Name is_conj("is_conj");
  static const Name is_neg("is_neg");
  if (nb::cast<bool>(is_conj.call(tensor))) refuse_view(memory, which, "conjugate", "resolve_conj");
  if (nb::cast<bool>(is_neg.call(tensor))) refuse_view(memory, which, "negative", "resolve_neg");
}

/// What PyTorch offers for plain tensors; looked up once.
struct Exchange {
  nb::handle tensor = kept(nb::object(torch().attr("Tensor")));
  const DlpackExchange* table = DlpackExchange::of(tensor);
};

/// Nothing where the tensor has to be asked by its attributes: it has another type or device, or
/// items that DLPack does not know.
std::optional<Array> read_at_once(nb::handle tensor, const char* which) {
  static const Exchange exchange;
  if (exchange.table == nullptr || tensor.type().ptr() != exchange.tensor.ptr())
    return std::nullopt;
  nb::dlpack::dltensor memory{};
  if (exchange.table->describe(tensor.ptr(), &memory) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const bool on_gpu = memory.device.device_type == nb::device::cuda::value;
  if (!on_gpu && memory.device.device_type != nb::device::cpu::value) return std::nullopt;
  if (memory.ndim > max_rank) return std::nullopt;
  Array result;
  if (on_gpu) result.device = memory.device.device_id;
  result.item_bytes = item_bytes_in_dlpack(memory.dtype);
  for (int axis = 0; axis < memory.ndim; ++axis) {
    result.shape.push(memory.shape[axis]);
    result.strides.push(memory.strides[axis] * result.item_bytes);
  }
  // Only a complex tensor, or a part of one, can be conjugated or negated lazily.
  const auto code = static_cast<nb::dlpack::dtype_code>(memory.dtype.code);
  if (code == nb::dlpack::dtype_code::Float || code == nb::dlpack::dtype_code::Complex) {
    refuse_lazy(tensor, result, which);
  }
  result.data = static_cast<std::byte*>(memory.data) + memory.byte_offset;
  result.owner = nb::borrow(tensor);
  return result;
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
    if (const std::optional<Array> known = read_at_once(tensor, which)) return *known;
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
    refuse_lazy(tensor, result, which);
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
    const auto on_stream = entered(model, stream);
    return new_empty(model, shape, type);
  }

  nb::object permuted(nb::handle tensor, const Axes& order) const override {
    return tensor.attr("permute")(tuple_of(order));
  }

  std::optional<nb::object> packed(nb::handle tensor, std::optional<void*> stream) const override {
    const auto on_stream = entered(tensor, stream);
    return tensor.attr("contiguous")();
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

  void written(nb::handle tensor) const override {
    static const Name is_inference("is_inference");
    static const nb::handle increment_version =
        kept(nb::module_::import_("torch.autograd.graph").attr("increment_version"));
    if (!nb::cast<bool>(is_inference.call(tensor))) increment_version(tensor);
  }

  void keep_for(nb::handle tensor, int device, void* stream) const override {
    tensor.attr("record_stream")(external_stream(stream, device));
  }

 private:
  /// The allocator gives memory out again in the order of the stream that it was made for.
  static std::optional<Scope> entered(nb::handle tensor, std::optional<void*> stream) {
    if (!stream) return std::nullopt;
    const auto device = nb::cast<int>(tensor.attr("get_device")());
    return std::optional<Scope>(
        std::in_place, torch().attr("cuda").attr("stream")(external_stream(*stream, device)));
  }

  /// In items, as PyTorch counts them where an axis is empty too.
  static Axes packed_strides(const Axes& shape) {
    Axes strides = shape;
    std::int64_t items = 1;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
      strides[axis] = items;
      items *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
  }

  static nb::object new_empty(nb::handle model, const Axes& shape, const char* type) {
    // Its arguments are taken apart in half the time that new_empty() needs: that one tries first
    // whether the shape is one number.
    static const nb::handle name = kept(nb::steal(PyUnicode_InternFromString("new_empty_strided")));
    if (type != nullptr) {
      return model.attr("new_empty")(tuple_of(shape), nb::arg("dtype") = torch().attr(type));
    }
    const nb::tuple sizes = tuple_of(shape);
    const nb::tuple strides = tuple_of(packed_strides(shape));
    PyObject* arguments[] = {model.ptr(), sizes.ptr(), strides.ptr()};
    PyObject* made = PyObject_VectorcallMethod(name.ptr(), arguments, 3, nullptr);
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
