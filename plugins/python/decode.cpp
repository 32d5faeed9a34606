// Pictures decoded to arrays that Python has made: opened first, so that their sizes are known,
// then decoded without the GIL. qturn/_decode.py has the functions that callers see.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <qturn/cpu.hpp>
#include <qturn/decoder.hpp>

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/python/arrays.hpp"
#include "plugins/python/bind.hpp"
#include "plugins/python/orientations.hpp"
#include "plugins/python/overlaps.hpp"
#include "plugins/python/picture_arguments.hpp"
#include "plugins/python/planar_format.hpp"
#include "plugins/python/planes.hpp"
#include "src/decode/read_files.hpp"
#include "src/formats/table.hpp"
#include "src/turn/decoded.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

/// The decoder of a device, made with its first batch. Never destroyed: when C++ destroys its
/// statics, CUDA may be gone.
const JpegDecoder& decoder_of(int device, std::optional<std::uint64_t> device_bytes) {
  using Key = std::pair<int, std::uint64_t>;
  static auto& mutex = *new std::mutex;
  static auto& all = *new std::map<Key, std::unique_ptr<JpegDecoder>>;
  DecoderOptions options;
  options.device = device;
  if (device_bytes) options.device_bytes = *device_bytes;
  const std::lock_guard lock(mutex);
  std::unique_ptr<JpegDecoder>& decoder = all[{device, options.device_bytes}];
  if (!decoder) decoder = std::make_unique<JpegDecoder>(options);
  return *decoder;
}

Orientation decoded_orientation(nb::handle wanted) {
  const bool upright = nb::isinstance<nb::str>(wanted) && wanted.equal(nb::str("upright"));
  return upright ? Orientation::identity : orientation_of(wanted);
}

std::vector<Orientation> decoded_orientations(nb::handle wanted, std::size_t count) {
  const bool is_one = nb::isinstance<nb::str>(wanted) || !nb::hasattr(wanted, "__len__");
  if (is_one) return std::vector<Orientation>(count, decoded_orientation(wanted));
  std::vector<Orientation> orientations;
  for (nb::handle one : wanted) orientations.push_back(decoded_orientation(one));
  if (orientations.size() == count) return orientations;
  throw nb::value_error(
      fmt::format("{} orientations for {} pictures", orientations.size(), count).c_str());
}

/// Files of a batch, and what holds their bytes.
class OpenedFiles {
 public:
  OpenedFiles(nb::handle files, const std::optional<std::vector<std::size_t>>& offsets,
              nb::handle orientations, int device, std::optional<std::uint64_t> device_bytes,
              const std::optional<nb::dict>& limits, bool are_cropped)
      : device_(device) {
    const Limits most = limits_of(limits);
    if (offsets) {
      take_parts(files, *offsets);
    } else {
      for (nb::handle file : files) take(file);
    }
    std::vector<Orientation> wanted = decoded_orientations(orientations, pictures_.size());
    if (are_cropped) {
      turns_after_crop_ = std::move(wanted);
    } else {
      for (std::size_t i = 0; i < wanted.size(); ++i) pictures_[i].orientation = wanted[i];
    }
    const nb::gil_scoped_release others_run;
    decoder_ = &decoder_of(device, device_bytes);
    read_paths();
    batch_.emplace(decoder_->open(pictures_.data(), pictures_.size(), most));
  }

  std::size_t size() const { return pictures_.size(); }

