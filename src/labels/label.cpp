#include "src/labels/label.hpp"

#include <algorithm>

#include "src/labels/decimal.hpp"
#include "src/labels/labelme.hpp"
#include "src/labels/voc.hpp"

namespace qturn {

const LabelFormat label_formats[3] = {
    {"yolo", "YOLO", ".txt", "images", "labels", is_yolo,
     [](std::string_view text, const LabelTurn& turn) {
       return turn_yolo(text, turn.orientation, turn.keypoints);
     },
     read_yolo},
    {"voc", "Pascal VOC", ".xml", "jpegimages", "annotations", is_voc,
     [](std::string_view text, const LabelTurn& turn) {
       return turn_voc(text, turn.orientation, turn.size, turn.name);
     },
     [](std::string_view text, const std::optional<Keypoints>&) { return read_voc(text); }},
    {"labelme", "LabelMe", ".json", "", "", is_labelme, turn_labelme,
     [](std::string_view text, const std::optional<Keypoints>&) { return read_labelme(text); }},
};

bool may_hold_coordinates(std::string_view text) {
  constexpr std::string_view names[] = {"bbox",     "bndbox",    "xmin",  "polygon", "segmentation",
                                        "keypoint", "landmarks", "\"x\"", "\"x1\"",  "\"points\""};
  if (std::ranges::any_of(names, [&](auto name) { return text.find(name) != text.npos; }))
    return true;
  constexpr std::string_view in_number = "0123456789.eE+-", between = " \t\r\n,;[]()";
  int in_a_row = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(in_number, at), text.size());
    const bool is_number = end > at && Decimal::parse(text.substr(at, end - at));
    in_a_row = is_number ? in_a_row + 1 : 0;
    if (in_a_row == 4) return true;
    at = std::min(text.find_first_not_of(between, end), text.size());
    if (at == end) {  // a word
      in_a_row = 0;
      at = std::min(text.find_first_of(between, end), text.size());
      at = std::min(text.find_first_not_of(between, at), text.size());
    }
  }
  return false;
}

}  // namespace qturn
