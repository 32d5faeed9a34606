#include "src/labels/voc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "src/labels/geometry.hpp"
#include "src/labels/label_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else
      text += c;
  }
  return text;
}

/// The text of an element as it is meant: "cat & dog" of "cat &amp; dog".
std::string text_of(pugi::xml_node element) {
  std::string text = element.child_value();
  if (element.first_child().type() == pugi::node_cdata) return text;
  pugi::xml_document parsed;
  const auto read = parsed.load_string(("<text>" + text + "</text>").c_str(), pugi::parse_escapes);
  return read ? parsed.first_child().child_value() : text;
}

class VocTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems. Then
  /// the size is not compared.
  VocTurn(std::string_view text, Orientation orientation, Size size, std::string_view name,
          LabelContent* content = nullptr)
      : text_(text),
        edits_(text),
        size_(size),
        turn_{orientation, size.width + 1, size.height + 1},
        name_(name),
        content_(content) {}

  std::string turn() {
    pugi::xml_document document;
    // Values are compared with the text, so they stay as they are there.
    const pugi::xml_parse_result read = document.load_buffer(
        text_.data(), text_.size(), pugi::parse_minimal | pugi::parse_cdata, pugi::encoding_utf8);
    if (!read) {
      const auto at = std::min(static_cast<std::size_t>(read.offset), text_.size());
      edits_.fail(text_.substr(at), fmt::format("is not well-formed XML: {}", read.description()));
    }
    const pugi::xml_node label = document.document_element();
    if (std::string_view(label.name()) != "annotation")
      edits_.fail(text_.substr(0, 0),
                  "is not a Pascal VOC label: its first element is not annotation");
    for (const pugi::xml_node node : label.children()) {
      try {
        turn_member(node);
      } catch (const LabelError& error) {
        if (!content_) throw;
        content_->problems.push_back(broken(error));
      }
    }
    return edits_.finish();
  }

 private:
  void turn_member(pugi::xml_node node) {
    const std::string_view kind = node.name();
    if (kind == "filename" || kind == "path") rename(node);
    if (kind == "size") turn_size(node);
    if (kind == "object") turn_object(node);
  }

  [[noreturn]] void fail(pugi::xml_node at, const std::string& why) const {
    edits_.fail(text_.substr(offset_of(at)), why);
  }

  std::size_t offset_of(pugi::xml_node node) const {
    return std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)),
                    text_.size());
  }

  /// What an element holds, without blanks around it.
  std::string_view content_of(pugi::xml_node node) const {
    const pugi::xml_node inside = node.first_child();
    if (inside.empty()) return text_.substr(offset_of(node), 0);
    const std::string_view value = inside.value();
    const std::string_view found = text_.substr(offset_of(inside), value.size());
    if (inside.type() != pugi::node_pcdata || inside.next_sibling() || found != value)
      fail(node, fmt::format("{} is not a plain text", node.name()));
    const std::size_t first = std::min(found.find_first_not_of(blanks), found.size());
    return found.substr(first, found.find_last_not_of(blanks) + 1 - first);
  }

  pugi::xml_node part_of(pugi::xml_node node, const char* name) const {
    const pugi::xml_node part = node.child(name);
    if (part.empty()) fail(node, fmt::format("{} has no {}", node.name(), name));
    return part;
  }

  Decimal number_in(pugi::xml_node node) const {
    const std::string_view content = content_of(node);
    if (auto number = Decimal::parse(content)) return *number;
    if (content.empty()) fail(node, fmt::format("{} is empty", node.name()));
    edits_.fail(content, fmt::format("'{}' is not a number", content));
  }

  void replace(pugi::xml_node node, std::string text) {
    edits_.replace(content_of(node), std::move(text));
  }

  void turn_size(pugi::xml_node node) {
    const pugi::xml_node width = part_of(node, "width"), height = part_of(node, "height");
    const LabelPoint said = {number_in(width), number_in(height)};
    if (content_) {
      content_->said = {said.x.whole().value_or(0), said.y.whole().value_or(0)};
      content_->said_at = edits_.place_of(text_.substr(offset_of(width)));
      return;
    }
    if (said.x.whole() != size_.width || said.y.whole() != size_.height) {
      fail(width, fmt::format("says {} x {}, the picture is {} x {}", said.x.text(), said.y.text(),
                              size_.width, size_.height));
    }
    const LabelPoint now = turned_extent(said, turn_);
    replace(width, now.x.text());
    replace(height, now.y.text());
  }

  void turn_object(pugi::xml_node object) {
    for (const pugi::xml_node node : object.children()) {
      const std::string_view kind = node.name();
      if (kind == "bndbox") {
        turn_box(node);
      } else if (kind == "point") {
        turn_point(part_of(node, "x"), part_of(node, "y"));
      } else if (kind == "part") {
        turn_object(node);
      } else if (kind == "attributes") {
        turn_attributes(node);
      } else if (kind != "actions" && node.first_child().type() == pugi::node_element) {
        fail(node, fmt::format("{} of an object cannot be turned", kind));
      }
    }
  }

  void turn_box(pugi::xml_node box) {
    const pugi::xml_node left = part_of(box, "xmin"), top = part_of(box, "ymin");
    const pugi::xml_node right = part_of(box, "xmax"), bottom = part_of(box, "ymax");
    const LabelCorners corners = {{number_in(left), number_in(top)},
                                  {number_in(right), number_in(bottom)}};
    const LabelCorners now = turned(corners, turn_);
    add_shape(box, ShapeKind::box,
              {{corners.first.x.value() - 1, corners.first.y.value() - 1},
               {corners.last.x.value(), corners.last.y.value()}});
    put(now.first, left, top);
    put(now.last, right, bottom);
  }

  /// The angle of the box is an attribute in CVAT's exports.
  void turn_attributes(pugi::xml_node attributes) {
    for (const pugi::xml_node attribute : attributes.children("attribute")) {
      if (text_of(attribute.child("name")) != "rotation") continue;
      const pugi::xml_node value = part_of(attribute, "value");
      replace(value, turned_angle(number_in(value), turn_.orientation).text());
    }
  }

  void turn_point(pugi::xml_node x, pugi::xml_node y) {
    const LabelPoint point = {number_in(x), number_in(y)};
    // The middle of a pixel.
    add_shape(x.parent(), ShapeKind::points, {{point.x.value() - 0.5, point.y.value() - 0.5}});
    put(turned(point, turn_), x, y);
  }

  void add_shape(pugi::xml_node node, ShapeKind kind, std::vector<ShapePoint> points) {
    if (!content_) return;
    content_->shapes.push_back({.kind = kind,
                                .place = edits_.place_of(text_.substr(offset_of(node))),
                                .category = text_of(node.parent().child("name")),
                                .points = std::move(points)});
  }

  void put(const LabelPoint& point, pugi::xml_node x, pugi::xml_node y) {
    replace(x, point.x.text());
    replace(y, point.y.text());
  }

  void rename(pugi::xml_node node) {
    const std::string_view old = content_of(node);
    if (old.empty()) return;
    const std::size_t slash = old.find_last_of("/\\");
    replace(node, std::string(old.substr(0, slash + 1)) + escaped(name_));
  }

  std::string_view text_;
  LabelText edits_;
  Size size_;
  CoordinateTurn turn_;
  std::string_view name_;
  LabelContent* content_;
};

}  // namespace

bool is_voc(std::string_view text) { return text.find("<annotation") != std::string_view::npos; }

std::string turn_voc(std::string_view text, Orientation orientation, Size size,
                     std::string_view name) {
  return VocTurn(text, orientation, size, name).turn();
}

LabelContent read_voc(std::string_view text) {
  LabelContent content;
  try {
    VocTurn(text, Orientation::identity, {}, "", &content).turn();
  } catch (const LabelError& error) {
    content.problems.push_back(broken(error));
  }
  return content;
}

}  // namespace qturn
