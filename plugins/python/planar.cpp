// to_planar(): interleaved images become the planes that a network takes, turned and normalised in
// one pass.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "plugins/python/bind.hpp"
#include "plugins/python/call.hpp"
#include "plugins/python/overlaps.hpp"
#include "plugins/python/planar_format.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

SampleType sample_type(const std::string& name, const char* which) {
  if (name == "uint8") return SampleType::uint8;
  if (name == "uint16") return SampleType::uint16;
  if (name == "float16") return SampleType::float16;
  if (name == "bfloat16") return SampleType::bfloat16;
  if (name == "float32") return SampleType::float32;
  throw nb::type_error((std::string(which) + " is " + name +
                        ", expected uint8, uint16, float16 or float32; results are uint8, " +
                        "float16, bfloat16 or float32")
                           .c_str());
}

// What makes the largest integer 1, or 255 if results are bytes.
double scale_of(SampleType from, SampleType to) {
  const double largest = to == SampleType::uint8 ? 255 : 1;
  if (from == SampleType::uint8) return largest / 255;
  if (from == SampleType::uint16) return largest / 65535;
  return 1;
}

void set_each(std::array<double, 4>& values, const std::vector<double>& wanted, std::size_t planes,
              const char* which) {
  if (wanted.size() != 1 && wanted.size() != planes) {
    throw nb::value_error((std::to_string(wanted.size()) + " values of " + which + " for " +
                           std::to_string(planes) + " planes")
                              .c_str());
  }
  for (std::size_t plane = 0; plane < planes; ++plane) {
    values[plane] = wanted[wanted.size() == 1 ? 0 : plane];
  }
}

}  // namespace

PlanarFormat format_of(const std::string& src_type, const PlanarWanted& wanted) {
  const std::size_t planes = wanted.channels.size();
  if (planes < 1 || planes > 4) {
    throw nb::value_error((std::to_string(planes) + " channels, expected 1 to 4").c_str());
  }
  PlanarFormat format;
  format.src_type = sample_type(src_type, "x");
  format.dst_type = sample_type(wanted.dtype, "dtype");
  format.planes = static_cast<int>(planes);
  for (std::size_t plane = 0; plane < planes; ++plane)
    format.channel[plane] = wanted.channels[plane];
  format.scale = wanted.scale.value_or(scale_of(format.src_type, format.dst_type));
  set_each(format.mean, wanted.mean, planes, "mean");
  set_each(format.deviation, wanted.deviation, planes, "std");
  return format;
}

namespace {

struct Images {
  std::vector<Operand> sources;
  std::vector<View> views;        ///< as they lie in memory
  std::vector<Orientation> seen;  ///< what the arrays make of them
};

Images images_of(Call& call, nb::handle xs) {
  Images images;
  const auto add = [&](nb::handle x) {
    images.sources.push_back(call.source(x));
    const std::vector<View> views = views_of(images.sources.back().planes);
    images.views.insert(images.views.end(), views.begin(), views.end());
    images.seen.resize(images.views.size(), images.sources.back().planes.seen);
  };
  if (nb::isinstance<nb::list>(xs) || nb::isinstance<nb::tuple>(xs)) {
    for (nb::handle x : xs) add(x);
  } else {
    add(xs);
  }
  if (images.views.empty()) throw nb::value_error("xs has no images, expected at least one");
  return images;
}

Size common_size(const Images& images, const std::vector<Orientation>& orientations) {
  const auto size_of = [&](std::size_t i) {
    return turned_size(orientations[i], {images.views[i].width, images.views[i].height});
  };
  const Size first = size_of(0);
  for (std::size_t i = 1; i < images.views.size(); ++i) {
    const Size size = size_of(i);
    if (size == first) continue;
    throw nb::value_error(("image " + std::to_string(i) + " becomes " + std::to_string(size.width) +
                           "x" + std::to_string(size.height) + ", image 0 " +
                           std::to_string(first.width) + "x" + std::to_string(first.height) +
                           ": one tensor needs one size")
                              .c_str());
  }
  return first;
}

nb::object to_planar_arrays(nb::handle xs, nb::handle wanted_orientations, const std::string& dtype,
                            const std::vector<double>& mean, const std::vector<double>& deviation,
                            const std::vector<int>& channels, std::optional<double> scale,
                            nb::handle out, nb::handle stream) {
  Call call(nb::str("hwc"), stream);
  Images images = images_of(call, xs);
  const std::size_t count = images.views.size();
  std::vector<Orientation> orientations = orientations_of(wanted_orientations, count);
  for (std::size_t i = 0; i < count; ++i)
    orientations[i] = compose(images.seen[i], orientations[i]);
  Operand& first = images.sources[0];
  const std::string type = first.library->type_name(first.array);
  const PlanarFormat format = format_of(type, {dtype, mean, deviation, channels, scale});
  for (const Operand& source : images.sources) {
    const std::string other = source.library->type_name(source.array);
    if (other != type) {
      throw nb::type_error(fmt::format("xs are {} {} and {} {}, expected one type", type,
                                       text(first.memory.shape), other, text(source.memory.shape))
                               .c_str());
    }
  }
  const Size size = common_size(images, orientations);
  Axes shape;
  shape.push(static_cast<std::int64_t>(count));
  shape.push(format.planes);
  shape.push(size.height);
  shape.push(size.width);
  const Operand dst = out.is_none() ? call.made(first, shape, dtype.c_str())
                                    : call.given(out, first, shape, dtype.c_str());
  if (dst.planes.interleaved) {
    throw nb::value_error(
        ("out of shape " + text(dst.memory.shape) + " is channels_last, expected planes").c_str());
  }
  if (!out.is_none()) check_apart(images.views, views_of(dst.planes));
  std::vector<PlanarImage> turned(count);
  for (std::size_t i = 0; i < count; ++i) {
    const View& plane = dst.planes.first;
    turned[i].src = images.views[i];
    turned[i].dst = {static_cast<std::byte*>(plane.data) +
                         static_cast<std::int64_t>(i) * dst.planes.distances[0],
                     plane.width, plane.height, plane.pitch, dst.planes.distances[1]};
    turned[i].orientation = compose(orientations[i], inverse(dst.planes.seen));
  }
  {
    const nb::gil_scoped_release others_run;
    to_planar_batch(turned.data(), count, format, call.place());
    call.settle();
  }
  for (const Operand& source : images.sources) {
    if (&source != &first) call.keep(source);
  }
  return call.finished(first, dst, !out.is_none());
}

}  // namespace

void bind_planar(nb::module_& module) {
  module.def("to_planar", &to_planar_arrays, nb::arg("xs"), nb::arg("orientations").none(),
             nb::arg("dtype"), nb::arg("mean"), nb::arg("std"), nb::arg("channels"),
             nb::arg("scale").none(), nb::arg("out").none(), nb::arg("stream").none(),
             "See qturn.to_planar().");
}

}  // namespace qturn::python
