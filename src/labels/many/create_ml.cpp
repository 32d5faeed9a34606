// Create ML: an object for each picture. Coordinates give the middle of a box.
//
//   [{"image": "a.png", "annotations": [{"label": "cat", "coordinates":
//     {"x": 2.5, "y": 2, "width": 3, "height": 2}}]}]
#include <fmt/format.h>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

class CreateMlImage : public LabelElement {
 public:
  CreateMlImage(std::string_view text, TextPlace place) : json_(text, place) {
    const JsonValue root = json_.root().expect(JsonKind::object);
    file_name_ = root.member(root.find("imagefilename") ? "imagefilename" : "image").string();
  }

  void turn(ElementTurn& turn) const override {
    UnknownMembers unknown;
    for (const JsonValue member : json_.root()) {
      const std::string name = member.name();
      if (name == "image" || name == "imagefilename") {
        replace_string(turn.edits, member, renamed(file_name_, turn.variant.name));
      } else if (name == "annotations" || name == "annotation") {
        for (const JsonValue box : member.expect(JsonKind::array))
          turn.attempt([&] { turn_box(turn, box); });
      } else {
        turn.attempt([&] { unknown.add(member); });
      }
    }
  }

 private:
  static void turn_box(ElementTurn& turn, const JsonValue& annotation) {
    const JsonValue box = annotation.expect(JsonKind::object).member("coordinates");
    UnknownMembers unknown;
    for (const JsonValue member : annotation)
      if (member.name() != "label" && member.name() != "coordinates") unknown.add(member);
    const JsonValue x = box.member("x"), y = box.member("y");
    const JsonValue width = box.member("width"), height = box.member("height");
    const LabelPoint middle = {x.number(), y.number()}, extent = {width.number(), height.number()};
    const double across = extent.x.value() / 2, down = extent.y.value() / 2;
    const auto label = annotation.find("label");
    if (label) replace_class(turn.edits, *label, turn.swap, turn.orientation());
    turn.add({.kind = ShapeKind::box,
              .category = label && label->kind() == JsonKind::string ? label->string() : "",
              .points = {{middle.x.value() - across, middle.y.value() - down},
                         {middle.x.value() + across, middle.y.value() + down}}},
             box.text());
    turn.put(turned(middle, turn.pixels()), x.text(), y.text());
    turn.put(turned_extent(extent, turn.pixels()), width.text(), height.text());
  }

  JsonText json_;
};

}  // namespace

const ElementFormat create_ml = {.in = ElementFormat::In::json,
                                 .array = "",
                                 .outermost = "",
                                 .is_of =
                                     [](std::string_view head) {
                                       return begins_as_array(head) &&
                                              has_all(head, {"\"coordinates\""}) &&
                                              has_any(head, {"\"image\"", "\"imagefilename\""});
                                     },
                                 .read = read_element<CreateMlImage>};

}  // namespace qturn
