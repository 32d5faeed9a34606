// Whether PyTorch has to see what is done to a tensor, because it traces, maps or differentiates.
// That is asked at every call, so what is asked is looked up once.
#include "plugins/python/arrays.hpp"
#include "plugins/python/bind.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

struct Questions {
  nb::module_ torch = nb::module_::import_("torch");
  nb::object is_tracing = torch.attr("_C").attr("_is_tracing");
  nb::object modes = torch.attr("_C").attr("_len_torch_dispatch_stack");
  nb::object level = torch.attr("_C").attr("_functorch").attr("peek_interpreter_stack");
  nb::object forward_ad = torch.attr("autograd").attr("forward_ad");
  nb::object is_grad_enabled = torch.attr("is_grad_enabled");
  nb::object tensor = torch.attr("Tensor");
  nb::object dispatch = tensor.attr("__torch_dispatch__");
};

/// Never destroyed, as everything that is kept of Python's.
const Questions& questions() {
  static const auto& once = *new Questions;
  return once;
}

/// What is true of all tensors.
bool follows_all() {
  static const Name current_level("_current_level");
  const Questions& ask = questions();
  return nb::cast<bool>(ask.is_tracing()) || nb::cast<int>(ask.modes()) > 0 ||
         !ask.level().is_none() || current_level.number(ask.forward_ad) >= 0;
}

/// What PyTorch has to know about some arrays.
struct Findings {
  bool any_tensor = false;
  bool any_without_memory = false;  ///< of a type that PyTorch asks what is done to it
  bool any_requires_grad = false;

  void add(nb::handle array) {
    static const Name dispatch("__torch_dispatch__");
    static const Name requires_grad("requires_grad");
    if (find_library_of(array) != torch_tensors()) return;
    any_tensor = true;
    const nb::handle type = array.type();
    if (!type.is(questions().tensor) && !dispatch.of(type).is(questions().dispatch)) {
      any_without_memory = true;
    }
    if (nb::cast<bool>(requires_grad.of(array))) any_requires_grad = true;
  }

  void add_all(nb::handle arrays) {
    if (!nb::isinstance<nb::list>(arrays) && !nb::isinstance<nb::tuple>(arrays)) {
      return add(arrays);
    }
    for (const nb::handle array : arrays) add(array);
  }
};

const char* followed(nb::handle xs, nb::handle out) {
  Findings found;
  found.add_all(xs);
  found.add_all(out);
  if (!found.any_tensor) return nullptr;
  if (found.any_without_memory || follows_all()) return "traced";
  if (found.any_requires_grad && nb::cast<bool>(questions().is_grad_enabled())) return "gradient";
  return nullptr;
}

}  // namespace

void bind_following(nb::module_& module) {
  module.def("followed", &followed, nb::arg("xs").none(), nb::arg("out").none(),
             nb::sig("def followed(xs: object, out: object) -> str | None"),
             R"(Why PyTorch has to see what is done to an array or a list of them: "traced" where it
traces or maps, "gradient" where one requires a gradient; else None.)");
}

}  // namespace qturn::python
