#include "src/labels/label.hpp"

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

}  // namespace qturn
