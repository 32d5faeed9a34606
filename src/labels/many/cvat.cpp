// CVAT for images 1.1: an XML element for each picture.
//
//   <image id="0" name="a.png" width="9" height="5">
//     <box label="cat" xtl="1.00" ytl="1.00" xbr="3.00" ybr="4.00" rotation="30.0"></box>
//     <polygon label="cat" points="1.00,2.00;3.00,4.00;1.00,4.00"></polygon>
//     <mask label="cat" rle="1, 2, 3" left="1" top="1" width="3" height="2"></mask>
//   </image>
//
// Coordinates run from 0 to the width and the height. A rotation is in degrees, around the middle.
// The runs of a mask go along its rows, the first of pixels that are 0.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "src/labels/many/label_element.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/labels/text/xml_text.hpp"

namespace qturn {
namespace {

/// The runs of a picture, down its columns, in which a mask lies whose own runs go down its
/// columns.
RunLengths placed(const RunLengths& mask, Size mask_size, std::int64_t left, std::int64_t top,
                  Size size) {
  RunLengths runs;
  const auto add = [&](bool value, std::int64_t count) {
    if (count == 0) return;
    if (runs.empty() && value) runs.push_back(0);
    const bool goes_on = !runs.empty() && (runs.size() % 2 == 0) == value;
    const auto length = static_cast<std::uint32_t>(count);
    goes_on ? void(runs.back() += length) : runs.push_back(length);
  };
  add(false, left * size.height);
  std::size_t run = 0;
  std::int64_t of_run = mask.empty() ? 0 : mask[0];
  for (std::int64_t x = 0; x < mask_size.width; ++x) {
    add(false, top);
    for (std::int64_t rest = mask_size.height; rest > 0;) {
      while (of_run == 0) of_run = mask[++run];
      const std::int64_t count = std::min(rest, of_run);
      add(run % 2 == 1, count);
      rest -= count;
      of_run -= count;
    }
    add(false, size.height - top - mask_size.height);
  }
  add(false, (size.width - left - mask_size.width) * size.height);
  return runs;
}

constexpr std::int64_t largest_id = (std::int64_t{1} << 50) - 1;

class CvatImage : public LabelElement {
 public:
  CvatImage(std::string_view text, TextPlace place)
      : text_(text, place), nodes_(nodes_of_label(text_)) {
    const std::string_view name = value(0, "name");
    file_name_ = xml_unescaped(name);
    if (file_name_.empty()) text_.fail(name, "name is empty");
    if (find(0, "width") && find(0, "height"))
      size_ = {whole(0, "width", longest_side), whole(0, "height", longest_side)};
    if (find(0, "id")) id_ = whole(0, "id", largest_id);
  }

  void turn(ElementTurn& turn) const override {
    turn.edits.replace(value(0, "name"), xml_escaped(renamed(file_name_, turn.variant.name), true));
    if (id_ && turn.variant.turn.variant)
      turn.edits.replace(value(0, "id"),
                         id_of_variant(std::to_string(*id_), *turn.variant.turn.variant));
    if (size_ && swaps_axes(turn.orientation())) swap(turn, 0, "width", "height");
    for (int node = 1; node < static_cast<int>(nodes_.size()); ++node)
      if (at(node).parent == 0 && !at(node).is_attribute)
        turn.attempt([&] { turn_shape(turn, node); });
  }

 private:
  const XmlNode& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

  /// The value of an attribute.
  std::optional<std::string_view> find(int element, std::string_view name) const {
    for (int node = element + 1; node < static_cast<int>(nodes_.size()); ++node) {
      if (at(node).parent != element || !at(node).is_attribute) return std::nullopt;
      if (at(node).name == name) return at(node).value;
    }
    return std::nullopt;
  }
  std::string_view value(int element, std::string_view name) const {
    if (const auto found = find(element, name)) return *found;
    text_.fail(at(element).name, fmt::format("{} has no {}", at(element).name, name));
  }
  Decimal number_of(std::string_view text) const {
    if (auto number = Decimal::parse(text)) return *number;
    text_.fail(text, fmt::format("'{}' is not a number", text));
  }
  Decimal number(int element, std::string_view name) const {
    return number_of(value(element, name));
  }
  LabelPoint point(int element, std::string_view x, std::string_view y) const {
    return {number(element, x), number(element, y)};
  }
  std::int64_t whole(int element, std::string_view name, std::int64_t largest) const {
    const std::string_view text = value(element, name);
    const auto number = number_of(text).whole();
    if (!number || *number < 0 || *number > largest)
      text_.fail(text,
                 fmt::format("{} {} is not a whole number from 0 to {}", name, text, largest));
    return *number;
  }

  void put(ElementTurn& turn, int element, const LabelPoint& point, std::string_view x,
           std::string_view y) const {
    turn.put(point, value(element, x), value(element, y));
  }
  void swap(ElementTurn& turn, int element, std::string_view a, std::string_view b) const {
    turn.edits.replace(value(element, a), std::string(value(element, b)));
    turn.edits.replace(value(element, b), std::string(value(element, a)));
  }

  void add(ElementTurn& turn, int element, LabelShape shape) const {
    shape.category = xml_unescaped(find(element, "label").value_or(""));
    turn.add(std::move(shape), at(element).name);
  }

