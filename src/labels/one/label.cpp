#include "src/labels/one/label.hpp"

#include "src/labels/one/cityscapes.hpp"
#include "src/labels/one/dota.hpp"
#include "src/labels/one/kitti.hpp"
#include "src/labels/one/labelme.hpp"
#include "src/labels/one/supervisely.hpp"
#include "src/labels/one/voc.hpp"

namespace qturn {
namespace {

/// Read a line at a time, for each turn: all words and edits of a label of 38 MB took 641 MiB.
class ParsedYolo : public ParsedLabel {
 public:
  explicit ParsedYolo(std::string_view text) : text_(text) {}
  std::string turned(const LabelTurn& turn) const override {
    return turn_yolo(text_, turn.orientation, turn.keypoints, turn.swap);
  }

 private:
  const std::string_view text_;
};

std::unique_ptr<ParsedLabel> parse_yolo(std::string_view text) {
  return std::make_unique<ParsedYolo>(text);
}

/// Of a format without keypoints.
template <LabelContent (*read)(std::string_view text)>
LabelContent read_without(std::string_view text, const std::optional<Keypoints>&) {
  return read(text);
}

}  // namespace

const LabelFormat label_formats[8] = {
    {"yolo", "YOLO", ".txt", "images", "labels", is_yolo, parse_yolo, read_yolo},
    {.option = "voc",
     .name = "Pascal VOC",
     .suffix = ".xml",
     .pictures = "jpegimages",
     .labels = "annotations",
     .is_of = is_voc,
     .parse = parse_voc,
     .read = read_without<read_voc>,
     .is_of_other = has_zero,
     .other = "voc:0"},
    {"labelme", "LabelMe", ".json", "", "", is_labelme, parse_labelme, read_without<read_labelme>},
    {.option = "dota",
     .name = "DOTA",
     .suffix = ".txt",
     .pictures = "images",
     .labels = "labeltxt",
     .is_of = is_dota,
     .parse = parse_dota,
     .read = read_without<read_dota>,
     .lies_apart = true},
    {.option = "supervisely",
     .name = "Supervisely",
     .suffix = ".json",
     .pictures = "img",
     .labels = "ann",
     .is_of = is_supervisely,
     .parse = parse_supervisely,
     .read = read_without<read_supervisely>,
     .follows_whole_name = true},
    {.option = "cityscapes",
     .name = "Cityscapes",
     .suffix = ".json",
     .pictures = "leftimg8bit",
     .labels = "gtfine",
     .is_of = is_cityscapes,
     .parse = parse_cityscapes,
     .read = read_without<read_cityscapes>,
     .picture_end = "_leftimg8bit",
     .label_end = "_gtFine_polygons"},
    {.option = "kitti",
     .name = "KITTI",
     .suffix = ".txt",
     .pictures = "image_2",
     .labels = "label_2",
     .is_of = is_flat_kitti,
     .parse = parse_kitti,
     .read = read_without<read_kitti>,
     .untrue_after_turn = "calib",
     .lies_apart = true},
    {.option = "voc:0",
     .name = "Pascal VOC from 0",
     .suffix = ".xml",
     .pictures = "jpegimages",
     .labels = "annotations",
     .is_of = is_voc,
     .parse = parse_voc_from_zero,
     .read = read_without<read_voc_from_zero>,
     .is_named_only = true},
};

}  // namespace qturn
