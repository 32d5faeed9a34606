#include "src/formats/tiff/ome.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "src/metadata/xml_nodes.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::tiff {
namespace {

// With or without a prefix of its namespace.
constexpr std::string_view ome_space = "openmicroscopy.org/Schemas/OME";

// Nothing if it is damaged.
std::optional<std::vector<XmlNode>> nodes_of(std::string_view description) {
  try {
    return xml_nodes(description.substr(0, description.find('\0')));
  } catch (const ImageFileError&) {
    return std::nullopt;
  }
}

bool is_size(const std::vector<XmlNode>& nodes, const XmlNode& node) {
  constexpr std::array<std::string_view, 6> names = {"SizeX", "PhysicalSizeX", "PhysicalSizeXUnit",
                                                     "SizeY", "PhysicalSizeY", "PhysicalSizeYUnit"};
  return node.is_attribute && node.parent >= 0 &&
         nodes[static_cast<std::size_t>(node.parent)].name == "Pixels" &&
         std::ranges::find(names, node.name) != names.end();
}

}  // namespace

std::vector<PlacedMetadata> placed_in_ome(std::string_view description) {
  if (description.find(ome_space) == description.npos) return {};
  PlacedMetadata sizes{.name = "its sizes and axes (OME-XML)", .is_converted = true};
  const auto nodes = nodes_of(description);
  const auto any = [&](auto condition) { return std::ranges::any_of(*nodes, condition); };
  if (!nodes || !any([&](const XmlNode& node) { return is_size(*nodes, node); })) return {sizes};
  sizes.needs_axes_swap = sizes.is_turned = true;
  std::vector<PlacedMetadata> placed = {sizes};
  if (any([](const XmlNode& node) {
        return node.name == "PositionX" || node.name == "PositionY" || node.name == "StageLabel";
      }))
    placed.push_back({.name = "its stage positions (OME-XML)", .is_converted = true});
  if (any([](const XmlNode& node) { return node.name == "Union"; }))
    placed.push_back({.name = "its regions (OME-XML)", .is_converted = true});
  return placed;
}

void exchange_axes_in_ome(std::span<std::byte> description) {
  const std::string_view text = text_of(description);
  if (text.find(ome_space) == text.npos) return;
  const auto nodes = nodes_of(text);
  if (!nodes) return;
  for (const XmlNode& node : *nodes) {
    if (!is_size(*nodes, node)) continue;
    // The names change places, not the values: one may be missing.
    const std::size_t letter = node.name.find_last_of("XY");
    const auto at = static_cast<std::size_t>(node.name.data() - text.data()) + letter;
    description[at] = static_cast<std::byte>(node.name[letter] == 'X' ? 'Y' : 'X');
  }
}

}  // namespace qturn::tiff
