#include "src/metadata/xmp.hpp"
#include "src/metadata/metadata_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/picture/base64.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

// Face regions in XMP: the Metadata Working Group's (mwg-rs), ACDSee's and Microsoft's (MP).
//
// All use fractions of the picture's sides, from its upper left corner. MP gives the corner of a
// region, the others its centre. Programs draw them on the pixels as they are stored, whatever the
// orientation says. Some programs draw them on the upright picture instead. If the tag swaps the
// axes, all but MP show that: their AppliedToDimensions are then the upright picture's, and the
// regions are moved with the view instead of the pixels.
//
// If an edge was trimmed, the rest is a smaller picture: places are other fractions of its sides,
// and AppliedToDimensions is the new size. A region that reaches into the trimmed edge now reaches
// out of the picture, and its numbers say so.

constexpr std::string_view microsoft_space = "http://ns.microsoft.com/photo/1.2/t/Region#",
                           face_space = "http://ns.apple.com/faceinfo/1.0/";

// An address that programs write in two ways. XMP was once called XAP, and Adobe's own addresses
// say both.
struct Space {
  std::string_view address, other = {};

  bool holds(const XmlNode& node) const {
    return !node.space.empty() && (node.space == address || node.space == other);
  }
};

// Regions around their centres, and the sides of the picture that they were drawn on.
struct Schema {
  std::string_view regions;
  Space area, dimensions;
};
constexpr Schema working_group = {
    "http://www.metadataworkinggroup.com/schemas/regions/",
    {"http://ns.adobe.com/xmp/sType/Area#", "http://ns.adobe.com/xap/1.0/sType/Area#"},
    {"http://ns.adobe.com/xap/1.0/sType/Dimensions#", "http://ns.adobe.com/xmp/sType/Dimensions#"}};
constexpr Schema acdsee = {"http://ns.acdsee.com/regions/",
                           {"http://ns.acdsee.com/sType/Area#"},
                           {"http://ns.acdsee.com/sType/Dimensions#"}};

// A decimal fraction that keeps its number of digits, so that four quarter turns restore the text.
struct Decimal {
  double value = 0;
  int digits = 0;

  std::string text() const {
    std::string text = fmt::format("{:.{}f}", value, digits);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.front() == '-' ? text.substr(1) : text;
  }
  Decimal from_the_other_side(double side) const { return {side - value, digits}; }
};

std::optional<Decimal> decimal(std::string_view text) {
  Decimal number;
  constexpr int max_digits = 17;
  const char* end = text.data() + text.size();
  const auto [read, error] =
      std::from_chars(text.data(), end, number.value, std::chars_format::fixed);
  if (error != std::errc() || read != end || !std::isfinite(number.value)) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) number.digits = static_cast<int>(text.size() - point - 1);
  number.digits = std::min(number.digits, max_digits);
  return number;
}

// What is left of a side of the picture that regions are drawn on, as fractions of the side.
struct Kept {
  double from = 0, length = 1;
};

// The picture that regions are drawn on.
struct Drawing {
  Orientation orientation = Orientation::identity;  // what was done to it
  Kept width, height;

  bool moves() const { return orientation != Orientation::identity || is_trimmed(); }
  bool is_trimmed() const { return width.length != 1 || height.length != 1; }
};

Drawing drawing_of(const MetadataTurn& turn, bool is_upright) {
  const Size whole = turn.whole_size(), left = turn.old_size();
  const auto kept = [](std::int64_t part, std::int64_t side) {
    return Kept{0, part == side ? 1 : static_cast<double>(part) / static_cast<double>(side)};
  };
  Kept width = kept(left.width, whole.width), height = kept(left.height, whole.height);
  if (!is_upright) return {turn.pixels, width, height};
  const Reading r = reading(turn.stored);
  if (r.from_right) width.from = 1 - width.length;
  if (r.from_bottom) height.from = 1 - height.length;
  return r.swap_axes ? Drawing{turn.view(), height, width} : Drawing{turn.view(), width, height};
}

