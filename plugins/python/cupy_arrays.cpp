// CuPy's arrays, by their own attributes.
#include "plugins/python/arrays.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

nb::object cupy_cuda() { return nb::module_::import_("cupy").attr("cuda"); }

/// CuPy's object for `stream`. The current device has to be `device`.
nb::object external_stream(void* stream, int device) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  const nb::object type = cupy_cuda().attr("Stream");
  if (nb::hasattr(type, "from_external")) {  // CuPy 14, which has deprecated the other way
    return type.attr("from_external")(
        nb::module_::import_("qturn._arrays").attr("ForeignStream")(number));
  }
  return cupy_cuda().attr("ExternalStream")(number, device);
}

class CupyArrays : public Library {
 public:
  Array read(nb::handle array, std::optional<void*>, const char* which) const override {
    static const Name shape("shape");
    static const Name strides("strides");
    static const Name itemsize("itemsize");
    static const Name data("data");
    static const Name ptr("ptr");
    static const Name device_id("device_id");
    const nb::object memory = data.of(array);
    Array result;
    result.data = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        nb::cast<std::uintptr_t>(ptr.of(memory)));
    result.device = static_cast<int>(device_id.number(memory));
    result.item_bytes = itemsize.number(array);
    result.shape = axes_of(shape.of(array), which);
    result.strides = axes_of(strides.of(array), which);
    result.owner = nb::borrow(array);
    return result;
  }

  std::string type_name(nb::handle array) const override {
    return nb::cast<std::string>(array.attr("dtype").attr("name"));
  }

  nb::object empty(nb::handle model, const Axes& shape, const char* type,
                   std::optional<void*> stream) const override {
    static const nb::handle cupy_empty = kept(nb::module_::import_("cupy").attr("empty"));
    const auto device = nb::cast<int>(model.attr("data").attr("device_id"));
    const nb::object dtype = type != nullptr ? nb::cast(type) : nb::object(model.attr("dtype"));
    std::optional<Scope> on_device;
    std::optional<Scope> on_stream;
    if (device != current_device()) on_device.emplace(cupy_cuda().attr("Device")(device));
    if (stream) on_stream.emplace(external_stream(*stream, device));
    return cupy_empty(tuple_of(shape), dtype);
  }

  nb::object permuted(nb::handle array, const Axes& order) const override {
    return array.attr("transpose")(tuple_of(order));
  }

  std::optional<nb::object> packed(nb::handle array, std::optional<void*> stream) const override {
    std::optional<Scope> on_stream;
    if (stream) {
      const auto device = nb::cast<int>(array.attr("data").attr("device_id"));
      on_stream.emplace(external_stream(*stream, device));
    }
    return array.attr("copy")("C");
  }

  void* current_stream(int device) const override {
    static const nb::handle stream_now = kept(cupy_cuda().attr("get_current_stream"));
    static const Name ptr("ptr");
    const nb::object stream = device == current_device() ? stream_now() : stream_now(device);
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        nb::cast<std::uintptr_t>(ptr.of(stream)));
  }

  /// CuPy's memory is given out again in the order of the current stream, which therefore waits.
  void keep_for(nb::handle, int device, void* stream) const override {
    const Scope on_device(cupy_cuda().attr("Device")(device));
    const nb::object done = external_stream(stream, device).attr("record")();
    cupy_cuda().attr("get_current_stream")().attr("wait_event")(done);
  }

 private:
  static int current_device() {
    static const nb::handle get_device = kept(cupy_cuda().attr("runtime").attr("getDevice"));
    return nb::cast<int>(get_device());
  }
};

}  // namespace

const Library* cupy_arrays() {
  static const auto* library = new CupyArrays;
  return library;
}

}  // namespace qturn::python
