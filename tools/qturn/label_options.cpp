#include "tools/qturn/label_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace qturn {
namespace {

LabelOptions label_options(const std::string& text, const LabelOptions& before) {
  LabelOptions options = before;
  options.folder.clear();
  if (text == "auto") {
    options.take = TakeLabels::found;
  } else if (text == "none") {
    options.take = TakeLabels::none;
  } else if (text == "yolo" || (text.starts_with("yolo:") && text.size() > 5)) {
    options.take = TakeLabels::yolo;
    options.folder = text.substr(std::min<std::size_t>(text.size(), 5));
  } else {
    throw CLI::ValidationError("--labels",
                               fmt::format("'{}' is not one of auto, none, yolo, yolo:DIR", text));
  }
  return options;
}

Keypoints keypoints_of(const std::string& text) {
  if (text == "none") return {};
  Keypoints keypoints;
  const char* end = text.data() + text.size();
  const auto count = std::from_chars(text.data(), end, keypoints.count);
  const bool is_shape = count.ec == std::errc() && end - count.ptr == 2 && *count.ptr == 'x' &&
                        keypoints.count > 0 && keypoints.count <= 10'000;
  keypoints.values = is_shape ? count.ptr[1] - '0' : 0;
  if (keypoints.values != 2 && keypoints.values != 3) {
    throw CLI::ValidationError(
        "--keypoints",
        fmt::format("'{}' is not none, or a number of keypoints and of values for each (2 or 3), "
                    "such as 17x3",
                    text));
  }
  return keypoints;
}

}  // namespace

void add_labels(CLI::App& app, CommandLine& line) {
  const std::string group = "Labels";
  app.add_option_function<std::string>(
         "--labels",
         [&line](const std::string& text) { line.labels = label_options(text, line.labels); },
         "auto (default) turns the YOLO labels that it finds and refuses others; yolo turns those "
         "alone, yolo:DIR those below DIR; none turns the pictures alone, although there are "
         "labels or masks")
      ->type_name("auto|none|yolo[:DIR]")
      ->group(group);
  app.add_option_function<LabelsDrawnOn>(
         "--labels-drawn-on", [&line](LabelsDrawnOn value) { line.labels_drawn_on = value; },
         "of pictures that have an orientation tag: whether their labels were drawn on the pixels "
         "as they are stored, or on the upright picture that a viewer shows")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, LabelsDrawnOn>{{"stored", LabelsDrawnOn::stored},
                                                           {"upright", LabelsDrawnOn::upright}})
                      .description(""))
      ->type_name("stored|upright")
      ->group(group);
  app.add_option_function<std::string>(
         "--keypoints",
         [&line](const std::string& text) { line.labels.keypoints = keypoints_of(text); },
         "of each object in YOLO labels: their number and 2 or 3 values for each; default: as "
         "kpt_shape in the data set's YAML file")
      ->type_name("none|KxV")
      ->group(group);
}

std::string label_words(const CommandLine& line) {
  std::string words;
  if (line.labels.take == TakeLabels::none) words += " --labels none";
  if (line.labels.take == TakeLabels::yolo) {
    words += " --labels yolo";
    if (!line.labels.folder.empty()) words += ":" + line.labels.folder.string();
  }
  if (line.labels_drawn_on == LabelsDrawnOn::stored) words += " --labels-drawn-on stored";
  if (line.labels_drawn_on == LabelsDrawnOn::upright) words += " --labels-drawn-on upright";
  if (const auto& keypoints = line.labels.keypoints)
    words += fmt::format(" --keypoints {}x{}", keypoints->count, keypoints->values);
  return words;
}

}  // namespace qturn
