// Whole pictures in memory: the bytes of a file in, the bytes of the turned file out.
// qturn::pictures does the work; this takes Python's buffers and words to it, and releases the GIL.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <qturn/pictures.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plugins/python/bind.hpp"
#include "plugins/python/hints.hpp"
#include "plugins/python/orientations.hpp"
#include "plugins/python/picture_arguments.hpp"
#include "src/check/check.hpp"
#include "src/formats/table.hpp"
#include "src/run/outcome.hpp"
#include "src/turn/lane.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

constexpr std::array<const char*, 3> loss_words = {"none", "asked_for", "unasked"};

/// What Python gets of a turned file.
struct TurnedFile {
  nb::bytes bytes;
  std::string format;
  TurnOutcome outcome;
  std::vector<std::string> warnings;
};

/// The memory of a picture, which a thread keeps for its next one. Clearing new pages took a tenth
/// of the time of turning a JPEG of 12 megapixels, whose coefficients have 36 MB.
class KeptLane {
 public:
  Turned turn(std::span<const std::byte> file, Orientation orientation,
              const TurnOptions& options) {
    return turn_in(*lane_, kept_bytes, file, orientation, options);
  }

 private:
  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;
  std::unique_ptr<Lane> lane_ = make_cpu_lane(2 * kept_bytes);  // a half is for turned pages
};

std::string format_written(std::span<const std::byte> source, const TurnOptions& options) {
  const Codec* codec = options.format.empty()
                           ? codec_of_content(source, lower_suffix("x" + options.suffix))
                           : codec_of_name(options.format);
  return std::string(codec->name);
}

TurnedFile turn_file(nb::handle data, nb::handle orientation, const std::string& jpeg,
                     const std::string& edges, std::string format, std::optional<int> quality,
                     const std::string& png, bool tag_only, bool allow_storage_change,
                     std::string suffix, const std::optional<nb::dict>& limits) {
  const bool upright =
      nb::isinstance<nb::str>(orientation) && orientation.equal(nb::str("upright"));
  const Orientation wanted = upright ? Orientation::identity : orientation_of(orientation);
  const TurnOptions options{
      .format = std::move(format),
      .suffix = std::move(suffix),
      .jpeg = {value_of("jpeg", jpeg, jpeg_words), value_of("edges", edges, edge_words)},
      .quality = quality,
      .png = value_of("png", png, png_words),
      .tag_only = tag_only,
      .allow_storage_change = allow_storage_change,
      .limits = limits_of(limits)};
  const FileBytes file(data);
  Turned turned;
  {
    const nb::gil_scoped_release others_may_run;
    thread_local KeptLane lane;
    turned = lane.turn(*file, wanted, options);
  }
  turned.outcome.message = readable(turned.outcome.message);
  return {nb::bytes(turned.bytes.data(), turned.bytes.size()), format_written(*file, options),
          std::move(turned.outcome), readable(std::move(turned.warnings))};
}

Orientation stored_orientation(nb::handle data, std::string suffix,
                               const std::optional<nb::dict>& limits) {
  TurnOptions options{.suffix = std::move(suffix), .limits = limits_of(limits)};
  // Pixels are not read.
  options.limits.pixels = options.limits.ratio = Limits::none;
  const FileBytes file(data);
  const nb::gil_scoped_release others_may_run;
  return plan_turn((*file).data(), (*file).size(), Orientation::identity, options).stored;
}

std::vector<std::string> check_file(nb::handle data, bool quick, const std::string& suffix,
                                    const std::optional<nb::dict>& limits) {
  const Limits most = limits_of(limits);
  const FileBytes file(data);
  std::vector<std::string> findings;
  {
    const nb::gil_scoped_release others_may_run;
    findings = check_picture(*file, suffix, quick, most);
  }
  return readable(std::move(findings));
}

std::string shown(const TurnedFile& turned) {
  const Size size = turned.outcome.size;
  return fmt::format("<qturn.Turned: {}, {} x {}, {}, {} bytes>", turned.format, size.width,
                     size.height, word(turned.outcome.route), turned.bytes.size());
}

// A notebook shows what a browser can show.
nb::object shown_in_notebook(const TurnedFile& turned) {
  constexpr std::string_view shown_formats[] = {"jpeg", "png", "gif", "webp", "bmp"};
  if (std::ranges::find(shown_formats, turned.format) == std::end(shown_formats)) return nb::none();
  const nb::object text =
      nb::module_::import_("base64").attr("b64encode")(turned.bytes).attr("decode")();
  return nb::str(fmt::format("<img src=\"data:image/{};base64,{}\">", turned.format,
                             nb::cast<std::string>(text))
                     .c_str());
}

using TurnedState = std::tuple<nb::bytes, std::string, std::uint8_t, std::uint8_t, Orientation,
                               std::int64_t, std::int64_t, std::string, std::vector<std::string>>;

TurnedState state_of(const TurnedFile& turned) {
  const TurnOutcome& outcome = turned.outcome;
  return {turned.bytes,
          turned.format,
          static_cast<std::uint8_t>(outcome.route),
          static_cast<std::uint8_t>(outcome.loss),
          outcome.applied,
          outcome.size.width,
          outcome.size.height,
          outcome.message,
          turned.warnings};
}

TurnedFile turned_of(TurnedState&& state) {
  auto& [bytes, format, route, loss, applied, width, height, message, warnings] = state;
  if (route >= route_words.size() || loss >= loss_words.size()) {
    throw nb::value_error("not the state of a qturn.Turned of this version");
  }
  return {std::move(bytes),
          std::move(format),
          {.route = static_cast<Route>(route),
           .loss = static_cast<Loss>(loss),
           .applied = applied,
           .size = {width, height},
           .message = std::move(message)},
          std::move(warnings)};
}

