// Cityscapes labels: gtFine/x/a_gtFine_polygons.json of leftImg8bit/x/a_leftImg8bit.png.
//
//   {"imgHeight": 1024, "imgWidth": 2048, "objects": [{"label": "road", "polygon": [[x, y], ...]}]}
//
// Coordinates are the numbers of pixels, from 0: the tool that they were drawn with
// (cityscapesLabelTool.py) lets no point go beyond the last one.
#include "src/labels/one/label.hpp"

#include <string_view>

#include "src/labels/json_picture.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

class CityscapesTurn : private JsonLabelTurn {
 public:
  CityscapesTurn(std::string_view text, const LabelTurn& turn, LabelContent* content)
      : JsonLabelTurn(text, turn, content) {}

  std::string turn(const JsonValue& root) {
    root.expect(JsonKind::object);
    turn_size(root.member("imgWidth"), root.member("imgHeight"));
    for (const JsonValue object : root.member("objects").expect(JsonKind::array))
      attempt([&] { turn_object(object.expect(JsonKind::object)); });
    return edits_.finish();
  }

 private:
  void turn_object(const JsonValue& object) {
    UnknownMembers unknown;
    for (const JsonValue member : object)  // CityPersons has boxes
      if (member.name() != "polygon") unknown.add(member);
    add({.kind = ShapeKind::polygon, .points = turn_points(object.member("polygon"), true)}, object,
        "label");
  }
};

bool is_cityscapes(std::string_view text) {
  return has_all(text, {"\"imgHeight\"", "\"imgWidth\"", "\"objects\""});
}

LabelContent read_cityscapes(std::string_view text, const std::optional<Keypoints>&) {
  return read_json_label<CityscapesTurn>(text);
}

}  // namespace

const LabelFormat cityscapes_format = {.option = "cityscapes",
                                       .name = "Cityscapes",
                                       .suffix = ".json",
                                       .pictures = "leftimg8bit",
                                       .labels = "gtfine",
                                       .is_of = is_cityscapes,
                                       .parse = parse_json_label<CityscapesTurn>,
                                       .read = read_cityscapes,
                                       .picture_end = "_leftimg8bit",
                                       .label_end = "_gtFine_polygons"};

}  // namespace qturn