  /// (height, width) of each picture; (0, 0) where the header is refused.
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (std::size_t i = 0; i < size(); ++i)
      all.emplace_back((*batch_)[i].size.height, (*batch_)[i].size.width);
    return all;
  }

  /// Why a picture is missing, with its number; nothing where it is there.
  std::vector<std::optional<std::string>> errors() const {
    std::vector<std::optional<std::string>> all(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const std::string& found =
          names_[i].empty() || read_errors_[i].empty() ? (*batch_)[i].error : read_errors_[i];
      if (found.empty()) continue;
      all[i] = readable(names_[i].empty() ? fmt::format("picture {}: {}", i, found)
                                          : fmt::format("{}: {}", names_[i], found));
    }
    return all;
  }

  /// Into arrays of H x W x 3, or None where the header was refused.
  void decode_each(const nb::list& outs) {
    std::vector<View> views(size());
    std::optional<void*> stream;
    for (std::size_t i = 0; i < size(); ++i) {
      const nb::handle out = outs[i];
      if (!out.is_none()) views[i] = view_of(array_of(out, stream));
    }
    decode(views, stream);
  }

  /// Into one array of N x H x W x 3.
  void decode_interleaved(nb::handle out) {
    std::optional<void*> stream;
    const Array array = array_of(out, stream);
    const Planes planes = planes_of(array, Layout::hwc, "out");
    check_is_batch(array, planes);
    decode(views_of(planes), stream);
  }

  /// Into one array of N x C x H x W.
  void decode_planes(nb::handle out, const std::string& dtype, const std::vector<double>& mean,
                     const std::vector<double>& deviation, const std::vector<int>& channels,
                     std::optional<double> scale,
                     const std::optional<std::vector<std::array<float, 4>>>& crops,
                     const std::string& resample, int pillow) {
    std::optional<void*> stream;
    const Array array = array_of(out, stream);
    const PlanarFormat format = format_of("uint8", {dtype, mean, deviation, channels, scale});
    const Planes planes = planes_of(array, Layout::chw, "out");
    check_is_batch(array, planes);
    if (planes.interleaved || planes.counts.rank != 2 || planes.counts[1] != format.planes) {
      throw nb::value_error(("out of shape " + text(array.shape) + " is not N x " +
                             std::to_string(format.planes) + " x H x W")
                                .c_str());
    }
    std::vector<PlanarView> views(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const View& plane = planes.first;
      views[i] = {
          static_cast<std::byte*>(plane.data) + static_cast<std::int64_t>(i) * planes.distances[0],
          plane.width, plane.height, plane.pitch, planes.distances[1]};
    }
    const auto on = static_cast<cudaStream_t>(stream.value_or(nullptr));
    if (crops) return decode_crops(*crops, rule_of(resample, pillow), views, format, on);
    const nb::gil_scoped_release others_run;
    decoder_->decode(*batch_, views.data(), format, on);
  }

 private:
  static ResizeRule rule_of(const std::string& resample, int pillow) {
    static const std::map<std::string, ResizeFilter> filters = {
        {"nearest", ResizeFilter::nearest},
        {"bilinear", ResizeFilter::bilinear},
        {"bicubic", ResizeFilter::bicubic}};
    const auto found = filters.find(resample);
    if (found == filters.end()) {
      throw nb::value_error(
          ("resample is '" + resample + "', expected \"nearest\", \"bilinear\" or \"bicubic\"")
              .c_str());
    }
    return {found->second, pillow < 13 ? PassOrder::pillow12 : PassOrder::pillow13};
  }

  void decode_crops(const std::vector<std::array<float, 4>>& boxes, ResizeRule rule,
                    const std::vector<PlanarView>& views, const PlanarFormat& format,
                    cudaStream_t stream) {
    if (boxes.size() != size()) {
      throw nb::value_error(fmt::format("{} boxes for {} pictures", boxes.size(), size()).c_str());
    }
    std::vector<PictureCrop> crops;
    for (std::size_t i = 0; i < size(); ++i)
      crops.push_back({{boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]}, turns_after_crop_[i]});
    const nb::gil_scoped_release others_run;
    decoder_->decode(*batch_, crops.data(), rule, views.data(), format, stream);
  }

  void take(nb::handle file) {
    if (nb::isinstance<nb::str>(file) || nb::hasattr(file, "__fspath__")) {
      const bool is_text = nb::isinstance<nb::str>(file);
      names_.push_back(nb::cast<std::string>(
          is_text ? nb::borrow(file) : nb::module_::import_("os").attr("fspath")(file)));
      paths_.emplace_back(names_.back());
      pictures_.emplace_back();
      return;
    }
    held_.push_back(std::make_unique<FileBytes>(file));
    add(**held_.back());
  }

  void take_parts(nb::handle data, const std::vector<std::size_t>& offsets) {
    held_.push_back(std::make_unique<FileBytes>(data));
    const std::span<const std::byte> all = **held_.back();
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i] > offsets[i + 1] || offsets[i + 1] > all.size()) {
        throw nb::value_error(fmt::format("picture {} is at {} to {} of {} bytes", i, offsets[i],
                                          offsets[i + 1], all.size())
                                  .c_str());
      }
      add(all.subspan(offsets[i], offsets[i + 1] - offsets[i]));
    }
  }

  void add(std::span<const std::byte> bytes) {
    names_.emplace_back();
    paths_.emplace_back();
    pictures_.push_back({.data = bytes.data(), .bytes = bytes.size()});
  }

  void read_paths() {
    read_errors_.resize(size());
    std::vector<std::size_t> at;
    std::vector<std::filesystem::path> paths;
    for (std::size_t i = 0; i < size(); ++i) {
      if (names_[i].empty()) continue;
      at.push_back(i);
      paths.push_back(paths_[i]);
    }
    read_ = ReadFiles(paths);
    for (std::size_t k = 0; k < at.size(); ++k) {
      pictures_[at[k]].data = read_[k].bytes.data();
      pictures_[at[k]].bytes = read_[k].bytes.size();
      read_errors_[at[k]] = read_[k].error;
    }
  }

  /// `stream` becomes the current one of the first array's library.
  Array array_of(nb::handle out, std::optional<void*>& stream) const {
    const Library& library = library_of(out, "out");
    if (!stream && device_ != host) stream = library.current_stream(device_);
    Array array = library.read(out, stream, "out");
    if (array.device != device_) {
      throw nb::value_error(("out of shape " + text(array.shape) +
                             " is on another device than the "
                             "decoder")
                                .c_str());
    }
    if (array.read_only) {
      throw nb::value_error(("out of shape " + text(array.shape) + " is read-only").c_str());
    }
    return array;
  }

  static View view_of(const Array& array) {
    const Planes planes = planes_of(array, Layout::hwc, "out");
    if (planes.count() == 1 && planes.seen == Orientation::identity) return planes.first;
    throw nb::value_error(
        ("out of shape " + text(array.shape) + " is not a picture in C order").c_str());
  }

  void check_is_batch(const Array& array, const Planes& planes) const {
    check_apart(array, planes);
    if (planes.seen == Orientation::identity && planes.counts.rank > 0 &&
        planes.counts[0] == static_cast<std::int64_t>(size())) {
      return;
    }
    throw nb::value_error(("out of shape " + text(array.shape) + " is not a batch of " +
                           std::to_string(size()) + " pictures in C order")
                              .c_str());
  }

  void decode(const std::vector<View>& views, std::optional<void*> stream) {
    const nb::gil_scoped_release others_run;
    decoder_->decode(*batch_, views.data(), static_cast<cudaStream_t>(stream.value_or(nullptr)));
  }

  int device_;
  const JpegDecoder* decoder_ = nullptr;
  std::vector<std::unique_ptr<FileBytes>> held_;
  std::vector<std::string> names_;  ///< of paths; empty for others
  std::vector<std::filesystem::path> paths_;
  ReadFiles read_;
  std::vector<std::string> read_errors_;
  std::vector<EncodedPicture> pictures_;
  std::vector<Orientation> turns_after_crop_;  ///< empty: pictures are not cropped
  std::optional<DecoderBatch> batch_;
};