// Numbers along a side, before and after an edge was trimmed.
struct Axis {
  double from = 0;   // where the rest begins, in the old numbers
  double scale = 1;  // a length in the new numbers, by the old
  double side = 1;   // the side of the rest, in the new numbers

  Decimal length(const Decimal& old) const {
    constexpr int digits_of_a_pixel = 6;  // sides are below 65536
    if (scale == 1) return old;
    return {old.value * scale, std::max(old.digits, digits_of_a_pixel)};
  }
  Decimal place(const Decimal& old) const { return length({old.value - from, old.digits}); }

  bool holds(double begin, double end) const {
    const double rounding = 1e-9 * side;
    return begin >= -rounding && end <= side + rounding;
  }
};

Axis in_fractions(const Kept& kept) { return {kept.from, 1 / kept.length, 1}; }
Axis in_pixels(const Kept& kept, double side) { return {kept.from * side, 1, kept.length * side}; }

struct Point {
  Decimal x, y;
};

// Where a point of a picture with these sides is shown once it is turned. Between pixels, so
// without the 1 that positions of pixels need.
Point moved(Orientation orientation, const Point& point, const Axis& x, const Axis& y) {
  const Reading r = reading(orientation);
  const Point old{x.place(point.x), y.place(point.y)};
  const Decimal u = r.from_right ? old.x.from_the_other_side(x.side) : old.x;
  const Decimal v = r.from_bottom ? old.y.from_the_other_side(y.side) : old.y;
  return r.swap_axes ? Point{v, u} : Point{u, v};
}

// The nodes that describe one thing: attributes of an element, or elements inside it.
using Members = std::map<std::string_view, const XmlNode*>;

std::map<int, Members> grouped(const std::vector<XmlNode>& nodes, const Space& space) {
  std::map<int, Members> groups;
  for (const XmlNode& node : nodes) {
    if (space.holds(node)) groups[node.parent].emplace(node.name, &node);
  }
  return groups;
}

const XmlNode* member(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : found->second;
}

// "0.25, 0.25, 0.5, 0.5": left, top, width, height, as texts without blanks.
std::optional<std::array<std::string_view, 4>> rectangle_parts(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    std::string_view part = text.substr(0, comma);
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::nullopt;
    parts[i] = part.substr(first, part.find_last_not_of(" \t\r\n") - first + 1);
    text = i + 1 < parts.size() ? text.substr(comma + 1) : std::string_view();
  }
  return parts;
}

// What happened to the regions of a packet.
struct Findings {
  bool damaged = false, cut = false, round = false;
};

