// The table of C functions that a library offers by DLPack 1.3, in a capsule that its types have as
// __dlpack_c_exchange_api__: what a tensor is, asked by one call instead of one for each attribute.
// Only what this package calls has its types written out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace qturn::python {

struct DlpackExchange {
  std::uint32_t major, minor;  ///< version of DLPack
  DlpackExchange* older;       ///< the table of another major version; may be null
  void *allocate, *export_managed, *import_managed;
  /// Fills `out`, which holds as long as the tensor does. Returns 0; else an error of Python is
  /// set.
  int (*describe)(PyObject* tensor, nanobind::dlpack::dltensor* out);
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** out);

  /// The table of a type and of no type that is derived from it; null if it has none, or one that
  /// this package does not know.
  static const DlpackExchange* of(nanobind::handle type) {
    const nanobind::object capsule =
        nanobind::getattr(type, "__dlpack_c_exchange_api__", nanobind::none());
    if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
    const auto* table = static_cast<const DlpackExchange*>(
        PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    return table->major == 1 && table->describe != nullptr ? table : nullptr;
  }
};

}  // namespace qturn::python