/// A picture with its own channels and samples, as an array of NumPy.
nb::object decode_own(nb::handle data, nb::handle orientation, const std::string& suffix,
                      const std::optional<nb::dict>& limits) {
  constexpr std::array<const char*, 6> dtypes = {"uint8",   "uint16",  "uint32",
                                                 "float16", "float32", "float64"};
  static const nb::handle empty = kept(nb::module_::import_("numpy").attr("empty"));
  const Limits most = limits_of(limits);
  const Orientation wanted = decoded_orientation(orientation);
  const FileBytes file(data);
  PixelArena arena;
  Image image;
  {
    const nb::gil_scoped_release others_run;
    image = decoded_page(*file, decodable_format(*file, lower_suffix("x" + suffix)), most, arena);
  }
  const Page& page = image.pages.front();
  const Orientation applied = compose(image.stored, wanted);
  const Size size = turned_size(applied, {page.width, page.height});
  nb::object made = empty(nb::make_tuple(size.height, size.width, page.channels),
                          dtypes[static_cast<std::size_t>(page.type)]);
  const View to{numpy_arrays()->read(made, std::nullopt, "the result").data, size.width,
                size.height, size.width * page.pixel_bytes(), page.pixel_bytes()};
  {
    const nb::gil_scoped_release others_run;
    transform(page.view(), to, applied);
  }
  return made;
}

}  // namespace

void bind_decode(nb::module_& module) {
  nb::class_<OpenedFiles>(module, "OpenedFiles", "Files whose headers were read.")
      .def(nb::init<nb::handle, std::optional<std::vector<std::size_t>>, nb::handle, int,
                    std::optional<std::uint64_t>, std::optional<nb::dict>, bool>(),
           nb::arg("files"), nb::arg("offsets").none(), nb::arg("orientations"), nb::arg("device"),
           nb::arg("device_bytes").none(), nb::arg("limits").none(), nb::arg("are_cropped"))
      .def_prop_ro("sizes", &OpenedFiles::sizes, "(height, width) of each.")
      .def_prop_ro("errors", &OpenedFiles::errors, "Why there is no such picture, or None.")
      .def("decode_each", &OpenedFiles::decode_each, nb::arg("outs"))
      .def("decode_interleaved", &OpenedFiles::decode_interleaved, nb::arg("out"))
      .def("decode_planes", &OpenedFiles::decode_planes, nb::arg("out"), nb::arg("dtype"),
           nb::arg("mean"), nb::arg("std"), nb::arg("channels"), nb::arg("scale").none(),
           nb::arg("crops").none(), nb::arg("resample"), nb::arg("pillow"));
  module.def("decode_own", &decode_own, nb::arg("data"), nb::arg("orientation"), nb::arg("suffix"),
             nb::arg("limits").none(), "See qturn.decode().");
}

}  // namespace qturn::python
