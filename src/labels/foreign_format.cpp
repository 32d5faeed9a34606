#include "src/labels/foreign_format.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "src/labels/coordinates.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/one/label.hpp"
#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

using Text = std::string_view;

bool are_numbers(std::span<const Text> words) { return std::ranges::all_of(words, is_number); }

/// The first lines of a plain text.
Text begin_of(Text suffix, Text head) {
  if (suffix != ".txt") return {};
  constexpr std::size_t enough = 4096;
  return head.size() > enough ? head.substr(0, head.rfind('\n', enough)) : head;
}
std::vector<Words> first_lines(Text suffix, Text head) {
  return lines_of_words(begin_of(suffix, head));
}

std::vector<Text> first_fields(Text head) {
  const Text line = head.substr(0, head.find_first_of("\r\n"));
  std::vector<Text> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

bool is_table(Text suffix) { return suffix == ".csv" || suffix == ".tsv"; }

bool is_kitti(Text suffix, Text head) {
  const Text begin = begin_of(suffix, head);
  return is_any_kitti(begin) && !kitti_format.is_of(begin);
}

bool is_cvat_video(Text suffix, Text head) {
  return suffix == ".xml" && has_all(head, {"<annotations", "<track "});
}

bool is_image_folder(Text suffix, Text head) {
  return suffix != ".txt" && suffix != ".jsonl" && suffix != ".csv" &&
         has_all(head, {"\"file_name\"", "objects", "bbox"});
}

bool is_via_table(Text suffix, Text head) {
  return is_table(suffix) && has_all(head, {"region_shape_attributes"});
}

bool is_wider(Text suffix, Text head) {
  const auto lines = first_lines(suffix, head);
  return lines.size() > 2 && lines[0].size() == 1 && !is_number(lines[0][0]) &&
         lines[1].size() == 1 && is_number(lines[1][0]) && lines[2].size() >= 4 &&
         are_numbers(lines[2]);
}

bool is_celeba(Text, Text head) {
  return has_any(head, {"lefteye_x", "x_1 y_1 width height", "x_1,y_1,width,height"});
}

bool is_automl(Text suffix, Text head) {
  if (!is_table(suffix)) return false;
  const auto fields = first_fields(head);
  const Text set = fields.front();
  return fields.size() >= 7 && (set == "TRAIN" || set == "TRAINING" || set == "VALIDATION" ||
                                set == "TEST" || set == "UNASSIGNED" || set.starts_with("gs://"));
}

bool is_retinanet(Text suffix, Text head) {
  const auto fields = first_fields(head);
  return is_table(suffix) && fields.size() == 6 && !is_number(fields[0]) &&
         std::ranges::all_of(std::span(fields).subspan(1, 4),
                             [](Text field) { return field.empty() || is_number(field); });
}

bool is_label_studio_min(Text, Text head) {
  return !has_any(head, {"\"result\""}) &&
         has_any(head, {"rectanglelabels", "polygonlabels", "keypointlabels", "brushlabels"});
}

bool is_bdd(Text, Text head) { return has_any(head, {"\"box2d\"", "\"poly2d\""}); }

bool is_deeplabcut(Text suffix, Text head) {
  return is_table(suffix) && head.starts_with("scorer,");
}

constexpr Text one_format = "YOLO, Pascal VOC or COCO";
constexpr Text csv_with_names = "CSV by adding a first row that names the columns";
constexpr ForeignFormat foreign_formats[] = {
    {"UTF-16", "UTF-8", [](Text, Text head) { return is_utf_16(head); }},
    {"MATLAB", one_format, [](Text suffix, Text) { return suffix == ".mat"; }},
    {"ImageJ", one_format, [](Text suffix, Text) { return suffix == ".roi"; }},
    {"QuPath", one_format, [](Text suffix, Text) { return suffix == ".qpdata"; }},
    {"DeepLabCut", "COCO, its points as keypoints", is_deeplabcut},
    {"KITTI 3D", one_format, is_kitti},
    {"CVAT for video", "CVAT for images, which CVAT exports, too", is_cvat_video},
    {"VIA CSV", "JSON, which VIA exports, too", is_via_table},
    {"Label Studio JSON-MIN", "JSON, which Label Studio exports, too", is_label_studio_min},
    {"BDD100K", "COCO", is_bdd},
    {"Hugging Face ImageFolder", "JSON Lines", is_image_folder},
    {"WIDER FACE", one_format, is_wider},
    {"CelebA", "COCO, its landmarks as keypoints", is_celeba},
    {"AutoML", csv_with_names, is_automl},
    {"RetinaNet", csv_with_names, is_retinanet},
};

bool is_yolo_text(Text suffix, Text head) {
  const auto lines = first_lines(suffix, head);
  const auto number = lines.empty() ? std::nullopt : Decimal::parse(lines[0][0]);
  return number && number->whole() && lines[0].size() >= 5 && are_numbers(lines[0]);
}
bool is_dota_text(Text suffix, Text head) { return suffix == ".txt" && dota_format.is_of(head); }
bool is_voc_text(Text suffix, Text head) { return suffix == ".xml" && voc_format.is_of(head); }
bool is_labelme_text(Text suffix, Text head) {
  return suffix == ".json" && labelme_format.is_of(head);
}
bool is_supervisely_text(Text suffix, Text head) {
  return suffix == ".json" && supervisely_format.is_of(head);
}
bool is_cityscapes_text(Text suffix, Text head) {
  return suffix == ".json" && cityscapes_format.is_of(head);
}
bool is_kitti_text(Text suffix, Text head) { return kitti_format.is_of(begin_of(suffix, head)); }
constexpr ForeignFormat own_formats[] = {{"YOLO", "", is_yolo_text},
                                         {"DOTA", "", is_dota_text},
                                         {"Pascal VOC", "", is_voc_text},
                                         {"LabelMe", "", is_labelme_text},
                                         {"Supervisely", "", is_supervisely_text},
                                         {"Cityscapes", "", is_cityscapes_text},
                                         {"KITTI", "", is_kitti_text}};

const ForeignFormat* shared_format(Text suffix, Text head) {
  static const std::vector<ForeignFormat> formats = [] {
    std::vector<ForeignFormat> known;
    for (const SharedLabelFormat& format : shared_label_formats)
      known.push_back({format.name, "", nullptr});
    return known;
  }();
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const SharedLabelFormat& format = shared_label_formats[i];
    if (suffix == format.suffix && format.recogniser()(head).value_or(false)) return &formats[i];
  }
  return nullptr;
}

}  // namespace

const ForeignFormat* foreign_format(std::string_view lower_suffix, std::string_view head) {
  for (const std::span<const ForeignFormat> formats :
       {std::span<const ForeignFormat>(foreign_formats),
        std::span<const ForeignFormat>(own_formats)})
    for (const ForeignFormat& format : formats)
      if (format.is_of(lower_suffix, head)) return &format;
  return shared_format(lower_suffix, head);
}

}  // namespace qturn