// The other corners of the rectangle are `width` and `height` away. The result is the corner that
// is now the upper left one. Its distance from the far side gets as many digits as the more exact
// of the two.
std::optional<std::string> moved_rectangle(const Drawing& drawing, std::string_view text,
                                           Findings& findings) {
  const auto parts = rectangle_parts(text);
  if (!parts) return std::nullopt;
  std::array<Decimal, 4> numbers;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const auto number = decimal((*parts)[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const auto side = [&](std::size_t i, const Kept& kept, bool from_far) {
    const Axis axis = in_fractions(kept);
    const Decimal corner = axis.place(numbers[i]), length = axis.length(numbers[i + 2]);
    const Decimal far{1 - corner.value - length.value, std::max(corner.digits, length.digits)};
    findings.cut |= drawing.is_trimmed() && !axis.holds(corner.value, corner.value + length.value);
    const auto near_text = [&](const Decimal& number, std::size_t part) {
      return axis.scale == 1 ? std::string((*parts)[part]) : number.text();
    };
    return std::pair(from_far ? far.text() : near_text(corner, i), near_text(length, i + 2));
  };
  const Reading r = reading(drawing.orientation);
  const auto [u, width] = side(0, drawing.width, r.from_right);
  const auto [v, height] = side(1, drawing.height, r.from_bottom);
  return r.swap_axes ? fmt::format("{}, {}, {}, {}", v, u, height, width)
                     : fmt::format("{}, {}, {}, {}", u, v, width, height);
}

// Two lengths, scaled by trimming and exchanged by a quarter turn.
void replace_lengths(const Drawing& drawing, const XmlNode& w, const XmlNode& h,
                     const std::string& width, const std::string& height, XmpEdits& edits) {
  const bool swap = swaps_axes(drawing.orientation);
  edits.replace(w, swap ? height : width);
  edits.replace(h, swap ? width : height);
}

// `width` and `height` are AppliedToDimensions, 0 if there are none.
void move_area(const Members& members, const Drawing& drawing, double width, double height,
               XmpEdits& edits, Findings& findings) {
  const XmlNode *x = member(members, "x"), *y = member(members, "y"), *w = member(members, "w"),
                *h = member(members, "h"), *unit = member(members, "unit");
  const auto says = [](const XmlNode* node) { return node ? decimal(node->value) : std::nullopt; };
  const auto x_says = says(x), y_says = says(y), w_says = says(w), h_says = says(h);
  const bool has_pixels = unit && unit->value == "pixel";
  const bool scales = drawing.is_trimmed() && !has_pixels;
  if (!x_says || !y_says || (unit && !has_pixels && unit->value != "normalized") ||
      (has_pixels && (width == 0 || height == 0)) || (scales && w && h && !(w_says && h_says))) {
    findings.damaged = true;
    return;
  }
  const Axis x_axis = has_pixels ? in_pixels(drawing.width, width) : in_fractions(drawing.width);
  const Axis y_axis = has_pixels ? in_pixels(drawing.height, height) : in_fractions(drawing.height);
  const Point now = moved(drawing.orientation, {*x_says, *y_says}, x_axis, y_axis);
  edits.replace(*x, now.x.text());
  edits.replace(*y, now.y.text());
  if (w && h) {
    const auto text = [](const XmlNode& node, const Axis& axis, const auto& number) {
      return axis.scale == 1 ? std::string(node.value) : axis.length(*number).text();
    };
    replace_lengths(drawing, *w, *h, text(*w, x_axis, w_says), text(*h, y_axis, h_says), edits);
  }
  if (!drawing.is_trimmed()) return;
  findings.round |= scales && member(members, "d");
  const auto is_cut = [](const Axis& axis, const Decimal& centre, const auto& length) {
    const double place = axis.place(centre).value;
    const double half = length ? axis.length(*length).value / 2 : 0;
    return !axis.holds(place - half, place + half);
  };
  findings.cut |= is_cut(x_axis, *x_says, w_says) || is_cut(y_axis, *y_says, h_says);
}

// Moves the areas of one schema. Returns what was done to the picture that they were drawn on.
Drawing move_areas(const std::vector<XmlNode>& nodes, const Schema& schema,
                   const MetadataTurn& turn, XmpEdits& edits, Findings& findings) {
  Drawing drawing = drawing_of(turn, false);
  double width = 0, height = 0;
  for (const auto& [parent, members] : grouped(nodes, schema.dimensions)) {
    if (parent < 0) continue;
    const XmlNode& owner = nodes[static_cast<std::size_t>(parent)];
    const bool of_regions = owner.is(schema.regions, "AppliedToDimensions") ||
                            (owner.parent >= 0 && nodes[static_cast<std::size_t>(owner.parent)].is(
                                                      schema.regions, "AppliedToDimensions"));
    const XmlNode *w = member(members, "w"), *h = member(members, "h");
    const auto w_says = w ? decimal(w->value) : std::nullopt;
    const auto h_says = h ? decimal(h->value) : std::nullopt;
    if (!of_regions || !w_says || !h_says) continue;
    width = w_says->value;
    height = h_says->value;
    const Size drawn_on = width > height ? Size{2, 1} : width < height ? Size{1, 2} : Size{1, 1};
    drawing = drawing_of(turn, turn.is_upright_shape(drawn_on));
    const auto left = [](const XmlNode& node, const Decimal& side, const Kept& kept) {
      return kept.length == 1 ? std::string(node.value)
                              : Decimal{side.value * kept.length, side.digits}.text();
    };
    replace_lengths(drawing, *w, *h, left(*w, *w_says, drawing.width),
                    left(*h, *h_says, drawing.height), edits);
  }
  if (drawing.moves())
    for (const auto& [parent, members] : grouped(nodes, schema.area))
      move_area(members, drawing, width, height, edits, findings);
  return drawing;
}

// Whether there are regions of the Metadata Working Group whose places nobody can read.
bool has_unknown_regions(const std::vector<XmlNode>& nodes) {
  std::set<int> known;  // the elements that say a place, and the elements around them
  for (const XmlNode& node : nodes) {
    if (!working_group.area.holds(node) || node.parent < 0) continue;
    known.insert(node.parent);
    known.insert(nodes[static_cast<std::size_t>(node.parent)].parent);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].is(working_group.regions, "Area") && !known.contains(static_cast<int>(i)))
      return true;
  return false;
}

// Apple's angles of a face, in degrees from 0 to 359. The roll counts clockwise: that of an upright
// face is 270 where the tag says rotate90. A mirror also turns the face to the other side.
void turn_face(const XmlNode& node, Orientation orientation, XmpEdits& edits, Findings& findings) {
  const bool is_roll = node.name == "AngleInfoRoll";
  constexpr double full_turn = 360;
  if (!is_roll && node.name != "AngleInfoYaw") return;
  const auto angle = decimal(node.value);
  if (!angle || std::abs(angle->value) > full_turn) {
    findings.damaged = true;
    return;
  }
  // The roll of an upright face afterwards, and whether it is mirrored: for 1 to 8.
  struct Turned {
    double roll;
    bool is_mirrored;
  };
  constexpr std::array<Turned, 8> all = {{{0, false},
                                          {0, true},
                                          {180, false},
                                          {180, true},
                                          {270, true},
                                          {90, false},
                                          {90, true},
                                          {270, false}}};
  const Turned& upright = all[static_cast<std::size_t>(orientation) - 1];
  const double turned = (is_roll ? upright.roll : 0) +
                        (upright.is_mirrored ? full_turn - angle->value : angle->value);
  edits.replace(node, Decimal{std::fmod(turned + full_turn, full_turn), angle->digits}.text());
}

void move_regions(const std::vector<XmlNode>& nodes, const MetadataTurn& turn, XmpEdits& edits,
                  std::vector<std::string>& warnings) {
  Findings findings;
  move_areas(nodes, acdsee, turn, edits, findings);
  const Drawing drawing = move_areas(nodes, working_group, turn, edits, findings);
  findings.damaged |= drawing.moves() && has_unknown_regions(nodes);
  for (const XmlNode& node : nodes) {
    if (!drawing.moves()) break;
    if (node.space == face_space) turn_face(node, drawing.orientation, edits, findings);
    if (!node.is(microsoft_space, "Rectangle")) continue;
    const auto now = moved_rectangle(drawing, node.value, findings);
    if (now) edits.replace(node, *now);
    findings.damaged |= !now;
  }
  if (findings.damaged) {
    warnings.emplace_back("a face region in its XMP is damaged and stays as it was");
  }
  if (findings.cut) {
    warnings.emplace_back("a face region in its XMP reaches into the edge that was trimmed");
  }
  if (findings.round) {
    warnings.emplace_back(
        "a round region in its XMP keeps its diameter, as a fraction of the picture before its "
        "edge "
        "was trimmed");
  }
}

constexpr std::string_view rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
                           tiff_schema = "http://ns.adobe.com/tiff/1.0/",
                           exif = "http://ns.adobe.com/exif/1.0/",
                           note = "http://ns.adobe.com/xmp/note/",
                           terms = "http://purl.org/dc/terms/",
                           panorama = "http://ns.google.com/photos/1.0/panorama/",
                           depth_map = "http://ns.google.com/photos/1.0/depthmap/",
                           original = "http://ns.google.com/photos/1.0/image/",
                           focus = "http://ns.google.com/photos/1.0/focus/",
                           dynamic_depth = "http://ns.google.com/photos/dd/1.0/",
                           iptc = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
                           container_item = "http://ns.google.com/photos/1.0/container/item/",
                           depth_item = "http://ns.google.com/photos/dd/1.0/item/";

// A property of the packet itself. Properties of other pictures (its source, its history) are
// nested deeper.
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
    if (node.space != container_item && node.space != depth_item) continue;
    const auto [place, is_new] = places.try_emplace(node.parent, items.size());
    if (is_new) items.emplace_back();
    ListedItem* item = &items[place->second];
    if (node.name == "Mime") item->says.mime = node.value;
    if (node.name == "Semantic" || node.name == "DataURI") item->says.semantic = node.value;
    if (node.name == "Padding") item->says.padding = number(node.value);
    if (node.name == "Length") {
      item->says.length = number(node.value);
      item->length = &node;
    }
  }
  return items;
}

