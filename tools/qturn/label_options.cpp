#include "tools/qturn/label_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

namespace qturn {
namespace {

LabelOptions label_options(const std::string& text, const LabelOptions& before) {
  LabelOptions options = before;
  options.folder.clear();
  options.format = nullptr;
  options.take = text == "none" ? TakeLabels::none : TakeLabels::found;
  if (text == "auto" || text == "none") return options;
  options.take = TakeLabels::one_format;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto* found = std::ranges::find(label_formats, text.substr(0, colon), &LabelFormat::option);
  if (found == std::end(label_formats) || colon + 1 == text.size()) {
    throw CLI::ValidationError(
        "--labels",
        fmt::format("'{}' is not one of auto, none, yolo, yolo:DIR, voc, voc:DIR", text));
  }
  options.format = found;
  if (colon < text.size()) options.folder = text.substr(colon + 1);
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
         "auto (default) turns the YOLO and Pascal VOC labels that it finds and refuses others; "
         "yolo or voc turns those alone, with :DIR those below DIR; none turns the pictures alone, "
         "although there are labels or masks")
      ->type_name("auto|none|yolo[:DIR]|voc[:DIR]")
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
  if (line.labels.take == TakeLabels::one_format) {
    words += fmt::format(" --labels {}", line.labels.format->option);
    if (!line.labels.folder.empty()) words += ":" + line.labels.folder.string();
  }
  if (line.labels_drawn_on == LabelsDrawnOn::stored) words += " --labels-drawn-on stored";
  if (line.labels_drawn_on == LabelsDrawnOn::upright) words += " --labels-drawn-on upright";
  if (const auto& keypoints = line.labels.keypoints)
    words += fmt::format(" --keypoints {}x{}", keypoints->count, keypoints->values);
  return words;
}

}  // namespace qturn