  void turn_shape(ElementTurn& turn, int element) const {
    const std::string_view kind = at(element).name;
    const std::string_view label = find(element, "label").value_or("");
    if (const auto* other = class_after(turn.swap, xml_unescaped(label), turn.orientation()))
      turn.edits.replace(label, xml_escaped(*other, true));
    if (kind == "box") return turn_box(turn, element);
    if (kind == "polygon") return turn_points(turn, element, ShapeKind::polygon);
    if (kind == "polyline") return turn_points(turn, element, ShapeKind::line);
    if (kind == "points") return turn_points(turn, element, ShapeKind::points);
    if (kind == "ellipse") return turn_ellipse(turn, element);
    if (kind == "mask") return turn_mask(turn, element);
    if (kind != "tag") text_.fail(kind, fmt::format("a {} cannot be turned", kind));
  }

  void turn_box(ElementTurn& turn, int element) const {
    const LabelCorners box = {point(element, "xtl", "ytl"), point(element, "xbr", "ybr")};
    add(turn, element,
        box_of_cvat(drawn(box.first), drawn(box.last), turned_rotation(turn, element)));
    const LabelCorners now = turned(box, turn.pixels());
    put(turn, element, now.first, "xtl", "ytl");
    put(turn, element, now.last, "xbr", "ybr");
  }

  /// Returns the angle as it is before, in degrees.
  double turned_rotation(ElementTurn& turn, int element) const {
    const auto rotation = find(element, "rotation");
    if (!rotation) return 0;
    const Decimal degrees = number_of(*rotation);
    turn.edits.replace(*rotation, turned_angle(degrees, turn.orientation()).text());
    return degrees.value();
  }

  void turn_ellipse(ElementTurn& turn, int element) const {
    const LabelPoint middle = point(element, "cx", "cy"), radii = point(element, "rx", "ry");
    add(turn, element,
        {.kind = ShapeKind::polygon,
         .points = rotated_ellipse(drawn(middle), drawn(radii),
                                   turned_rotation(turn, element) * std::numbers::pi / 180)});
    put(turn, element, turned(middle, turn.pixels()), "cx", "cy");
    put(turn, element, turned_extent(radii, turn.pixels()), "rx", "ry");
  }

  /// "x,y;x,y"
  void turn_points(ElementTurn& turn, int element, ShapeKind kind) const {
    std::vector<ShapePoint> before;
    for (std::string_view rest = value(element, "points"); !rest.empty();) {
      const std::string_view pair = rest.substr(0, rest.find(';'));
      const std::size_t comma = pair.find(',');
      if (comma == pair.npos) text_.fail(pair, fmt::format("'{}' is not a point", pair));
      const std::string_view x = pair.substr(0, comma), y = pair.substr(comma + 1);
      const LabelPoint point = {number_of(x), number_of(y)};
      before.push_back(drawn(point));
      turn.put(turned(point, turn.pixels()), x, y);
      rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    }
    if (before.empty()) text_.fail(at(element).name, "has no points");
    if (kind == ShapeKind::points && before.size() > 1)
      turn.fail_mirrored([&] { text_.fail(at(element).name, points_may_have_sides); });
    add(turn, element, {.kind = kind, .points = std::move(before)});
  }

  void turn_mask(ElementTurn& turn, int element) const {
    const std::string_view code = value(element, "rle");
    const Size size = {whole(element, "width", longest_side),
                       whole(element, "height", longest_side)};
    const std::int64_t left = whole(element, "left", longest_side),
                       top = whole(element, "top", longest_side);
    if (!size_ || left + size.width > size_->width || top + size.height > size_->height)
      text_.fail(at(element).name, "the mask lies outside of the picture");
    if (size_->width > most_mask_pixels / std::max<std::int64_t>(size_->height, 1)) {
      text_.fail(at(element).name,
                 fmt::format("a mask of a picture of more than {} pixels cannot be turned",
                             most_mask_pixels));
    }
    RunLengths runs;
    for (std::string_view rest = code; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      const std::string_view run = word.substr(std::min(word.find_first_not_of(' '), word.size()));
      const auto length = number_of(run).whole();
      if (!length || *length < 0 || *length > most_mask_pixels)
        text_.fail(run, fmt::format("'{}' is not the length of a run", run));
      runs.push_back(static_cast<std::uint32_t>(*length));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    if (!fill(runs, size)) {
      text_.fail(code, fmt::format("the runs do not fill {} x {} pixels", size.width, size.height));
    }
    // Its rows are the columns of the transposed mask.
    constexpr Orientation transpose = Orientation::transpose;
    const Size transposed = {size.height, size.width};
    if (turn.reads_shapes()) {
      add(turn, element,
          {.kind = ShapeKind::mask,
           .size = *size_,
           .runs = placed(turned_runs(runs, transposed, transpose), size, left, top, *size_)});
    }
    if (turn.orientation() == Orientation::identity) return;
    const Orientation of_rows = compose(compose(transpose, turn.orientation()), transpose);
    turn.edits.replace(code,
                       fmt::format("{}", fmt::join(turned_runs(runs, transposed, of_rows), ", ")));
    const LabelBox now = turned_box(
        {point(element, "left", "top"), point(element, "width", "height")}, turn.pixels());
    put(turn, element, now.corner, "left", "top");
    put(turn, element, now.extent, "width", "height");
  }

  LabelText text_;
  std::vector<XmlNode> nodes_;
  std::optional<std::int64_t> id_;
};

}  // namespace

const ElementFormat cvat = {.in = ElementFormat::In::xml,
                            .array = "image",
                            .outermost = "annotations",
                            .is_of =
                                [](std::string_view head) {
                                  return has_all(head, {"<annotations"}) &&
                                         has_any(head, {"<image ", "<meta>"}) &&
                                         !has_any(head, {"<track "});
                                },
                            .read = read_element<CvatImage>};

}  // namespace qturn
