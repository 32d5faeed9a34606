#include "tools/qturn/label_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tools/qturn/option_values.hpp"
#include "tools/qturn/parser.hpp"

namespace qturn {
namespace {

constexpr const char* group = "Labels";

std::string listed(std::vector<std::string_view> names) {
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

/// "yolo, voc, labelme or kitti": the formats of labels of one picture, with voc:0 if `all`.
std::string formats_of_pictures(bool all) {
  std::vector<std::string_view> names;
  for (const LabelFormat& format : label_formats) {
    if (format.is_named_only) continue;
    names.push_back(format.option);
    if (all && !format.other.empty()) names.push_back(format.other);
  }
  return listed(names);
}

std::string formats_of_files() {
  std::vector<std::string_view> names;
  for (const SharedLabelFormat& format : shared_label_formats)
    if (!format.is_named_only) names.push_back(format.option);
  return listed(names);
}

LabelOptions label_options(const std::string& text, const LabelOptions& before) {
  LabelOptions options = before;
  options.folder.clear();
  options.file.clear();
  options.file_format = nullptr;
  options.format = nullptr;
  options.take = text == "none" ? TakeLabels::none : TakeLabels::found;
  if (text == "auto" || text == "none") return options;
  const auto found = std::ranges::find(shared_label_formats, text, &SharedLabelFormat::option);
  if (found != shared_label_formats.end() && found->is_named_only) {
    options.take = TakeLabels::one_file;
    options.file_format = &*found;
    return options;
  }
  for (const SharedLabelFormat& format : shared_label_formats) {
    const std::string before_file = std::string(format.option) + ":";
    if (!text.starts_with(before_file) || text.size() == before_file.size()) continue;
    options.take = TakeLabels::one_file;
    options.file_format = &format;
    options.file = text.substr(before_file.size());
    return options;
  }
  options.take = TakeLabels::one_format;
  for (const LabelFormat& format : label_formats)
    if ((text + ":").starts_with(std::string(format.option) + ":")) options.format = &format;
  const std::string rest = options.format ? text.substr(options.format->option.size()) : ":";
  if (rest == ":") {
    std::vector<std::string_view> of_pictures, of_files;
    for (const LabelFormat& format : label_formats) of_pictures.push_back(format.option);
    for (const SharedLabelFormat& format : shared_label_formats)
      if (!format.is_named_only) of_files.push_back(format.option);
    throw std::invalid_argument(
        fmt::format("'{}' is not auto, none, huggingface:voc, one of {} (also with :DIR), or one "
                    "of {} with :FILE",
                    text, fmt::join(of_pictures, ", "), fmt::join(of_files, ", ")));
  }
  if (!rest.empty()) options.folder = rest.substr(1);
  return options;
}

Keypoints keypoints_of(const std::string& text) {
  const std::optional<Keypoints> keypoints = parse_keypoints(text);
  if (!keypoints) {
    throw std::invalid_argument(fmt::format(
        "'{}' is neither none nor KxV, K keypoints of V values (2 or 3), such as 17x3", text));
  }
  return *keypoints;
}

CLI::Option* add_kind(CLI::App& app, CommandLine& line, std::string help) {
  return add_value(app, "--labels", "auto|none|FORMAT[:DIR]|FORMAT:FILE", std::move(help),
                   [&line](const std::string& text) {
                     line.labels = label_options(text, line.labels);
                     line.check_labels = line.labels.take != TakeLabels::none;
                   })
      ->group(group);
}

CLI::Option* add_masks(CLI::App& app, CommandLine& line, const char* help) {
  return add_value(app, "--masks", "auto|none|DIR", help,
                   [&line](const std::string& text) {
                     line.masks = MaskOptions{.take = text != "none"};
                     if (text != "none" && text != "auto") line.masks->folder = text;
                   })
      ->group(group);
}

CLI::Option* add_drawn_on(CLI::App& app, CommandLine& line, const char* help) {
  return add_choice<LabelsDrawnOn>(
             app, "--labels-drawn-on",
             {{"stored", LabelsDrawnOn::stored}, {"upright", LabelsDrawnOn::upright}}, help,
             [&line](LabelsDrawnOn value) { line.labels_drawn_on = value; })
      ->group(group);
}

CLI::Option* add_keypoints(CLI::App& app, CommandLine& line) {
  return add_value(app, "--keypoints", "none|KxV",
                   "each object in YOLO labels has K keypoints of V values (2 or 3), such as 17x3; "
                   "default: kpt_shape in the data set's YAML file",
                   [&line](const std::string& text) { line.labels.keypoints = keypoints_of(text); })
      ->group(group);
}

CLI::Option* add_swap_pairs(CLI::App& app, CommandLine& line, const char* help) {
  return app.add_option("--swap-pairs", line.labels.swap_pairs, help)
      ->type_name("FILE")
      ->group(group);
}

CLI::Option* add_html(CLI::App& app, CommandLine& line, const char* help) {
  return app.add_option("--html", line.html_file, help)->type_name("FILE")->group(group);
}

}  // namespace

void add_labels(CLI::App& app, CommandLine& line) {
  add_kind(
      app, line,
      fmt::format(
          "auto (default) turns the labels that it finds in known formats; {} turns only that "
          "format, with :DIR only below DIR; {} with :FILE turns only that file; huggingface:voc "
          "turns boxes that are two corners; none turns the pictures without labels of known "
          "formats, and counts those",
          formats_of_pictures(true), formats_of_files()));
  add_masks(app, line,
            "auto turns the masks that it finds; DIR turns those below DIR; none treats masks as "
            "ordinary pictures. Default: auto, but none with --labels none");
  add_drawn_on(app, line,
               "what the labels and masks of pictures with an orientation tag were drawn on: the "
               "stored pixels, or the upright picture that a viewer shows");
  add_keypoints(app, line);
  add_swap_pairs(app, line,
                 "a text file of pairs that a mirror swaps, one per line: keypoints of YOLO and "
                 "COCO labels, counted from 0, such as 1 2, or classes of any labels, such as "
                 "left_hand: right_hand; default: flip_idx in the data set's YAML file for YOLO, "
                 "left and right in the names of keypoints for COCO");
}

void add_page(CLI::App& app, CommandLine& line) {
  add_html(
      app, line,
      "also write an HTML page of up to 50 pictures in all their variants, with the labels drawn");
}

void add_label_check(CLI::App& app, CommandLine& line) {
  auto* kind = add_kind(
      app, line,
      fmt::format(
          "also compare labels and masks with their pictures; without a value, or with auto, those "
          "that augment would find; {} checks only that format, with :DIR only below DIR; "
          "huggingface:voc checks boxes that are two corners; the other formats with :FILE check "
          "only that file",
          formats_of_pictures(false)));
  kind->type_name("[auto|FORMAT[:DIR]|FORMAT:FILE]");
  kind->check([](const std::string& text) {
    return text == "none" ? "none checks no labels; leave --labels out" : std::string();
  });
  add_masks(app, line,
            "with --labels: auto (default) checks the masks that it finds; DIR checks those below "
            "DIR; none checks none")
      ->needs(kind);
  add_drawn_on(app, line,
               "with --labels: what the labels of pictures with an orientation tag were drawn on; "
               "default: found out where the labels tell")
      ->needs(kind);
  add_keypoints(app, line)->needs(kind);
  add_html(
      app, line,
      "also write an HTML page of up to 200 pictures, those with findings first; with --labels "
      "their labels are drawn");
  add_swap_pairs(app, line, "with --against: the file that was given when INPUT was turned");
}

bool is_label_kind(const std::string& word) try {
  (void)label_options(word, {});
  return true;
} catch (const std::invalid_argument&) {
  return false;
}

MaskOptions mask_options(const CommandLine& line) {
  return line.masks.value_or(MaskOptions{.take = line.labels.take != TakeLabels::none});
}

std::vector<TypedOption> label_words(const CommandLine& line) {
  std::vector<TypedOption> words;
  const auto add = [&](const char* name, std::string value) {
    words.push_back({name, std::move(value)});
  };
  if (line.labels.take == TakeLabels::none) add("--labels", "none");
  if (line.labels.take == TakeLabels::one_format) {
    std::string value(line.labels.format->option);
    if (!line.labels.folder.empty()) value += ":" + line.labels.folder.string();
    add("--labels", std::move(value));
  }
  if (line.labels.take == TakeLabels::one_file) {
    const std::string file = line.labels.file.string();
    add("--labels",
        fmt::format("{}{}{}", line.labels.file_format->option, file.empty() ? "" : ":", file));
  }
  if (line.masks) {
    const std::string folder = line.masks->folder.string();
    add("--masks", !folder.empty() ? folder : line.masks->take ? "auto" : "none");
  }
  if (line.labels_drawn_on == LabelsDrawnOn::stored) add("--labels-drawn-on", "stored");
  if (line.labels_drawn_on == LabelsDrawnOn::upright) add("--labels-drawn-on", "upright");
  if (const auto& keypoints = line.labels.keypoints) {
    add("--keypoints",
        keypoints->count == 0 ? "none" : fmt::format("{}x{}", keypoints->count, keypoints->values));
  }
  if (!line.labels.swap_pairs.empty()) add("--swap-pairs", line.labels.swap_pairs.string());
  return words;
}

}  // namespace qturn
