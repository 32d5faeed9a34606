#include "src/labels/one/label.hpp"

#include "src/labels/one/dota.hpp"
#include "src/labels/one/labelme.hpp"
#include "src/labels/one/voc.hpp"

namespace qturn {
namespace {

/// Is read a line at a time, for each turn: all words and edits of a label of 38 MB took 641 MiB.
class ParsedYolo : public ParsedLabel {
 public:
  explicit ParsedYolo(std::string_view text) : text_(text) {}
  std::string turned(const LabelTurn& turn) const override {
    return turn_yolo(text_, turn.orientation, turn.keypoints);
  }

 private:
  const std::string_view text_;
};

std::unique_ptr<ParsedLabel> parse_yolo(std::string_view text) {
  return std::make_unique<ParsedYolo>(text);
}

}  // namespace

const LabelFormat label_formats[4] = {
    {"yolo", "YOLO", ".txt", "images", "labels", true, is_yolo, parse_yolo, read_yolo},
    {"voc", "Pascal VOC", ".xml", "jpegimages", "annotations", true, is_voc, parse_voc,
     [](std::string_view text, const std::optional<Keypoints>&) { return read_voc(text); }},
    {"labelme", "LabelMe", ".json", "", "", true, is_labelme, parse_labelme,
     [](std::string_view text, const std::optional<Keypoints>&) { return read_labelme(text); }},
    {"dota", "DOTA", ".txt", "images", "labeltxt", false, is_dota, parse_dota,
     [](std::string_view text, const std::optional<Keypoints>&) { return read_dota(text); }},
};

}  // namespace qturn
