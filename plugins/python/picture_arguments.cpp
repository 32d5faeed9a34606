#include "plugins/python/picture_arguments.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>

#include "src/picture/file_limits.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

/// Whether nobody can change the bytes of `data`. That a view is read-only does not say so: its
/// owner may still write.
bool is_constant(nb::handle data) {
  const nb::object owner =
      PyMemoryView_Check(data.ptr()) ? nb::object(data.attr("obj")) : nb::borrow(data);
  return PyBytes_CheckExact(owner.ptr());
}

}  // namespace

std::string readable(std::string_view message) {
  const auto size = static_cast<Py_ssize_t>(message.size());
  const auto words = nb::steal(PyUnicode_DecodeUTF8(message.data(), size, "backslashreplace"));
  return nb::cast<std::string>(words);
}

std::vector<std::string> readable(std::vector<std::string> messages) {
  for (std::string& each : messages) each = readable(each);
  return messages;
}

nb::object FileBytes::content(nb::handle data) {
  nb::object path = nb::borrow(data);
  if (nb::cast<std::string>(nb::str(data.type().attr("__module__"))).starts_with("PIL.")) {
    // Pixels that were changed are not in its file; then Pillow has made another image.
    path = nb::getattr(data, "filename", nb::str(""));
    if (nb::len(nb::str(path)) == 0) {
      throw nb::type_error(
          "data is an image of Pillow that was not opened from a file by its name, expected the "
          "bytes of a file");
    }
  } else if (!nb::hasattr(data, "__fspath__")) {
    return path;
  }
  return nb::module_::import_("pathlib").attr("Path")(path).attr("read_bytes")();
}

FileBytes::FileBytes(nb::handle given) : object_(content(given)) {
  const nb::handle data = object_;
  if (PyObject_GetBuffer(data.ptr(), &view_, PyBUF_SIMPLE) != 0) {
    nb::python_error refused;
    if (!PyObject_CheckBuffer(data.ptr())) {
      throw nb::type_error(
          fmt::format("data is of type {}, expected bytes, another object with a buffer, or a "
                      "pathlib.Path",
                      nb::cast<std::string>(nb::str(data.type())))
              .c_str());
    }
    View apart;
    if (PyObject_GetBuffer(data.ptr(), &apart, PyBUF_FULL_RO) == 0) {
      throw nb::value_error("the bytes of data do not lie together; bytes(data) copies them");
    }
    PyErr_Clear();
    refused.restore();
    nb::raise_python_error();
  }
  const auto* first = static_cast<const std::byte*>(view_.buf);
  bytes_ = {first, static_cast<std::size_t>(view_.len)};
  if (!is_constant(data)) {
    copy_.assign(bytes_.begin(), bytes_.end());
    bytes_ = copy_;
  }
}

Limits limits_of(const std::optional<nb::dict>& wanted) {
  Limits limits;
  if (!wanted) return limits;
  for (const auto& [key, value] : *wanted) {
    std::string name;
    if (!nb::try_cast(key, name)) name = nb::cast<std::string>(nb::repr(key));
    const auto* found = std::ranges::find(limit_names, name, &LimitName::name);
    if (found == limit_names.end()) {
      std::string expected;
      for (const LimitName& each : limit_names) {
        expected += fmt::format("{}{}", expected.empty() ? "" : ", ", each.name);
      }
      throw nb::value_error(
          fmt::format("limits has \"{}\", expected some of {}", name, expected).c_str());
    }
    std::uint64_t most = Limits::none;
    if (!value.is_none() && !nb::try_cast(value, most)) {
      throw nb::value_error(
          fmt::format("the limit {} is {}, expected a whole number that is not negative, or None "
                      "for no limit",
                      name, nb::cast<std::string>(nb::repr(value)))
              .c_str());
    }
    limits.*found->value = most;
  }
  return limits;
}

}  // namespace qturn::python
