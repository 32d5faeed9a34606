#include "src/check/label_layers.hpp"

#include <utility>

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
  const CompanionFiles::File* label = sources.labels.of(picture);
  if (!label) return;
  const CompanionFiles::Place& place = sources.labels.place_of(*label);
  try {
    LabelContent content = place.rule->format->read(
        read_companion(sources.labels.path(*label)).text, place.rule->keypoints);
    name_classes(content, place.classes, [](const LabelProblem&) {});
    LabelLayer layer = layer_for(check, picture, content);
    layer.shapes = in_pixels(content, layer.size);
    layers.push_back(std::move(layer));
  } catch (const std::exception& error) {
    layers.push_back({.problem = error.what()});
  }
}

void add_masks(const LabelCheck& check, std::size_t picture, std::vector<LabelLayer>& layers) {
  for (const CompanionFiles::File& mask : check.sources().masks.all_of(picture)) {
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
void add_shared(const LabelCheck& check, SharedLabels::File file,
                const SharedLabelPictures& matches, Layers& layers) {
  std::map<std::size_t, LabelLayer> found;
  const auto add = [&](std::optional<std::size_t> image, const LabelContent& content) {
    const auto picture = image ? file.pictures[*image] : std::nullopt;
    if (!picture || !layers.contains(*picture)) return;
    const auto [at, is_new] = found.try_emplace(*picture);
    LabelLayer& layer = at->second;
    if (is_new) layer = layer_for(check, *picture, {.said = (*file.content)[*image].size});
    if (layer.shapes.size() >= most_shapes) return;
    for (LabelShape& shape : in_pixels(content, layer.size))
      layer.shapes.push_back(std::move(shape));
  };
  try {
    const auto is_of_any = [&](const std::vector<LabelProblem>&) { return file.found > 0; };
    read_shared_shapes(file, matches, is_of_any, add);
  } catch (const std::exception&) {
    // Damage is a finding already; or the file has vanished since. What was read before is drawn.
  }
  for (auto& [picture, layer] : found) layers[picture].push_back(std::move(layer));
}

}  // namespace

Layers label_layers(const LabelCheck& check, const std::set<std::size_t>& pictures) {
  Layers layers;
  for (const std::size_t picture : pictures) {
    add_masks(check, picture, layers[picture]);
    add_own(check, picture, layers[picture]);
  }
  const SharedLabelPictures matches(check.sources().files, check.sources().shared);
  for (const auto& [path, format] : check.sources().shared)
    add_shared(check, {.input = path, .output = {}, .format = format}, matches, layers);
  return layers;
}

}  // namespace qturn
