// Arrays of any other library, by DLPack: JAX, for one. DLPack cannot tell a library on which
// stream its memory is used, so a call on a GPU waits for its work before it lets the memory go.
#include <nanobind/ndarray.h>
#include <qturn/dlpack.hpp>

#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "plugins/python/arrays.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

using Any = nb::ndarray<nb::ro>;

// DLPack counts the legacy default stream as 1.
std::uintptr_t dlpack_stream(std::optional<void*> stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream.value_or(nullptr));
  return number == 0 ? 1 : number;
}

/// What a result of ours is in.
class Memory {
 public:
  Memory(std::size_t bytes, int device)
      : data_(device == host ? ::operator new(bytes, alignment) : device_memory(bytes, device)),
        device_(device) {}
  ~Memory() {
    if (device_ == host) {
      ::operator delete(data_, alignment);
    } else {
      free_device_memory(data_, device_);
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  static constexpr std::align_val_t alignment{64};  // what JAX takes without a copy
  void* data_;
  int device_;
};

/// How DLManagedTensorVersioned of DLPack 1.0 begins.
struct VersionedHead {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(void*);
  std::uint64_t flags;  ///< 1: read-only, 2: a copy of the array
};

/// Whether what a capsule holds is the array's own memory and may be written. Before version 1.0,
/// DLPack does not say it.
bool is_writable(nb::handle capsule) {
  constexpr const char* versioned = "dltensor_versioned";
  if (PyCapsule_IsValid(capsule.ptr(), versioned) == 0) return false;
  const void* head = PyCapsule_GetPointer(capsule.ptr(), versioned);
  return (static_cast<const VersionedHead*>(head)->flags & 3U) == 0;
}

nb::dlpack::dtype float_type(std::string_view name) {
  const auto code = static_cast<std::uint8_t>(name == "bfloat16" ? nb::dlpack::dtype_code::Bfloat
                                                                 : nb::dlpack::dtype_code::Float);
  return {code, static_cast<std::uint8_t>(name == "float32" ? 32 : 16), 1};
}

class DlpackArrays : public Library {
 public:
  Array read(nb::handle array, std::optional<void*> stream, const char* which) const override {
    return described(memory_of(array, stream, which), which);
  }

  std::string type_name(nb::handle array) const override {
    const nb::object dtype = array.attr("dtype");
    return text(nb::object(nb::getattr(dtype, "name", dtype)));
  }

  nb::object empty(nb::handle model, const Axes& shape, const char* type,
                   std::optional<void*> stream) const override {
    if (!nb::hasattr(model, "__array_namespace__")) {
      throw nb::type_error(("arrays of type " + text(model.type()) +
                            " do not say how to make one of DLPack's: give out=")
                               .c_str());
    }
    const Taken memory_of_model = memory_of(model, stream, "x");
    const Array like = described(memory_of_model, "x");
    const nb::dlpack::dtype dtype =
        type != nullptr ? float_type(type) : memory_of_model.memory.dtype();
    std::array<std::size_t, max_rank> sizes{};
    auto bytes = static_cast<std::size_t>(dtype.bits / 8 * dtype.lanes);
    for (int axis = 0; axis < shape.rank; ++axis) {
      sizes[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(shape[axis]);
      bytes *= static_cast<std::size_t>(shape[axis]);
    }
    auto memory = std::make_unique<Memory>(bytes, like.device);
    void* data = memory->data();
    const nb::capsule owner(memory.release(),
                            [](void* made) noexcept { delete static_cast<Memory*>(made); });
    const bool on_host = like.device == host;
    return nb::cast(nb::ndarray<nb::array_api>(
        data, static_cast<std::size_t>(shape.rank), sizes.data(), owner, nullptr, dtype,
        on_host ? nb::device::cpu::value : nb::device::cuda::value, on_host ? 0 : like.device));
  }

  nb::object finished(nb::handle model, nb::object made) const override {
    return model.attr("__array_namespace__")().attr("from_dlpack")(made);
  }
  bool waits() const override { return true; }

 private:
  struct Taken {
    Any memory;
    bool writable;
  };

  static Taken memory_of(nb::handle array, std::optional<void*> stream, const char* which) {
    const nb::object device = array.attr("__dlpack_device__")();
    nb::dict arguments;
    if (is_gpu(nb::cast<int>(device[0]), which)) arguments["stream"] = dlpack_stream(stream);
    const nb::object capsule = exported(array.attr("__dlpack__"), arguments);
    const bool writable = is_writable(capsule);
    return {nb::cast<Any>(capsule), writable};
  }

  static nb::object exported(const nb::object& dlpack, const nb::dict& arguments) {
    auto versioned = nb::steal<nb::dict>(PyDict_Copy(arguments.ptr()));
    versioned["max_version"] = nb::make_tuple(1, 0);
    try {
      return dlpack(**versioned);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    return dlpack(**arguments);  // of a library that does not know versions
  }

  static Array described(const Taken& taken, const char* which) {
    const Any& memory = taken.memory;
    Array result;
    result.data = const_cast<void*>(memory.data());
    result.item_bytes = static_cast<std::int64_t>(memory.itemsize());
    result.device = is_gpu(memory.device_type(), which) ? memory.device_id() : host;
    result.read_only = !taken.writable;
    if (memory.ndim() > max_rank) {
      throw nb::value_error((std::string(which) + " has more than 8 axes").c_str());
    }
    for (std::size_t axis = 0; axis < memory.ndim(); ++axis) {
      result.shape.push(static_cast<std::int64_t>(memory.shape(axis)));
      result.strides.push(memory.stride(axis) * result.item_bytes);
    }
    result.owner = nb::capsule(std::make_unique<Any>(memory).release(),
                               [](void* held) noexcept { delete static_cast<Any*>(held); });
    return result;
  }

  static bool is_gpu(int type, const char* which) {
    if (const std::optional<bool> is_cuda = is_cuda_in_dlpack(type)) return *is_cuda;
    throw nb::type_error((std::string(which) + " is on device type " + std::to_string(type) +
                          " of DLPack, expected the CPU (1) or CUDA (2)")
                             .c_str());
  }
};

}  // namespace

const Library* dlpack_arrays() {
  static const auto* library = new DlpackArrays;
  return library;
}

}  // namespace qturn::python
