#include "tools/qturn/label_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/qturn/option_values.hpp"
#include "tools/qturn/parser.hpp"

namespace qturn {
namespace {

constexpr const char* group = "Labels";

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
        fmt::format("'{}' is not one of auto, none, {}, or one of those after none with :DIR, or "
                    "one of {} with :FILE, or huggingface:voc",
                    text, fmt::join(of_pictures, ", "), fmt::join(of_files, ", ")));
  }
  if (!rest.empty()) options.folder = rest.substr(1);
  return options;
}

Keypoints keypoints_of(const std::string& text) {
  const std::optional<Keypoints> keypoints = parse_keypoints(text);
  if (!keypoints) {
    throw std::invalid_argument(
        fmt::format("'{}' is not none, or a number of keypoints and of values for each (2 or 3), "
                    "such as 17x3",
                    text));
  }
  return *keypoints;
}

CLI::Option* add_kind(CLI::App& app, CommandLine& line, const char* help) {
  return add_value(app, "--labels", "auto|none|FORMAT[:DIR]|FORMAT:FILE", help,
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
                   "how many keypoints each object in YOLO labels has, and 2 or 3 values for each; "
                   "default: as kpt_shape in the data set's YAML file",
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
      "auto (default) turns the labels that it finds in formats that it knows, and refuses others; "
      "yolo, voc, labelme, dota, supervisely, cityscapes, kitti or kitti:2d turns those alone, "
      "with :DIR those below DIR; huggingface:voc those with two corners for a box; coco, csv, "
      "cvat, huggingface, labelstudio, createml, datumaro or via with :FILE those of FILE; none "
      "turns the pictures alone, although there are labels");
  add_masks(app, line,
            "auto turns the masks that it finds; DIR turns those below DIR; none takes masks for "
            "pictures like others. Default: auto, and none with --labels none");
  add_drawn_on(app, line,
               "on what the labels and masks of pictures that have an orientation tag were drawn: "
               "the pixels as they are stored, or the upright picture that a viewer shows");
  add_keypoints(app, line);
  add_swap_pairs(app, line,
                 "a text file of what changes places in a mirror, a pair on each line: keypoints "
                 "of YOLO and COCO labels, counted from 0, such as 1 2, or classes of any labels, "
                 "such as left_hand: right_hand; default: of keypoints, flip_idx in the data set's "
                 "YAML file, left and right in the names of COCO's");
}

void add_page(CLI::App& app, CommandLine& line) {
  add_html(app, line,
           "also write a page for a browser, with all variants of up to 50 pictures and their "
           "labels drawn over them");
}

void add_label_check(CLI::App& app, CommandLine& line) {
  auto* kind = add_kind(
      app, line,
      "also compare labels and masks with their pictures: without a value, or auto, those "
      "that augment finds by itself; yolo, voc, labelme, dota, supervisely, cityscapes or kitti "
      "those alone, with :DIR those below DIR; the others with :FILE those of FILE");
  kind->type_name("[auto|FORMAT[:DIR]|FORMAT:FILE]");
  kind->check([](const std::string& text) {
    return text == "none" ? "none checks no labels; leave --labels out" : std::string();
  });
  add_masks(app, line,
            "with --labels: auto (default) checks the masks that it finds; DIR those below DIR; "
            "none checks no masks")
      ->needs(kind);
  add_drawn_on(app, line,
               "with --labels: on which pixels the labels of pictures with an orientation tag were "
               "drawn; default: it is found out where the labels tell")
      ->needs(kind);
  add_keypoints(app, line)->needs(kind);
  add_html(app, line,
           "with --labels: also write a page for a browser, with up to 200 pictures and their "
           "labels drawn over them; those with findings come first")
      ->needs(kind);
  add_swap_pairs(app, line, "with --against: the file with which INPUT was turned");
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
