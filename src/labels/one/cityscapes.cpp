#include "src/labels/one/cityscapes.hpp"

#include "src/labels/json_picture.hpp"
#include "src/labels/one/json_label.hpp"
#include "src/labels/text/words.hpp"

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
    for (const JsonValue member : object)  // CityPersons has boxes
      if (member.name() != "polygon") refuse_coordinates(member);
    add({.kind = ShapeKind::polygon, .points = turn_points(object.member("polygon"), true)}, object,
        "label");
  }
};

}  // namespace

bool is_cityscapes(std::string_view text) {
  return has_all(text, {"\"imgHeight\"", "\"imgWidth\"", "\"objects\""});
}

std::unique_ptr<ParsedLabel> parse_cityscapes(std::string_view text) {
  return std::make_unique<ParsedJsonLabel<CityscapesTurn>>(text);
}

LabelContent read_cityscapes(std::string_view text) {
  return read_json_label<CityscapesTurn>(text);
}

}  // namespace qturn