void bind_error(nb::module_& module) {
  const auto name = nb::cast<std::string>(module.attr("__name__")) + ".PictureError";
  nb::object type = nb::steal(PyErr_NewExceptionWithDoc(
      name.c_str(),
      "A file that is damaged, not supported, or beyond the limits. The message says why.", nullptr,
      nullptr));
  module.attr("PictureError") = type;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* error) {
        try {
          std::rethrow_exception(thrown);
        } catch (const ImageFileError& damage) {
          PyErr_SetString(static_cast<PyObject*>(error), readable(in_words(damage)).c_str());
        }
      },
      type.release().ptr());
}

void bind_turned(nb::module_& module) {
  nb::class_<TurnedFile>(module, "Turned", "A turned file.")
      .def_ro("bytes", &TurnedFile::bytes, "The file.")
      .def_ro("format", &TurnedFile::format, R"(Its format: "jpeg", "png"...)")
      .def_prop_ro(
          "route", [](const TurnedFile& turned) { return word(turned.outcome.route); },
          R"(How it was made: "lossless", "trimmed", "planar", "reencoded", "tagged", "copied" or
"skipped".)")
      .def_prop_ro(
          "loss",
          [](const TurnedFile& turned) {
            return loss_words[static_cast<std::size_t>(turned.outcome.loss)];
          },
          R"(Whether its pixels were compressed with loss: "none", "asked_for" by an argument, or
"unasked" where there was no other way.)")
      .def_prop_ro(
          "applied", [](const TurnedFile& turned) { return turned.outcome.applied; },
          "The orientation that was applied to the pixels as they were stored.")
      .def_prop_ro(
          "size",
          [](const TurnedFile& turned) {
            return std::pair(turned.outcome.size.width, turned.outcome.size.height);
          },
          "(width, height) of its first page, as stored.")
      .def_prop_ro(
          "message", [](const TurnedFile& turned) { return turned.outcome.message; },
          "Why a JPEG was re-encoded or left alone; empty otherwise.")
      .def_ro("warnings", &TurnedFile::warnings,
              "Sentences about what is unusual, or could not be kept.")
      .def("__repr__", &shown)
      .def("_repr_html_", &shown_in_notebook)
      .def("__getstate__", &state_of)
      .def("__setstate__", [](TurnedFile& turned, TurnedState state) {
        new (&turned) TurnedFile(turned_of(std::move(state)));
      });
}

}  // namespace

void bind_pictures(nb::module_& module) {
  bind_error(module);
  bind_turned(module);
  module.def(
      "turn", &turn_file, nb::arg("data").none(), nb::arg("orientation").none() = "upright",
      nb::kw_only(), nb::arg("jpeg") = "lossless", nb::arg("edges") = "reencode",
      nb::arg("format") = "", nb::arg("quality") = nb::none(), nb::arg("png") = "small",
      nb::arg("tag_only") = false, nb::arg("allow_storage_change") = false, nb::arg("suffix") = "",
      nb::arg("limits") = nb::none(),
      nb::sig("def turn(data: typing_extensions.Buffer, orientation: Orientation | str | int = "
              "'upright', *, jpeg: str = 'lossless', edges: str = 'reencode', format: str = '', "
              "quality: int | None = None, png: str = 'small', tag_only: bool = False, "
              "allow_storage_change: bool = False, suffix: str = '', limits: dict[str, int | None] "
              "| None = None) -> Turned"),
      R"(Turn a picture in memory: the bytes of a file in, the bytes of the turned file out.

data may also be a pathlib.Path, or an image that Pillow has opened from one: then that file is read.

The picture is turned as a viewer shows it, and stored upright; "upright" only makes the stored
orientation true. The format, the profile and the metadata stay. The arguments are the options of
the command line: jpeg is --jpeg ("lossless" or "planar"), edges is --jpeg-edges ("reencode",
"trim", "tag", "skip" or "fail"), format is --format, and so on. limits is --limit, as
{"pixels": 10**9}; None as a value switches one off. suffix (".tga") counts only where the content
does not tell the format.

Works without the GIL, on the calling thread. Raises PictureError for a file that is damaged or not
supported, ValueError for a wrong argument.)");
  module.def("orientation", &stored_orientation, nb::arg("data").none(), nb::kw_only(),
             nb::arg("suffix") = "", nb::arg("limits") = nb::none(),
             nb::sig("def orientation(data: typing_extensions.Buffer, *, suffix: str = '', limits: "
                     "dict[str, int | None] | None = None) -> Orientation"),
             R"(How a picture must be turned to look upright, by its metadata.

Reads the header only, so of limits the pixels and their ratio do not count.)");
  module.def(
      "check", &check_file, nb::arg("data").none(), nb::kw_only(), nb::arg("quick") = false,
      nb::arg("suffix") = "", nb::arg("limits") = nb::none(),
      nb::sig("def check(data: typing_extensions.Buffer, *, quick: bool = False, suffix: str = '', "
              "limits: dict[str, int | None] | None = None) -> list[str]"),
      R"(What `qturn check` says about a picture: sentences; none if all is well.

They name metadata that is damaged or contradicts itself about the orientation. The picture is
decoded unless quick is true. Raises PictureError for damage.)");
}

}  // namespace qturn::python
