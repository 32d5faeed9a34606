// Pictures with the files that belong to them, in memory: what qturn.ray does with a row.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "plugins/python/bind.hpp"
#include "plugins/python/orientations.hpp"
#include "plugins/python/picture_arguments.hpp"
#include "src/inputs/variants.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/one/label.hpp"
#include "src/labels/swap_pairs.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/sample_turn.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

constexpr std::pair<std::string_view, LabelsDrawnOn> frame_words[] = {
    {"unknown", LabelsDrawnOn::unknown},
    {"stored", LabelsDrawnOn::stored},
    {"upright", LabelsDrawnOn::upright}};

nb::bytes python_bytes(std::span<const std::byte> bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

void check_boxes(const std::vector<LabelShape>& boxes, Size size) {
  constexpr double no_fraction = 2;
  bool any_fraction = false, any_pixel = false;
  for (const LabelShape& box : boxes) {
    const ShapePoint &first = box.points[0], &last = box.points[1];
    if (std::floor(last.x) > static_cast<double>(size.width) ||
        std::floor(last.y) > static_cast<double>(size.height))
      throw LabelError(box.place, box_beyond_picture);
    any_fraction |= std::floor(first.x) != first.x || std::floor(last.x) != last.x;
    any_pixel |= last.x > no_fraction || last.y > no_fraction;
  }
  if (any_fraction && !any_pixel)
    throw LabelError(boxes[0].place, "boxes are fractions of the picture, expected pixels");
}

template <const ElementFormat& format>
LabelContent read_line(std::string_view text, const std::optional<Keypoints>&) {
  LabelContent content;
  const LabelledVariant as_it_is;
  ElementTurn reading(text, {}, as_it_is, no_classes, &content);
  format.read(text, {})->turn(reading);
  return content;
}

/// Turns a line of metadata.jsonl, which is all that the file says about its picture.
template <const ElementFormat& format>
std::string turn_line(std::string_view text, const LabelTurn& turn) {
  const std::unique_ptr<LabelElement> line = format.read(text, {});
  const LabelledVariant variant = {
      .turn = {std::nullopt, turn.orientation}, .name = std::string(turn.name), .size = turn.size};
  if (const auto says = line->size(); says && *says != turn.size) {
    throw LabelError({}, fmt::format("says {} x {}, the picture is {} x {}", says->width,
                                     says->height, turn.size.width, turn.size.height));
  }
  ElementTurn edits(text, {}, variant, turn.rule.swap, nullptr);
  line->turn(edits);
  check_boxes(read_line<format>(text, {}).shapes, turn.size);
  return edits.edits.finish();
}

template <const ElementFormat& format>
constexpr LabelFormat lines_of(std::string_view option) {
  return {.option = option,
          .name = "Hugging Face",
          .suffix = ".jsonl",
          .pictures = "",
          .labels = "",
          .is_of = nullptr,
          .turn = turn_line<format>,
          .read = read_line<format>};
}

constexpr LabelFormat line_formats[] = {lines_of<hugging_face>("huggingface"),
                                        lines_of<hugging_face_voc>("huggingface:voc")};

const LabelFormat& label_format(std::string_view word) {
  for (const LabelFormat& format : line_formats)
    if (word == format.option) return format;
  const auto* const found = std::ranges::find(label_formats, word, &LabelFormat::option);
  if (found == std::end(label_formats)) {
    std::vector<std::string_view> names;
    for (const LabelFormat& format : label_formats) {
      if (!format.is_named_only) names.push_back(format.option);
      if (!format.other.empty()) names.push_back(format.other);
    }
    for (const LabelFormat& format : line_formats) names.push_back(format.option);
    throw nb::value_error(
        fmt::format("format is \"{}\", expected one of {}", word, fmt::join(names, ", ")).c_str());
  }
  return *found;
}

/// Two keypoints, or two classes. At least one class is a name.
using Pairs =
    std::vector<std::pair<std::variant<int, std::string>, std::variant<int, std::string>>>;

SwapPairs swap_pairs_of(const Pairs& pairs) {
  std::string lines;
  for (const auto& [left, right] : pairs) {
    const bool are_keypoints = left.index() == 0 && right.index() == 0;
    const auto add = [&](const auto& word) {
      const std::string text = fmt::format("{}", word);
      if (text.find_first_of("#\n") != text.npos)
        throw nb::value_error(
            fmt::format("swap_pairs names {}, expected no # in it", text).c_str());
      lines += text;
    };
    std::visit(add, left);
    lines += are_keypoints ? " " : ": ";
    std::visit(add, right);
    lines += "\n";
  }
  try {
    return read_swap_pairs(lines);
  } catch (const LabelError& error) {
    throw nb::value_error(fmt::format("swap_pairs: {}", error.why()).c_str());
  }
}

/// As --keypoints and --swap-pairs say it.
LabelRule rule_of(const std::optional<std::string>& word, const std::optional<Pairs>& swap_pairs) {
  SwapPairs pairs;
  if (swap_pairs) pairs = swap_pairs_of(*swap_pairs);
  LabelRule rule{.swap = std::move(pairs.classes)};
  if (!word) {
    if (!pairs.keypoints.empty())
      throw nb::value_error("swap_pairs names keypoints, expected keypoints, too");
    return rule;
  }
  rule.keypoints = parse_keypoints(*word);
  if (!rule.keypoints) {
    throw nb::value_error(
        fmt::format("keypoints is \"{}\", expected none, or a number of keypoints and of values "
                    "for each (2 or 3), such as 17x3",
                    *word)
            .c_str());
  }
  if (pairs.keypoints.empty()) return rule;
  const auto flip = flip_of(pairs.keypoints, rule.keypoints->count);
  if (!flip) {
    throw nb::value_error(fmt::format("swap_pairs names a keypoint beyond the last one, {}",
                                      rule.keypoints->count - 1)
                              .c_str());
  }
  rule.keypoints->flip = *flip;
  return rule;
}

/// In a word; of a label, the word of its format.
std::string word_of_kind(const std::string& name, nb::handle data) {
  constexpr const char* words[] = {"picture", "mask",       "mask",        "xmp",
                                   "label",   "world_file", "coordinates", "other"};
  const FileBytes file(data);
  const KindOfFile found = kind_of_file(name, *file);
  return found.format ? std::string(found.format->option)
                      : words[static_cast<std::size_t>(found.kind)];
}

std::vector<Orientation> variants_of_key(nb::handle key, int count, std::uint64_t seed,
                                         const std::optional<std::string>& group) {
  nb::object bytes = nb::borrow(key);
  if (nb::isinstance<nb::str>(key)) bytes = nb::steal(PyUnicode_EncodeFSDefault(key.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  const FileBytes name(bytes);
  return random_variants(text_of(*name), count, seed, group ? DrawGroup(*group) : DrawGroup());
}

nb::object turn_label(nb::handle text, const std::string& format, nb::handle orientation,
                      std::pair<std::int64_t, std::int64_t> size, const std::string& name,
                      const std::optional<std::string>& keypoints,
                      const std::optional<Pairs>& swap_pairs, nb::handle picture) {
  const bool is_text = nb::isinstance<nb::str>(text);
  nb::object bytes = nb::borrow(text);
  if (is_text) bytes = nb::steal(PyUnicode_AsUTF8String(text.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  const FileBytes file(bytes);
  std::optional<FileBytes> turned_picture;
  if (!picture.is_none()) turned_picture.emplace(picture);
  const LabelRule rule = rule_of(keypoints, swap_pairs);
  LabelTurn turn{.orientation = orientation_of(orientation),
                 .size = {size.first, size.second},
                 .name = name,
                 .rule = rule};
  if (turned_picture) turn.picture = **turned_picture;
  try {
    const std::string turned = label_format(format).turned(text_of(*file), turn);
    if (is_text) return nb::str(turned.data(), turned.size());
    return nb::bytes(turned.data(), turned.size());
  } catch (const LabelError& error) {
    throw WithHints<ImageFileError>(hints_of(error), error.what());
  }
}

using NamedBytes = std::pair<std::string, nb::object>;
using KindOfBytes = std::tuple<std::string, std::string, nb::object>;
/// The picture, whether it was re-encoded with loss, the files, and warnings.
using TurnedRow = std::tuple<nb::bytes, bool, std::vector<nb::bytes>, std::vector<std::string>>;

FileInMemory sample_file(const std::string& name, std::string_view kind,
                         std::span<const std::byte> bytes) {
  FileInMemory file{
      .name = name, .bytes = bytes, .kind = CompanionKind::sidecar, .format = nullptr};
  if (kind == "xmp" || kind == "world_file") return file;
  file.kind = kind == "mask" ? CompanionKind::mask : CompanionKind::label;
  if (file.kind == CompanionKind::label) file.format = &label_format(kind);
  return file;
}

std::vector<TurnedRow> turn_row(const NamedBytes& picture, const std::vector<KindOfBytes>& files,
                                const std::vector<Orientation>& orientations,
                                const std::vector<std::string>& names, const std::string& jpeg,
                                const std::string& edges, const std::string& png,
                                bool allow_storage_change, const std::string& labels_drawn_on,
                                const std::optional<std::string>& keypoints,
                                const std::optional<Pairs>& swap_pairs,
                                const std::optional<nb::dict>& limits) {
  const SampleOptions options{
      .picture = {.jpeg = {value_of("jpeg", jpeg, jpeg_words),
                           value_of("edges", edges, edge_words)},
                  .png = value_of("png", png, png_words),
                  .limits = limits_of(limits)},
      .allow_storage_change = allow_storage_change,
      .labels_drawn_on = value_of("labels_drawn_on", labels_drawn_on, frame_words),
      .rule = rule_of(keypoints, swap_pairs)};
  std::deque<FileBytes> owned;
  const auto bytes_of = [&](nb::handle data) { return *owned.emplace_back(data); };
  Sample sample{.picture = {.name = picture.first, .bytes = bytes_of(picture.second)}, .files = {}};
  for (const auto& [name, kind, data] : files)
    sample.files.push_back(sample_file(name, kind, bytes_of(data)));
  std::vector<TurnedSample> turned;
  {
    const nb::gil_scoped_release others_may_run;
    turned = turn_sample(sample, orientations, names, options);
  }
  std::vector<TurnedRow> rows;
  for (TurnedSample& each : turned) {
    std::vector<nb::bytes> turned_files;
    for (const Bytes& file : each.files) turned_files.push_back(python_bytes(file));
    rows.emplace_back(python_bytes(each.picture), each.outcome.loss != Loss::none,
                      std::move(turned_files), readable(std::move(each.warnings)));
  }
  return rows;
}

}  // namespace

void bind_samples(nb::module_& module) {
  module.def(
      "random_variants", &variants_of_key, nb::arg("key"), nb::arg("count"), nb::arg("seed") = 0,
      nb::arg("group") = nb::none(),
      nb::sig(
          "def random_variants(key: str | bytes, count: int, seed: int = 0, group: str | None = "
          "None) -> "
          "list[Orientation]"),
      R"(What --random COUNT --seed SEED chooses for the picture of this key: `count` different
orientations, by their numbers; with `group`, what --group takes. A pure function of its arguments; docs/augment.md has the
rule.)");
  module.def(
      "turn_labels", &turn_label, nb::arg("text"), nb::arg("format"), nb::arg("orientation"),
      nb::arg("size"), nb::kw_only(), nb::arg("name") = "", nb::arg("keypoints") = nb::none(),
      nb::arg("swap_pairs") = nb::none(), nb::arg("picture") = nb::none(),
      nb::sig("def turn_labels(text: str | typing_extensions.Buffer, format: str, orientation: "
              "Orientation | str | int, size: tuple[int, int], *, name: str = '', keypoints: str | "
              "None = None, swap_pairs: list[tuple[int | str, int | str]] | None = None, picture: "
              "typing_extensions.Buffer | None = None) -> str | bytes"),
      R"(The label of a turned picture, as `qturn augment` writes it: every other byte stays.

format is a word of --labels for a file of one picture, such as "yolo", or "huggingface" or
"huggingface:voc" (a line of metadata.jsonl); size is (width, height) before the turn; name is that of the turned picture's file, which some formats hold;
picture is its content, which LabelMe may hold. keypoints ("none" or "17x3") and swap_pairs (numbers
of keypoints, or names of classes) are the options of the command line. For a label that cannot be
turned it raises PictureError, whose message begins with the line and the column.)");
  // For qturn.ray.
  module.def("variants_of", &parse_variants, nb::arg("words"));
  module.def("kind_of_file", &word_of_kind, nb::arg("name"), nb::arg("data"));
  module.def(
      "is_mask_of",
      [](const std::string& mask, const std::string& picture) { return is_mask_of(mask, picture); },
      nb::arg("mask"), nb::arg("picture"));
  module.def("turn_row", &turn_row, nb::arg("picture"), nb::arg("files"), nb::arg("orientations"),
             nb::arg("names"), nb::kw_only(), nb::arg("jpeg"), nb::arg("edges"), nb::arg("png"),
             nb::arg("allow_storage_change"), nb::arg("labels_drawn_on"), nb::arg("keypoints"),
             nb::arg("swap_pairs"), nb::arg("limits"));
}

}  // namespace qturn::python
