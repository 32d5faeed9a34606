#include "src/check/label_layers.hpp"

#include <memory>
#include <utility>

#include "src/labels/many/coco_check.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shapes = 1000;  // of a file of many pictures, for one of them

using Layers = std::map<std::size_t, std::vector<LabelLayer>>;

LabelLayer layer_for(const LabelCheck& check, std::size_t picture, const LabelContent& content) {
  const LabelCheck::Seen& seen = check.seen(picture);
  const Size upright = turned_size(seen.tag, seen.stored);
  LabelsDrawnOn drawn_on = check.drawn_on();
  const bool fits_stored =
      frame_that_fits(content, seen.stored, upright).frame == FittingFrame::stored;
  if (drawn_on == LabelsDrawnOn::unknown && fits_stored) drawn_on = LabelsDrawnOn::stored;
  if (drawn_on == LabelsDrawnOn::stored) return {.size = seen.stored, .to_upright = seen.tag};
  return {.size = upright};
}

void add_own(const LabelCheck& check, std::size_t picture, std::vector<LabelLayer>& layers) {
  const LabelSources& sources = check.sources();
  const LabelFiles::Label* label = sources.labels.of(picture);
  if (!label) return;
  const LabelFiles::Place& place = sources.labels.place_of(*label);
  try {
    LabelContent content =
        place.format->read(read_companion(sources.labels.path(*label)).text, place.keypoints);
    name_classes(content, place.classes, [](const LabelProblem&) {});
    LabelLayer layer = layer_for(check, picture, content);
    layer.shapes = in_pixels(content, layer.size);
    layers.push_back(std::move(layer));
  } catch (const std::exception& error) {
    layers.push_back({.problem = error.what()});
  }
}

void add_masks(const LabelCheck& check, std::size_t picture, std::vector<LabelLayer>& layers) {
  for (const LabelFiles::Label& mask : check.sources().masks.all_of(picture)) {
    const fs::path path = check.sources().masks.path(mask);
    try {
      LabelLayer layer = layer_for(check, picture, {.said = check.header_of(path).size()});
      layer.mask = path;
      layers.push_back(std::move(layer));
    } catch (const std::exception& error) {
      layers.push_back({.problem = error.what()});
    }
  }
}

/// Draws a label file of many pictures.
class SharedLayers {
 public:
  SharedLayers(const LabelCheck& check, SharedLabels::File file, const SharedLabelPictures& matches,
               Layers& layers)
      : check_(check), file_(std::move(file)), matches_(matches), layers_(layers) {}

  void add() {
    try {
      file_.format->shapes ? read_parts() : read_coco();
    } catch (const std::exception&) {
      // Damage is a finding already; or the file has vanished since. What was read before is drawn.
    }
    for (auto& [picture, layer] : found_) layers_[picture].push_back(std::move(layer));
  }

 private:
  template <typename Reader>
  void read(Reader& reader) const {
    read_text_in_parts(file_.input, [&](std::string_view part) { reader.take(part); });
  }

  void read_coco() {
    CocoImagesReader images([](const LabelProblem&) {});
    read(images);
    auto kept = std::make_unique<CocoContent>(images.finish());
    const CocoContent& content = *kept;
    file_.content = std::move(kept);
    matches_.find_those_of(file_);
    const auto categories = images.categories();
    if (file_.found == 0) return;
    CocoAnnotationsReader annotations(
        content, categories,
        [&](std::optional<std::size_t> image, std::vector<LabelShape> shapes,
            const std::vector<LabelProblem>&) {
          if (image) add_shapes(*image, {.shapes = std::move(shapes)});
        });
    read(annotations);
    annotations.finish();
  }

  void read_parts() {
    const auto reader = file_.format->reader({});
    read(*reader);
    file_.content = reader->finish();
    matches_.find_those_of(file_);
    if (file_.found == 0) return;
    const auto shapes = file_.format->shapes(
        *file_.content,
        [&](std::size_t image, const LabelContent& content) { add_shapes(image, content); });
    read(*shapes);
    shapes->finish();
  }

  void add_shapes(std::size_t image, const LabelContent& content) {
    const auto picture = file_.pictures[image];
    if (!picture || !layers_.contains(*picture)) return;
    const auto [at, is_new] = found_.try_emplace(*picture);
    LabelLayer& layer = at->second;
    if (is_new) layer = layer_for(check_, *picture, {.said = (*file_.content)[image].size});
    if (layer.shapes.size() >= most_shapes) return;
    for (LabelShape& shape : in_pixels(content, layer.size))
      layer.shapes.push_back(std::move(shape));
  }

  const LabelCheck& check_;
  SharedLabels::File file_;
  const SharedLabelPictures& matches_;
  Layers& layers_;
  std::map<std::size_t, LabelLayer> found_;
};

}  // namespace

Layers label_layers(const LabelCheck& check, const std::set<std::size_t>& pictures) {
  Layers layers;
  for (const std::size_t picture : pictures) {
    add_masks(check, picture, layers[picture]);
    add_own(check, picture, layers[picture]);
  }
  const SharedLabelPictures matches(check.sources().files, check.sources().shared);
  for (const auto& [path, format] : check.sources().shared)
    SharedLayers(check, {.input = path, .output = {}, .format = format}, matches, layers).add();
  return layers;
}

}  // namespace qturn
