// Pascal VOC labels: an XML file for each picture. Pixels are counted from 1, and a box holds its
// last column and row. Other programs count from 0, and a box ends where its last numbers say: then
// a turn adds up to the width, not to the width plus 1. No label says which it is, but a 0 is
// proof.
//
//   <annotation> <filename/> <path/> <size> <width/> <height/> </size>
//     <object> <bndbox> <xmin/> <ymin/> <xmax/> <ymax/> </bndbox>
//       <part> <bndbox/> </part>  <point> <x/> <y/> </point>
#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/labels/geometry.hpp"
#include "src/labels/label_shapes.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/labels/text/xml_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// An element of a label, or none.
class Element {
 public:
  Element(const std::vector<XmlNode>& nodes, std::size_t number)
      : nodes_(&nodes), number_(number) {}

  bool is_there() const { return number_ < nodes_->size(); }
  std::string_view name() const { return node().name; }
  /// Null if it is written as <a/>.
  std::string_view content() const { return is_there() ? node().content : std::string_view(); }
  Element parent() const { return {*nodes_, static_cast<std::size_t>(node().parent)}; }

  /// Calls `visit(element)` for each element in it, in the order of the text.
  template <typename Visit>
  void for_each_child(Visit visit) const {
    const int parent = static_cast<int>(number_);
    for (std::size_t i = number_ + 1; i < nodes_->size() && (*nodes_)[i].parent >= parent; ++i)
      if ((*nodes_)[i].parent == parent && !(*nodes_)[i].is_attribute) visit(Element(*nodes_, i));
  }

  /// The first of this name.
  Element child(std::string_view name) const {
    Element found(*nodes_, nodes_->size());
    for_each_child([&](Element each) {
      if (!found.is_there() && each.name() == name) found = each;
    });
    return found;
  }

  bool has_children() const {
    bool has = false;
    for_each_child([&](Element) { has = true; });
    return has;
  }

 private:
  const XmlNode& node() const { return (*nodes_)[number_]; }

  const std::vector<XmlNode>* nodes_;
  std::size_t number_;
};

/// Throws LabelError.
std::vector<XmlNode> nodes_of_voc(std::string_view text) {
  std::vector<XmlNode> nodes = nodes_of_label(LabelText(text));
  if (nodes.front().name != "annotation") {
    LabelText(text).fail(text.substr(0, 0),
                         "is not a Pascal VOC label: its first element is not annotation");
  }
  return nodes;
}

class VocTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems. Then
  /// the size is not compared.
  VocTurn(std::string_view text, const std::vector<XmlNode>& nodes, const LabelTurn& turn,
          bool is_from_zero, LabelContent* content = nullptr)
      : nodes_(nodes),
        edits_(text),
        size_(turn.size),
        is_from_zero_(is_from_zero),
        first_(is_from_zero ? 0 : 1),
        turn_{turn.orientation, turn.size.width + first_, turn.size.height + first_},
        name_(turn.name),
        swap_(turn.rule.swap),
        content_(content) {}

  std::string turn() {
    Element(nodes_, 0).for_each_child(
        [&](Element element) { attempt(content_, [&] { turn_member(element); }); });
    return edits_.finish();
  }

 private:
  void turn_member(Element node) {
    const std::string_view kind = node.name();
    if (kind == "filename" || kind == "path") rename(node);
    if (kind == "size") turn_size(node);
    if (kind == "object") turn_object(node);
  }

  [[noreturn]] void fail(Element at, const std::string& why) const { edits_.fail(at.name(), why); }

  /// What an element holds, without blanks around it.
  std::string_view content_of(Element element) const {
    const std::string_view found = element.content();
    if (found.empty()) return element.name().substr(0, 0);
    if (found.find('<') != found.npos)
      fail(element, fmt::format("{} is not a plain text", element.name()));
    const std::size_t first = std::min(found.find_first_not_of(blanks), found.size());
    return found.substr(first, found.find_last_not_of(blanks) + 1 - first);
  }

  Element part_of(Element element, std::string_view name) const {
    const Element part = element.child(name);
    if (!part.is_there()) fail(element, fmt::format("{} has no {}", element.name(), name));
    return part;
  }

  Decimal number_in(Element node) const {
    const std::string_view content = content_of(node);
    if (auto number = Decimal::parse(content)) return *number;
    if (content.empty()) fail(node, fmt::format("{} is empty", node.name()));
    edits_.fail(content, fmt::format("'{}' is not a number", content));
  }

  void replace(Element node, std::string text) {
    edits_.replace(content_of(node), std::move(text));
  }

  void turn_size(Element node) {
    const Element width = part_of(node, "width"), height = part_of(node, "height");
    const LabelPoint said = {number_in(width), number_in(height)};
    if (content_) {
      content_->said = {said.x.whole().value_or(0), said.y.whole().value_or(0)};
      content_->said_at = edits_.place_of(width.name());
      return;
    }
    if (said.x.whole() != size_.width || said.y.whole() != size_.height) {
      fail(width, fmt::format("says {} x {}, the picture is {} x {}", said.x.text(), said.y.text(),
                              size_.width, size_.height));
    }
    put(turned_extent(said, turn_), width, height);
  }

  void turn_object(Element object) {
    object.for_each_child([&](Element node) {
      const std::string_view kind = node.name();
      if (kind == "name") {
        const auto* other = class_after(swap_, xml_unescaped(node.content()), turn_.orientation);
        if (other) replace(node, xml_escaped(*other));
      } else if (kind == "bndbox") {
        turn_box(node);
      } else if (kind == "robndbox") {
        turn_rotated_box(node);
      } else if (kind == "point") {
        turn_point(part_of(node, "x"), part_of(node, "y"));
      } else if (kind == "part") {
        turn_object(node);
      } else if (kind == "attributes") {
        for_each_rotation(node, [&](Element value) {
          replace(value, turned_angle(number_in(value), turn_.orientation).text());
        });
      } else if (kind != "actions" && node.has_children()) {
        fail(node, fmt::format("{} of an object cannot be turned", kind));
      }
    });
  }

  void turn_box(Element box) {
    const Element left = part_of(box, "xmin"), top = part_of(box, "ymin");
    const Element right = part_of(box, "xmax"), bottom = part_of(box, "ymax");
    const LabelCorners corners = {{number_in(left), number_in(top)},
                                  {number_in(right), number_in(bottom)}};
    if (!is_from_zero_ && !content_ && (corners.first.x.is_zero() || corners.first.y.is_zero())) {
      edits_.fail(content_of(corners.first.x.is_zero() ? left : top),
                  "the box begins at 0, and Pascal VOC counts pixels from 1",
                  {{Hint::choose_label_format, "voc:0"}});
    }
    const LabelCorners now = turned(corners, turn_);
    double rotation = 0;
    for_each_rotation(box.parent().child("attributes"),
                      [&](Element value) { rotation = number_in(value).value(); });
    const ShapePoint first = drawn(corners.first);
    const auto from = static_cast<double>(first_);
    LabelShape shape = box_of_cvat({first.x - from, first.y - from}, drawn(corners.last), rotation);
    add_shape(box, shape.kind, std::move(shape.points));
    put(now.first, left, top);
    put(now.last, right, bottom);
  }

  /// roLabelImg's: the middle lies between 0 and the width, and the angle counts clockwise from 0
  /// to pi.
  void turn_rotated_box(Element box) {
    const Element x = part_of(box, "cx"), y = part_of(box, "cy"), width = part_of(box, "w"),
                  height = part_of(box, "h"), angle = part_of(box, "angle");
    const LabelPoint middle = {number_in(x), number_in(y)},
                     extent = {number_in(width), number_in(height)};
    const Decimal radians = number_in(angle);
    add_shape(box, ShapeKind::polygon, rotated_box(drawn(middle), drawn(extent), radians.value()));
    put(turned(middle, {turn_.orientation, size_.width, size_.height}), x, y);
    put(turned_extent(extent, turn_), width, height);
    replace(angle, turned_radians(radians, 1, turn_.orientation).text());
  }

  /// The angle of the box is an attribute in CVAT's exports.
  template <typename Visit>
  void for_each_rotation(Element attributes, Visit visit) const {
    attributes.for_each_child([&](Element attribute) {
      if (attribute.name() == "attribute" &&
          xml_unescaped(attribute.child("name").content()) == "rotation")
        visit(part_of(attribute, "value"));
    });
  }

  void turn_point(Element x, Element y) {
    const LabelPoint point = {number_in(x), number_in(y)};
    // The middle of a pixel.
    const double middle = 0.5 - static_cast<double>(first_);
    add_shape(x.parent(), ShapeKind::points,
              {{point.x.value() + middle, point.y.value() + middle}});
    const std::int64_t sum = 2 * first_ - 1;
    put(turned(point, {turn_.orientation, size_.width + sum, size_.height + sum}), x, y);
  }

  void add_shape(Element node, ShapeKind kind, std::vector<ShapePoint> points) {
    if (!content_) return;
    content_->shapes.push_back({.kind = kind,
                                .place = edits_.place_of(node.name()),
                                .category = xml_unescaped(node.parent().child("name").content()),
                                .points = std::move(points)});
  }

  void put(const LabelPoint& point, Element x, Element y) {
    qturn::put(edits_, point, content_of(x), content_of(y));
  }

  void rename(Element node) {
    const std::string_view old = content_of(node);
    if (old.empty()) return;
    const std::size_t slash = old.find_last_of("/\\");
    replace(node, std::string(old.substr(0, slash + 1)) + xml_escaped(name_));
  }

  const std::vector<XmlNode>& nodes_;
  LabelText edits_;
  Size size_;
  const bool is_from_zero_;
  const std::int64_t first_;  // pixel
  CoordinateTurn turn_;
  std::string_view name_;
  const ClassSwap& swap_;
  LabelContent* content_;
};