// Pictures as text: a depth map, how sure it is, the picture before it was blurred.
std::string_view name_of_picture(const XmlNode& node) {
  if (node.is(depth_map, "Data") || node.is(depth_map, "Confidence"))
    return "its depth map (GDepth)";
  return node.is(original, "Data") ? "its original picture (GImage)" : std::string_view();
}

// Nothing if it is not a JPEG or a PNG, or is larger than any camera's.
std::optional<Bytes> picture_of(const XmlNode& node) {
  constexpr std::int64_t most_pixels = 1 << 28;
  std::string text;
  std::ranges::remove_copy_if(node.value, std::back_inserter(text), [](char c) {
    return std::string_view(" \t\r\n").find(c) != std::string_view::npos;
  });
  auto bytes = bytes_of_base64(text);
  const auto size = bytes ? embedded_size(*bytes) : std::nullopt;
  return size && size->width <= most_pixels / size->height ? std::move(bytes) : std::nullopt;
}

void turn_pictures(const std::vector<XmlNode>& nodes, const MetadataTurn& turn, XmpEdits& edits,
                   std::vector<std::string>& warnings) {
  for (const XmlNode& node : nodes) {
    const std::string_view name = name_of_picture(node);
    const auto picture = name.empty() ? std::nullopt : picture_of(node);
    const Orientation applied =
        picture ? turn.turn_of(*embedded_size(*picture)) : Orientation::identity;
    if (applied == Orientation::identity) continue;
    try {
      if (!turn.turn_embedded) throw ImageFileError("it cannot be turned here");
      edits.replace(node, base64(turn.turn_embedded(*picture, applied)));
      if (turn.old_size() != turn.whole_size())
        warnings.push_back(fmt::format("{} stays whole and covers what was trimmed", name));
    } catch (const ImageFileError& error) {
      warnings.push_back(fmt::format("{} stays as it was: {}", name, error.what()));
    }
  }
}

