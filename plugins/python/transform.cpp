// transform() and transform_batch() of arrays.
#include <nanobind/nanobind.h>

#include "plugins/python/bind.hpp"
#include "plugins/python/call.hpp"
#include "plugins/python/orientations.hpp"
#include "plugins/python/overlaps.hpp"
#include "plugins/python/turn.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

nb::object transform_array(nb::handle x, nb::handle wanted, nb::handle out, nb::handle layout,
                           nb::handle stream) {
  const Orientation orientation = orientation_of(wanted);
  Call call(layout, stream);
  Operand src = call.source(x);
  const Axes shape = turned_shape(src.memory.shape, call.layout(), orientation);
  const Operand dst = out.is_none() ? call.made(src, shape) : call.given(out, src, shape);
  const bool in_place = !out.is_none() && is_in_place(src, dst);
  try {
    const nb::gil_scoped_release others_run;
    if (in_place) {
      for (const View& view : views_of(dst.planes)) {
        transform_in_place(view, in_memory(src.planes, orientation, dst.planes), call.place());
      }
    } else {
      turn(src.planes, dst.planes, orientation, call.place());
    }
    call.settle();
  } catch (const std::invalid_argument& error) {
    throw nb::value_error((std::string(error.what()) + ": x has shape " + text(src.memory.shape) +
                           ", out " + text(dst.memory.shape))
                              .c_str());
  }
  return call.finished(src, dst, !out.is_none());
}

/// A destination for `src`: a new one, or the caller's.
Operand destination(Call& call, Operand& src, Orientation orientation, nb::handle out) {
  const Axes shape = turned_shape(src.memory.shape, call.layout(), orientation);
  if (out.is_none()) return call.made(src, shape);
  Operand dst = call.given(out, src, shape);
  if (is_in_place(src, dst)) {
    throw nb::value_error(("out of shape " + text(dst.memory.shape) +
                           " is x itself: " + "transform() turns in place, a batch does not")
                              .c_str());
  }
  return dst;
}

void check_lists_apart(const std::vector<Operand>& sources,
                       const std::vector<Operand>& destinations) {
  const auto views = [](const std::vector<Operand>& operands) {
    std::vector<View> all;
    for (const Operand& operand : operands) {
      const std::vector<View> some = views_of(operand.planes);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  check_apart(views(sources), views(destinations));
}

nb::object transform_list(nb::handle xs, nb::handle wanted, nb::handle out, nb::handle layout,
                          nb::handle stream) {
  const std::size_t count = nb::len(xs);
  const std::vector<Orientation> orientations = orientations_of(wanted, count);
  if (!out.is_none() && nb::len(out) != count) {
    throw nb::value_error(
        (std::to_string(nb::len(out)) + " arrays in out for " + std::to_string(count) + " in xs")
            .c_str());
  }
  Call call(layout, stream);
  std::vector<Operand> sources;
  std::vector<Operand> destinations;
  std::vector<BatchImage> images;
  for (std::size_t i = 0; i < count; ++i) {
    sources.push_back(call.source(xs[i]));
    const nb::object given = out.is_none() ? nb::none() : nb::object(out[i]);
    destinations.push_back(destination(call, sources[i], orientations[i], given));
    const Planes &from = sources[i].planes, &to = destinations[i].planes;
    add_images(images, from, to, in_memory(from, orientations[i], to));
  }
  if (!out.is_none()) check_lists_apart(sources, destinations);
  if (count > 0) {
    const nb::gil_scoped_release others_run;
    transform_batch(images.data(), images.size(), call.place());
    call.settle();
  }
  nb::list results;
  for (std::size_t i = 0; i < count; ++i) {
    results.append(call.finished(sources[i], destinations[i], !out.is_none()));
  }
  return out.is_none() ? nb::object(results) : nb::borrow(out);
}

/// One array of images, with an orientation for each. All results have one shape.
nb::object transform_each(nb::handle xs, nb::handle wanted, nb::handle out, nb::handle layout,
                          nb::handle stream) {
  Call call(layout, stream);
  Operand src = call.source(xs);
  if (src.planes.counts.rank < 1) {
    throw nb::value_error(("x of shape " + text(src.memory.shape) +
                           " is one image: a batch has an axis before it, or is a list")
                              .c_str());
  }
  const auto count = static_cast<std::size_t>(src.memory.shape[0]);
  const std::vector<Orientation> orientations = orientations_of(wanted, count);
  const Orientation first = count > 0 ? orientations[0] : Orientation::identity;
  for (const Orientation orientation : orientations) {
    if (turned_shape(src.memory.shape, call.layout(), orientation) !=
        turned_shape(src.memory.shape, call.layout(), first)) {
      throw nb::value_error(
          ("x of shape " + text(src.memory.shape) + " would become images of two shapes, by " +
           std::string(name(first)) + " and " + std::string(name(orientation)) +
           ": pass a list of images, or orientations that all swap the axes or all do not")
              .c_str());
    }
  }
  const Operand dst = destination(call, src, first, out);
  if (src.planes.counts.rank < 1) {  // `out` made it one image, though it could be planes, too
    throw nb::value_error(("out of shape " + text(dst.memory.shape) +
                           " is one image in channels_last; pass .contiguous()")
                              .c_str());
  }
  std::vector<BatchImage> images;
  add_images(images, src.planes, dst.planes, first);
  const std::size_t planes_each = count > 0 ? images.size() / count : 1;
  for (std::size_t i = 0; i < images.size(); ++i) {
    images[i].orientation = in_memory(src.planes, orientations[i / planes_each], dst.planes);
  }
  {
    const nb::gil_scoped_release others_run;
    transform_batch(images.data(), images.size(), call.place());
    call.settle();
  }
  return call.finished(src, dst, !out.is_none());
}

nb::object transform_arrays(nb::handle xs, nb::handle orientations, nb::handle out,
                            nb::handle layout, nb::handle stream) {
  if (nb::isinstance<nb::list>(xs) || nb::isinstance<nb::tuple>(xs)) {
    return transform_list(xs, orientations, out, layout, stream);
  }
  if (nb::isinstance<nb::str>(orientations) || !nb::hasattr(orientations, "__len__")) {
    return transform_array(xs, orientations, out, layout, stream);
  }
  return transform_each(xs, orientations, out, layout, stream);
}

}  // namespace

void bind_transform(nb::module_& module) {
  module.def("transform", &transform_array, nb::arg("x"), nb::arg("orientation").none(),
             nb::arg("out").none(), nb::arg("layout"), nb::arg("stream").none(),
             "See qturn.transform().");
  module.def("transform_batch", &transform_arrays, nb::arg("xs"), nb::arg("orientations").none(),
             nb::arg("out").none(), nb::arg("layout"), nb::arg("stream").none(),
             "See qturn.transform_batch().");
}

}  // namespace qturn::python
