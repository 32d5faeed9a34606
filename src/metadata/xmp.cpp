#include "src/metadata/xmp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "src/metadata/exif.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/metadata/xmp_regions.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

constexpr std::string_view rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
                           tiff = "http://ns.adobe.com/tiff/1.0/",
                           exif = "http://ns.adobe.com/exif/1.0/",
                           note = "http://ns.adobe.com/xmp/note/",
                           terms = "http://purl.org/dc/terms/",
                           panorama = "http://ns.google.com/photos/1.0/panorama/",
                           iptc = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
                           container_item = "http://ns.google.com/photos/1.0/container/item/";

// A property of the packet itself. Those of other pictures (its source, its history) are nested
// deeper.
bool is_property(const std::vector<XmlNode>& nodes, const XmlNode& node) {
  if (node.parent < 0) return false;
  const XmlNode& description = nodes[static_cast<std::size_t>(node.parent)];
  return description.is(rdf, "Description") && description.parent >= 0 &&
         nodes[static_cast<std::size_t>(description.parent)].is(rdf, "RDF");
}

const XmlNode* find_property(const std::vector<XmlNode>& nodes, std::string_view space,
                             std::string_view name) {
  for (const XmlNode& node : nodes) {
    if (node.is(space, name) && is_property(nodes, node)) return &node;
  }
  return nullptr;
}

std::vector<XmlNode> list_below(const std::vector<XmlNode>& nodes, const XmlNode& property) {
  const int top = static_cast<int>(&property - nodes.data());
  std::vector<XmlNode> items;
  for (const XmlNode& node : nodes) {
    if (node.is(rdf, "li") && is_below(nodes, node, top)) items.push_back(node);
  }
  return items;
}

// As in Exif: a point, a circle or a rectangle around its centre, in the pixels as stored.
void move_subject(const std::vector<XmlNode>& nodes, std::string_view name,
                  const MetadataTurn& turn, XmpEdits& edits, std::vector<std::string>& warnings) {
  const XmlNode* property = find_property(nodes, exif, name);
  if (!property) return;
  const std::vector<XmlNode> items = list_below(nodes, *property);
  const Size whole_size = turn.whole_size();
  std::array<std::int64_t, 2> point{};
  bool whole = items.size() >= 2 && items.size() <= 4;
  for (std::size_t i = 0; whole && i < 2; ++i) {
    const std::string_view text = items[i].value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), point[i]);
    whole = error == std::errc() && end == text.data() + text.size() && point[i] >= 0;
  }
  if (!whole || point[0] >= whole_size.width || point[1] >= whole_size.height) {
    warnings.push_back(fmt::format("the {} of its XMP is damaged and stays as it was", name));
    return;
  }
  const Position before{point[0], point[1]}, moved = turn.moved(before);
  if (turn.trims(before)) {
    warnings.push_back(fmt::format(
        "the {} of its XMP lay in the edge that was trimmed, and now lies beside it", name));
  }
  edits.replace(items[0], std::to_string(moved.x));
  edits.replace(items[1], std::to_string(moved.y));
  if (items.size() == 4 && swaps_axes(turn.pixels)) edits.exchange(items[2], items[3]);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What the nodes of one parent say.
struct ListedItem {
  const XmlNode* length = nullptr;
  ContainerItem says = {};
};

std::vector<ListedItem> listed_items(const std::vector<XmlNode>& nodes) {
  std::vector<ListedItem> items;
  std::unordered_map<int, std::size_t> places;  // of the items, by their parents
  for (const XmlNode& node : nodes) {
    if (node.space != container_item) continue;
    const auto [place, is_new] = places.try_emplace(node.parent, items.size());
    if (is_new) items.emplace_back();
    ListedItem* item = &items[place->second];
    if (node.name == "Mime") item->says.mime = node.value;
    if (node.name == "Semantic") item->says.semantic = node.value;
    if (node.name == "Padding") item->says.padding = number(node.value);
    if (node.name == "Length") {
      item->says.length = number(node.value);
      item->length = &node;
    }
  }
  return items;
}

}  // namespace

std::string turn_xmp(std::string_view packet, const MetadataTurn& turn,
                     std::vector<std::string>& warnings) {
  std::vector<XmlNode> nodes;
  try {
    nodes = xml_nodes(packet);
  } catch (const ImageFileError& error) {
    warnings.push_back(fmt::format("its XMP stays as it was: {}", error.what()));
    return std::string(packet);
  }
  XmpEdits edits(packet);
  const std::string tag = std::to_string(static_cast<int>(turn.tag));
  const std::string width = std::to_string(turn.size.width);
  const std::string height = std::to_string(turn.size.height);
  for (const XmlNode& node : nodes) {
    if (!is_property(nodes, node)) continue;
    if (node.is(tiff, "Orientation") || node.is(exif, "Orientation")) edits.replace(node, tag);
    if (turn.pixels == Orientation::identity) continue;
    if (node.is(tiff, "ImageWidth") || node.is(exif, "PixelXDimension")) edits.replace(node, width);
    if (node.is(tiff, "ImageLength") || node.is(exif, "PixelYDimension")) {
      edits.replace(node, height);
    }
  }
  if (turn.pixels != Orientation::identity) {
    const XmlNode *x = find_property(nodes, tiff, "XResolution"),
                  *y = find_property(nodes, tiff, "YResolution");
    if (x && y && swaps_axes(turn.pixels)) edits.exchange(*x, *y);
    move_subject(nodes, "SubjectArea", turn, edits, warnings);
    move_subject(nodes, "SubjectLocation", turn, edits, warnings);
  }
  move_regions(nodes, turn, edits, warnings);
  return edits.apply();
}