// What was in focus, as fractions of the picture as it is stored.
void move_focus(const std::vector<XmlNode>& nodes, const MetadataTurn& turn, XmpEdits& edits) {
  const XmlNode *x = find_property(nodes, focus, "FocalPointX"),
                *y = find_property(nodes, focus, "FocalPointY");
  const auto x_says = x ? decimal(x->value) : std::nullopt,
             y_says = y ? decimal(y->value) : std::nullopt;
  if (!x_says || !y_says) return;
  const Drawing drawing = drawing_of(turn, false);
  const Point now = moved(drawing.orientation, {*x_says, *y_says}, in_fractions(drawing.width),
                          in_fractions(drawing.height));
  edits.replace(*x, now.x.text());
  edits.replace(*y, now.y.text());
}

bool is_orientation(const XmlNode& node) {
  return node.is(tiff_schema, "Orientation") || node.is(exif, "Orientation");
}

bool is_width(const XmlNode& node) {
  return node.is(tiff_schema, "ImageWidth") || node.is(exif, "PixelXDimension");
}

bool is_height(const XmlNode& node) {
  return node.is(tiff_schema, "ImageLength") || node.is(exif, "PixelYDimension");
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
    if (is_orientation(node)) edits.replace(node, tag);
    if (turn.pixels == Orientation::identity) continue;
    if (is_width(node)) edits.replace(node, width);
    if (is_height(node)) edits.replace(node, height);
  }
  if (turn.pixels != Orientation::identity) {
    const auto exchange = [&](std::string_view space, std::string_view of_x,
                              std::string_view of_y) {
      const XmlNode *x = find_property(nodes, space, of_x), *y = find_property(nodes, space, of_y);
      if (x && y && swaps_axes(turn.pixels)) edits.exchange(*x, *y);
    };
    exchange(tiff_schema, "XResolution", "YResolution");
    exchange(exif, "FocalPlaneXResolution", "FocalPlaneYResolution");
    exchange(depth_map, "ImageWidth", "ImageHeight");
    turn_pictures(nodes, turn, edits, warnings);
    move_focus(nodes, turn, edits);
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
  XmpSays says{.orientation = text(tiff_schema, "Orientation"),
               .width = text(tiff_schema, "ImageWidth"),
               .height = text(tiff_schema, "ImageLength"),
               .depth_width = text(depth_map, "ImageWidth"),
               .depth_height = text(depth_map, "ImageHeight"),
               .extended = text(note, "HasExtendedXMP").value_or(""),
               .has_unknown_regions = has_unknown_regions(nodes)};
  // Not XMP's name for it, but programs write it.
  if (!says.orientation) says.orientation = text(exif, "Orientation");
  if (!says.width) says.width = text(exif, "PixelXDimension");
  if (!says.height) says.height = text(exif, "PixelYDimension");
  return says;
}