ParsedLabel parse(std::string_view text, bool is_from_zero) {
  return [=, nodes = nodes_of_voc(text)](const LabelTurn& turn) {
    return VocTurn(text, nodes, turn, is_from_zero).turn();
  };
}

LabelContent read(std::string_view text, bool is_from_zero) {
  LabelContent content;
  attempt(&content,
          [&] { VocTurn(text, nodes_of_voc(text), {.name = ""}, is_from_zero, &content).turn(); });
  return content;
}

bool is_voc(std::string_view text) { return text.find("<annotation") != std::string_view::npos; }

// To be turned: only the numbers of boxes, points and the size change, and the last part of
// filename and path. Every other byte stays.
//
// Throws LabelError if the text is not such a label; when it is turned, if it says another size,
// or has an object whose shape is of another kind.
ParsedLabel parse_voc(std::string_view text) { return parse(text, false); }

// The same of a label that counts from 0. parse_voc() throws for a box that begins at 0.
ParsedLabel parse_voc_from_zero(std::string_view text) { return parse(text, true); }

LabelContent read_voc(std::string_view text, const std::optional<Keypoints>&) {
  return read(text, false);
}

LabelContent read_voc_from_zero(std::string_view text, const std::optional<Keypoints>&) {
  return read(text, true);
}

// A set may have a million labels: they are not parsed for this.
bool has_zero(std::string_view text) {
  for (const std::string_view side : {"<xmin>", "<ymin>"}) {
    for (std::size_t at = text.find(side); at != text.npos; at = text.find(side, at)) {
      at += side.size();
      const std::string_view rest =
          text.substr(std::min(text.find_first_not_of(blanks, at), text.size()));
      const auto number = Decimal::parse(rest.substr(0, rest.find_first_of(" \t\r\n<")));
      if (number && number->is_zero()) return true;
    }
  }
  return false;
}

}  // namespace

const LabelFormat voc_format = {.option = "voc",
                                .name = "Pascal VOC",
                                .suffix = ".xml",
                                .pictures = "jpegimages",
                                .labels = "annotations",
                                .is_of = is_voc,
                                .parse = parse_voc,
                                .read = read_voc,
                                .is_of_other = has_zero,
                                .other = "voc:0"};

const LabelFormat voc_from_zero_format = {.option = "voc:0",
                                          .name = "Pascal VOC from 0",
                                          .suffix = ".xml",
                                          .pictures = "jpegimages",
                                          .labels = "annotations",
                                          .is_of = is_voc,
                                          .parse = parse_voc_from_zero,
                                          .read = read_voc_from_zero,
                                          .is_named_only = true};

}  // namespace qturn