XmpSays read_xmp(std::string_view packet) {
  const std::vector<XmlNode> nodes = xml_nodes(packet);
  const auto text = [&](std::string_view space, std::string_view name) {
    const XmlNode* node = find_property(nodes, space, name);
    return node ? std::optional<std::string>(node->value) : std::nullopt;
  };
  XmpSays says{.orientation = text(tiff, "Orientation"),
               .width = text(tiff, "ImageWidth"),
               .height = text(tiff, "ImageLength"),
               .extended = text(note, "HasExtendedXMP").value_or(""),
               .has_unknown_regions = has_unknown_regions(nodes)};
  // Not XMP's name for it, but programs write it.
  if (!says.orientation) says.orientation = text(exif, "Orientation");
  if (!says.width) says.width = text(exif, "PixelXDimension");
  if (!says.height) says.height = text(exif, "PixelYDimension");
  return says;
}

void add_placed_in_xmp(std::string_view packet, Header& header) {
  // Most packets say none of it, and are not read.
  if (packet.find(panorama) == packet.npos && packet.find("ImageRegion") == packet.npos &&
      packet.find("provenance") == packet.npos)
    return;
  std::vector<XmlNode> nodes;
  try {
    nodes = xml_nodes(packet);
  } catch (const ImageFileError&) {
    return;
  }
  const auto add = [&](PlacedMetadata placed, auto condition) {
    if (std::ranges::any_of(nodes, condition)) add_placed(std::move(placed), header);
  };
  add({.name = "its projection (GPano)", .is_converted = true},
      [](const XmlNode& node) { return node.space == panorama; });
  add({.name = "its image regions (IPTC)", .is_converted = true},
      [](const XmlNode& node) { return node.is(iptc, "ImageRegion"); });
  add(signed_manifest(), [&](const XmlNode& node) {
    return node.is(terms, "provenance") && is_property(nodes, node);
  });
}

void warn_of_placed_in_xmp(std::string_view packet, const MetadataTurn& turn,
                           std::vector<std::string>& warnings) {
  if (turn.pixels == Orientation::identity) return;
  Header says;
  add_placed_in_xmp(packet, says);
  for (const PlacedMetadata& each : says.placed)
    warnings.push_back(fmt::format("no longer true after the turn: {} beside it", each.name));
}

std::optional<Orientation> orientation_of_xmp(std::string_view packet) {
  if (packet.find("Orientation") == packet.npos) return std::nullopt;
  try {
    return orientation_of_tag(number(read_xmp(packet).orientation.value_or("0")));
  } catch (const ImageFileError&) {
    return std::nullopt;
  }
}

std::string without_numbers(std::string_view packet) {
  std::string rest;
  for (const char c : packet)
    if (std::string_view("0123456789.+-eE \t\r\n").find(c) == std::string_view::npos) rest += c;
  return rest;
}

void warn_of_other_orientation(std::string_view packet, Orientation stored,
                               std::vector<std::string>& warnings) {
  // Many programs leave a 1 there.
  const auto says = orientation_of_xmp(packet);
  if (!says || *says == Orientation::identity || *says == stored) return;
  warnings.push_back(fmt::format(
      "its XMP says orientation {}, the picture's is {}, which counts; if XMP is right, "
      "use exiftool '-Orientation<XMP-tiff:Orientation' first",
      static_cast<int>(*says), static_cast<int>(stored)));
}

bool has_container(std::string_view packet) { return packet.find(container_item) != packet.npos; }

std::vector<ContainerItem> container_items(std::string_view packet) {
  std::vector<ContainerItem> items;
  for (ListedItem& item : listed_items(xml_nodes(packet))) items.push_back(std::move(item.says));
  return items;
}

std::string with_container_lengths(std::string_view packet,
                                   const std::vector<std::uint64_t>& lengths) {
  const std::vector<XmlNode> nodes = xml_nodes(packet);
  const std::vector<ListedItem> items = listed_items(nodes);
  XmpEdits edits(packet);
  for (std::size_t i = 0; i < std::min(items.size(), lengths.size()); ++i) {
    if (items[i].length) edits.replace(*items[i].length, std::to_string(lengths[i]));
  }
  return edits.apply();
}

std::string with_extended_name(std::string_view packet, std::string_view name) {
  const std::vector<XmlNode> nodes = xml_nodes(packet);
  XmpEdits edits(packet);
  if (const XmlNode* node = find_property(nodes, note, "HasExtendedXMP")) {
    edits.replace(*node, std::string(name));
  }
  return edits.apply();
}

void XmpEdits::replace(const XmlNode& node, std::string value) {
  if (node.value == value || node.value_at == 0) return;
  edits_.push_back({node.value_at, node.value.size(), std::move(value)});
}

void XmpEdits::exchange(const XmlNode& a, const XmlNode& b) {
  replace(a, std::string(b.value));
  replace(b, std::string(a.value));
}

std::string XmpEdits::apply() {
  std::string edited = qturn::edited(packet_, edits_);
  const std::size_t end = edited.rfind("<?xpacket end");
  if (end == std::string::npos) return edited;
  if (edited.size() < packet_.size()) {
    edited.insert(end, packet_.size() - edited.size(), ' ');
  } else {
    const std::size_t last = std::string_view(edited).substr(0, end).find_last_not_of(" \t\r\n");
    const std::size_t padding = last == std::string::npos ? 0 : end - last - 1;
    const std::size_t less = std::min(padding, edited.size() - packet_.size());
    edited.erase(end - less, less);
  }
  return edited;
}

bool is_below(const std::vector<XmlNode>& nodes, const XmlNode& node, int top) {
  for (int at = node.parent; at >= 0; at = nodes[static_cast<std::size_t>(at)].parent) {
    if (at == top) return true;
  }
  return false;
}

}  // namespace qturn