namespace {

// Namespaces whose properties do not depend on the orientation, are turned, or are looked for by
// name. One per line, with what it is.
constexpr std::string_view known_spaces[] = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/XML/1998/namespace",
    "adobe:ns:meta/",
    // Titles, keywords, rights, people, places on the earth.
    "http://purl.org/dc/elements/1.1/",
    "http://purl.org/dc/terms/",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
    "http://ns.useplus.org/ldf/xmp/1.0/",
    "http://creativecommons.org/ns#",
    "http://prismstandard.org/namespaces/basic/2.0/",
    "http://prismstandard.org/namespaces/prismusagerights/2.1/",
    "http://rs.tdwg.org/dwc/index.htm",
    "http://www.metadataworkinggroup.com/schemas/collections/",
    "http://www.metadataworkinggroup.com/schemas/keywords/",
    "http://www.metadataworkinggroup.com/schemas/regions/",
    "http://xmp.gettyimages.com/gift/1.0/",
    // Adobe's own.
    "http://ns.adobe.com/xap/1.0/",
    "http://ns.adobe.com/xap/1.0/bj/",
    "http://ns.adobe.com/xap/1.0/g/",
    "http://ns.adobe.com/xap/1.0/mm/",
    "http://ns.adobe.com/xap/1.0/rights/",
    "http://ns.adobe.com/xap/1.0/sType/Area#",
    "http://ns.adobe.com/xap/1.0/sType/Dimensions#",
    "http://ns.adobe.com/xap/1.0/sType/Font#",
    "http://ns.adobe.com/xap/1.0/sType/Job#",
    "http://ns.adobe.com/xap/1.0/sType/ManifestItem#",
    "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#",
    "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
    "http://ns.adobe.com/xap/1.0/sType/Version#",
    "http://ns.adobe.com/xap/1.0/t/",
    "http://ns.adobe.com/xap/1.0/t/pg/",
    "http://ns.adobe.com/xmp/1.0/DynamicMedia/",
    "http://ns.adobe.com/xmp/Identity/1.0/",
    "http://ns.adobe.com/xmp/note/",
    "http://ns.adobe.com/xmp/sType/Area#",
    "http://ns.adobe.com/xmp/sType/Dimensions#",
    "http://ns.adobe.com/StockPhoto/1.0/",
    "http://ns.adobe.com/album/1.0/",
    "http://ns.adobe.com/camera-raw-defaults/1.0/",
    "http://ns.adobe.com/camera-raw-saved-settings/1.0/",
    "http://ns.adobe.com/camera-raw-settings/1.0/",  // of the raw file that it was made of
    "http://ns.adobe.com/creatorAtom/1.0/",
    "http://ns.adobe.com/exif/1.0/",
    "http://ns.adobe.com/exif/1.0/aux/",
    "http://cipa.jp/exif/1.0/",
    "http://cipa.jp/exif/2.32/",
    "http://ns.adobe.com/hdr-gain-map/1.0/",
    "http://ns.adobe.com/hdr-metadata/1.0/",
    "http://ns.adobe.com/illustrator/1.0/",
    "http://ns.adobe.com/lightroom/1.0/",
    "http://ns.adobe.com/lightroom-settings-experimental/1.0/",
    "http://ns.adobe.com/pdf/1.3/",
    "http://ns.adobe.com/pdfx/1.3/",
    "http://ns.adobe.com/photoshop/1.0/",
    "http://ns.adobe.com/tiff/1.0/",
    "http://ns.adobe.com/xfdf/",
    "http://ns.adobe.com/DICOM/",
    // Programs that sort and develop pictures.
    "http://ns.acdsee.com/iptc/1.0/",
    "http://ns.acdsee.com/regions/",
    "http://ns.acdsee.com/sType/Area#",
    "http://ns.acdsee.com/sType/Dimensions#",
    "http://ns.camerabits.com/photomechanic/1.0/",
    "http://ns.exiftool.ca/1.0/",
    "http://ns.exiftool.org/1.0/",
    "http://ns.extensis.com/extensis/1.0/",
    "http://ns.fastpictureviewer.com/fpv/1.0/",
    "http://ns.iview-multimedia.com/mediapro/1.0/",
    "http://ns.phaseone.com/captureone/1.0/",
    "http://ns.microsoft.com/photo/1.0",
    "http://ns.microsoft.com/photo/1.0/",
    "http://ns.microsoft.com/photo/1.1",
    "http://ns.microsoft.com/photo/1.2/",
    "http://ns.microsoft.com/photo/1.2/t/Region#",
    "http://ns.microsoft.com/photo/1.2/t/RegionInfo#",
    "http://www.digikam.org/ns/1.0/",
    "http://www.digikam.org/ns/kipi/1.0/",
    "http://darktable.sf.net/",
    "http://www.gimp.org/xmp/",
    "http://www.gimp.org/ns/2.10/",
    // Cameras, phones, drones.
    "http://ns.apple.com/ImageIO/1.0/",
    "http://ns.apple.com/HDRGainMap/1.0/",
    "http://ns.apple.com/faceinfo/1.0/",
    "http://ns.apple.com/pixeldatainfo/1.0/",
    "http://ns.google.com/photos/1.0/camera/",
    "http://ns.google.com/photos/1.0/container/",
    "http://ns.google.com/photos/1.0/container/item/",
    "http://ns.google.com/photos/1.0/creations/",
    "http://ns.google.com/photos/1.0/audio/",
    "http://ns.google.com/photos/1.0/depthmap/",
    "http://ns.google.com/photos/1.0/focus/",
    "http://ns.google.com/photos/1.0/image/",
    "http://ns.google.com/photos/1.0/panorama/",
    "http://ns.nikon.com/ninf/1.0/",
    "http://ns.xiaomi.com/photos/1.0/camera/",
    "http://www.dji.com/drone-dji/1.0/",
    "http://pix4d.com/camera/1.0",
    "http://pix4d.com/camera/1.0/",
    "http://developer.sonyericsson.com/cell/1.0/",
};

bool is_known_space(std::string_view space) {
  return space.starts_with(dynamic_depth) ||
         std::ranges::find(known_spaces, space) != std::end(known_spaces);
}

bool has_text(const XmlNode& node) {
  return node.value.find_first_not_of(" \t\r\n") != node.value.npos;
}

// Declared in the packet, whether or not anything uses it.
bool declares_unknown_space(std::string_view packet) {
  constexpr std::string_view declaration = "xmlns:";
  for (std::size_t at = 0; (at = packet.find(declaration, at)) != packet.npos;) {
    const std::size_t quote = packet.find_first_of("\"'", at);
    if (quote == packet.npos) return false;
    const std::size_t end = packet.find(packet[quote], quote + 1);
    if (end == packet.npos) return false;
    const std::string_view space = packet.substr(quote + 1, end - quote - 1);
    if (!is_known_space(space)) return true;
    at = end;
  }
  return false;
}

}  // namespace

void add_placed_in_xmp(std::string_view packet, Header& header, ListedPictures listed) {
  // Most packets have no such word, and are not read.
  constexpr std::array<std::string_view, 7> words = {
      panorama, depth_map, original, dynamic_depth, "ImageRegion", "provenance", "Rotation"};
  const bool has_word = std::ranges::any_of(
      words, [&](std::string_view word) { return packet.find(word) != packet.npos; });
  if (!has_word && !declares_unknown_space(packet)) return;
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
  for (const XmlNode& node : nodes)
    if (const auto name = name_of_picture(node); !name.empty() && !picture_of(node))
      add_placed({.name = std::string(name)}, header);
  const auto is_of_depth = [](const XmlNode& node, std::string_view part) {
    return node.space.starts_with(dynamic_depth) && node.space.substr(dynamic_depth.size()) == part;
  };
  const bool are_listed =
      listed == ListedPictures::are_turned &&
      std::ranges::any_of(nodes, [](const XmlNode& node) { return node.space == depth_item; });
  if (!are_listed)
    add({.name = "its depth map (Dynamic Depth)"}, [&](const XmlNode& node) {
      return is_of_depth(node, "device/") || is_of_depth(node, "depthmap/");
    });
  add({.name = "its camera (Dynamic Depth)"}, [&](const XmlNode& node) {
    constexpr std::array<std::string_view, 6> placed = {"imagingmodel/",  "pose/",  "earthpose/",
                                                        "lightestimate/", "plane/", "pointcloud/"};
    return std::ranges::any_of(placed,
                               [&](std::string_view part) { return is_of_depth(node, part); });
  });
  add({.name = "its faces' rotation (mwg-rs)"}, [](const XmlNode& node) {
    const auto angle =
        node.is(working_group.regions, "Rotation") ? decimal(node.value) : std::nullopt;
    return angle && angle->value != 0;
  });
  add({.name = "its image regions (IPTC)", .is_converted = true},
      [](const XmlNode& node) { return node.is(iptc, "ImageRegion"); });
  add(signed_manifest(), [&](const XmlNode& node) {
    return node.is(terms, "provenance") && is_property(nodes, node);
  });
  for (const XmlNode& node : nodes) {
    const bool is_known = node.space.empty() || !has_text(node) || is_known_space(node.space);
    if (!is_known) add_unknown(fmt::format("XMP {}", node.space), header);
  }
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

std::vector<XmpPicture> pictures_in_xmp(std::string_view packet) {
  std::vector<XmpPicture> pictures;
  if (packet.find(depth_map) == packet.npos && packet.find(original) == packet.npos)
    return pictures;
  try {
    for (const XmlNode& node : xml_nodes(packet)) {
      const std::string_view name = name_of_picture(node);
      auto picture = name.empty() ? std::nullopt : picture_of(node);
      if (picture) pictures.push_back({std::string(name), std::move(*picture)});
    }
  } catch (const ImageFileError&) {
    pictures.clear();
  }
  return pictures;
}

namespace {

/// Without what a turn replaces, whatever it says: some programs write "Top-left".
std::string without_size_and_orientation(std::string_view packet) try {
  const std::vector<XmlNode> nodes = xml_nodes(packet);
  XmpEdits edits(packet);
  for (const XmlNode& node : nodes)
    if (!name_of_picture(node).empty() ||
        (is_property(nodes, node) && (is_orientation(node) || is_width(node) || is_height(node))))
      edits.replace(node, "");
  return edits.apply();
} catch (const ImageFileError&) {
  return std::string(packet);
}

}  // namespace

std::string without_numbers(std::string_view packet) {
  std::string rest;
  for (const char c : without_size_and_orientation(packet))
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

bool has_container(std::string_view packet) {
  return packet.find(container_item) != packet.npos || packet.find(depth_item) != packet.npos;
}

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
