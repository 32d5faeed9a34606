#include "src/labels/many/coco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "src/labels/geometry.hpp"
#include "src/labels/json_picture.hpp"

namespace qturn {
namespace {

/// Shapes that others have added to COCO's.
constexpr std::string_view other_shapes[] = {
    "dp_masks",      "dp_I",      "dp_U",      "dp_V",          "dp_x",          "dp_y",
    "face_box",      "foot_kpts", "face_kpts", "lefthand_box",  "righthand_box", "rbbox",
    "lefthand_kpts", "obb",       "poly",      "righthand_kpts"};

/// Throws LabelError for members that may say where something is, and that nothing else reads.
void refuse_unknown(const JsonValue& object) {
  constexpr std::string_view known[] = {
      "id",           "image_id",  "category_id",   "area",  "iscrowd", "bbox",
      "segmentation", "keypoints", "num_keypoints", "width", "height",  "segments_info"};
  UnknownMembers unknown;
  for (const JsonValue member : object) {
    const std::string name = member.name();
    if (std::ranges::count(known, name) > 0) continue;
    // Detectron2: x, y, width, height, also with an angle.
    if (name == "bbox_mode" && member.text() != "1" && member.text() != "4")
      member.fail(fmt::format("bbox_mode {} cannot be turned", member.text()));
    if (name == "attributes" && member.kind() == JsonKind::object) {
      for (const JsonValue each : member)
        if (each.name() != "rotation") unknown.add(each);
    } else {
      unknown.add(member);
    }
  }
}

/// Appends the numbers of an array.
void add_numbers(JsonValue array, std::vector<JsonValue>& numbers) {
  for (const JsonValue value : array.expect(JsonKind::array)) {
    (void)value.number();
    numbers.push_back(value);
  }
}

/// Puts the turned point x, y in the place of another.
void turn_point(LabelText& edits, const CoordinateTurn& turn, const JsonValue* from,
                const JsonValue* to) {
  put(edits, turned(LabelPoint{from[0].number(), from[1].number()}, turn), to[0].text(),
      to[1].text());
}

/// "right_eye" for "left_eye" and the other way round; empty for "nose".
std::string other_side(const std::string& name) {
  constexpr std::string_view pairs[][2] = {{"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"}};
  for (const auto& [left, right] : pairs) {
    for (const auto& [from, to] : {std::pair{left, right}, std::pair{right, left}}) {
      const std::size_t at = name.find(from);
      if (at != std::string::npos) return std::string(name).replace(at, from.size(), to);
    }
  }
  return "";
}

CocoKeypoints keypoints_of(const std::vector<std::string>& names) {
  CocoKeypoints keypoints;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string other = other_side(names[i]);
    const auto found = other.empty() ? names.begin() + static_cast<std::ptrdiff_t>(i)
                                     : std::ranges::find(names, other);
    if (found == names.end()) {
      keypoints.problem =
          fmt::format("the category has a keypoint {} and none {}", names[i], other);
      return keypoints;
    }
    keypoints.flip.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  const bool are_sides_known =
      std::ranges::any_of(names, [](const std::string& name) { return !other_side(name).empty(); });
  if (names.size() > 1 && !are_sides_known)
    keypoints.problem = "the category has no keypoint that is called left or right";
  return keypoints;
}

/// "a" of "images/a.jpg"
std::string picture_stem(const std::string& path) {
  const std::string name = path.substr(path.find_last_of("/\\") + 1);
  return name.substr(0, name.rfind('.'));
}

/// An array of numbers, with the blanks of `like`.
std::string list_of(const RunLengths& numbers, JsonValue like) {
  const std::string_view text = like.text();
  std::string_view first, between = ", ", last;
  const char* end = nullptr;
  for (const JsonValue value : like) {
    const std::string_view number = value.text();
    const char* const begin = end ? end : text.data() + 1;
    const std::string_view gap(begin, static_cast<std::size_t>(number.data() - begin));
    (end ? between : first) = gap;
    end = number.data() + number.size();
  }
  if (end) last = {end, static_cast<std::size_t>(text.data() + text.size() - 1 - end)};
  return fmt::format("[{}{}{}]", first, fmt::join(numbers, between), last);
}

/// Whether all corners of outlines lie in a box that is turned clockwise around its middle, or less
/// than a pixel beside it.
bool holds(ShapePoint middle, ShapePoint extent, double radians, const JsonValue& outlines) {
  constexpr double beside = 1;
  const double cosine = std::cos(radians), sine = std::sin(radians);
  bool holds_any = false;
  for (const JsonValue outline : outlines) {
    std::vector<JsonValue> numbers;
    add_numbers(outline, numbers);
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
      const double x = numbers[i].number().value() - middle.x,
                   y = numbers[i + 1].number().value() - middle.y;
      if (std::abs(x * cosine + y * sine) > extent.x / 2 + beside ||
          std::abs(y * cosine - x * sine) > extent.y / 2 + beside)
        return false;
      holds_any = true;
    }
  }
  return holds_any;
}

}  // namespace

std::string add_coco_category(std::string_view text, TextPlace place, CocoCategories& categories) {
  const JsonText json(text, place);
  const JsonValue category = json.root();
  const auto named = category.find("name");
  std::string class_name =
      named && named->kind() == JsonKind::string ? named->string() : std::string();
  const auto keypoints = category.find("keypoints");
  if (!keypoints || keypoints->kind() == JsonKind::null) return class_name;
  std::vector<std::string> names;
  for (const JsonValue name : keypoints->expect(JsonKind::array)) names.push_back(name.string());
  if (!categories.try_emplace(id_in(category, "id"), keypoints_of(names)).second)
    category.fail("another category has the same id");
  return class_name;
}

std::string why_not_mirrored(const CocoCategories& categories, const std::string& category,
                             std::size_t keypoints) {
  const auto known = categories.find(category);
  if (known == categories.end())
    return fmt::format("category {} does not name its keypoints", category);
  if (!known->second.problem.empty()) return known->second.problem;
  if (known->second.flip.size() != keypoints) {
    return fmt::format("has {} keypoints, and category {} names {}", keypoints, category,
                       known->second.flip.size());
  }
  return "";
}

CocoImage::CocoImage(std::string_view text, TextPlace place)
    : text_(text),
      json_(text, place),
      id_(id_in(json_.root(), "id")),
      size_{side_of(json_.root().member("width")), side_of(json_.root().member("height"))},
      file_name_(json_.root().member("file_name").string()) {}

void CocoImage::check() const { refuse_unknown(json_.root()); }

std::string CocoImage::turned(const LabelledVariant& variant) const {
  const VariantTurn& turn = variant.turn;
  LabelText edits(text_);
  const JsonValue image = json_.root();
  replace_id(edits, image, "id", turn);
  if (swaps_axes(turn.orientation)) {
    const std::string_view width = image.member("width").text();
    const std::string_view height = image.member("height").text();
    edits.replace(width, std::string(height));
    edits.replace(height, std::string(width));
  }
  replace_string(edits, image.member("file_name"), renamed(file_name_, variant.name));
  rename_files(edits, variant.others);
  return edits.finish();
}

CocoAnnotation::CocoAnnotation(std::string_view text, TextPlace place)
    : text_(text), json_(text, place), image_(id_in(json_.root(), "image_id")) {
  // Panoptic annotations, one for each image, have no id.
  if (!json_.root().find("segments_info") || json_.root().find("id"))
    id_ = id_in(json_.root(), "id");
}

void CocoAnnotation::read_shapes() {
  const JsonValue annotation = json_.root();
  const auto shape = [&](std::string_view name) {
    auto found = annotation.find(name);
    if (found && found->kind() == JsonKind::null) found.reset();
    return found;
  };
  for (const std::string_view other : other_shapes)
    if (const auto found = shape(other)) found->fail(fmt::format("{} cannot be turned", other));
  refuse_unknown(annotation);
  if (const auto box = shape("bbox")) add_box(*box, category_id());
  if (const auto segments = shape("segments_info")) {
    mask_name_ = annotation.member("file_name");
    (void)mask_name_->string();
    for (const JsonValue segment : segments->expect(JsonKind::array)) {
      refuse_unknown(segment.expect(JsonKind::object));
      if (const auto box = segment.find("bbox")) add_box(*box, category_of(segment));
    }
  }
  if (const auto keypoints = shape("keypoints")) {
    add_numbers(*keypoints, keypoints_);
    if (keypoints_.size() % 3 != 0)
      keypoints->fail(fmt::format("keypoints has {} numbers, expected x, y and visibility of each",
                                  keypoints_.size()));
    if (!keypoints_.empty()) category_ = id_in(annotation, "category_id");
  }
  if (const auto attributes = shape("attributes");
      attributes && attributes->kind() == JsonKind::object) {
    rotation_ = attributes->find("rotation");
    if (rotation_) (void)rotation_->number();
  }
  const auto segmentation = shape("segmentation");
  if (!segmentation) return;
  if (segmentation->kind() == JsonKind::object) return read_mask(*segmentation);
  for (const JsonValue polygon : segmentation->expect(JsonKind::array)) {
    add_numbers(polygon, points_);
    if (points_.size() % 2 != 0) polygon.fail("a polygon has an odd number of coordinates");
  }
}

/// Whether five numbers are Detectron2's. Throws LabelError if nothing tells.
bool CocoAnnotation::is_middle(JsonValue box, const std::vector<JsonValue>& numbers) const {
  const auto value = [&](std::size_t i) { return numbers[i].number().value(); };
  const ShapePoint first = {value(0), value(1)}, extent = {value(2), value(3)};
  const double angle = value(4);
  const auto outlines = json_.root().find("segmentation");
  if (outlines && outlines->kind() == JsonKind::array) {
    const ShapePoint middle = {first.x + extent.x / 2, first.y + extent.y / 2};
    const bool is_middle = holds(first, extent, -angle * std::numbers::pi / 180, *outlines);
    if (is_middle != holds(middle, extent, -angle, *outlines)) return is_middle;
  }
  const auto mode = json_.root().find("bbox_mode");
  if ((mode && mode->text() == "4") || std::abs(angle) > 2 * std::numbers::pi) return true;
  box.fail(
      "five numbers of a bbox are the middle, width, height and degrees (Detectron2), or the "
      "corner, width, height and radians (NVIDIA ODTK), and nothing tells which; \"bbox_mode\": 4 "
      "beside it says the first, a segmentation with the corners of the box says either");
}

void CocoAnnotation::add_box(JsonValue box, std::optional<std::string> category) {
  std::vector<JsonValue> numbers;
  add_numbers(box, numbers);
  if (numbers.empty()) return;
  if (numbers.size() != 4 && numbers.size() != 5)
    box.fail(
        fmt::format("bbox has {} numbers, expected x, y, width and height, and perhaps an angle",
                    numbers.size()));
  const bool by_middle = numbers.size() == 5 && is_middle(box, numbers);
  boxes_.push_back({std::move(numbers), std::move(category), by_middle});
}

void CocoAnnotation::read_mask(JsonValue segmentation) {
  const JsonValue size = segmentation.member("size"), counts = segmentation.member("counts");
  add_numbers(size, mask_sides_);
  if (mask_sides_.size() != 2)
    size.fail(fmt::format("size has {} numbers, expected height and width", mask_sides_.size()));
  mask_size_ = {side_of(mask_sides_[1]), side_of(mask_sides_[0])};
  if (counts.kind() == JsonKind::string) {
    auto runs = runs_of_code(counts.string());
    if (!runs) counts.fail("counts is not a compressed mask");
    runs_ = std::move(*runs);
  } else {
    for (const JsonValue count : counts.expect(JsonKind::array))
      runs_.push_back(static_cast<std::uint32_t>(side_of(count)));
  }
  if (mask_size_->height > 0 && mask_size_->width > most_mask_pixels / mask_size_->height)
    size.fail(fmt::format("a mask of more than {} pixels cannot be turned", most_mask_pixels));
  if (!fill(runs_, *mask_size_)) {
    counts.fail(
        fmt::format("counts do not fill {} x {} pixels", mask_size_->width, mask_size_->height));
  }
  counts_ = counts;
}

std::optional<std::string> CocoAnnotation::category_of(JsonValue object) {
  if (!object.find("category_id")) return std::nullopt;
  return id_in(object, "category_id");
}

std::vector<LabelShape> CocoAnnotation::shapes(TextPlace place, const CategoryName& name_of) const {
  std::vector<LabelShape> shapes;
  std::string category = name_of(category_id());
  const auto add = [&](ShapeKind kind, std::vector<ShapePoint> points) {
    shapes.push_back(
        {.kind = kind, .place = place, .category = category, .points = std::move(points)});
  };
  const auto value = [](const JsonValue& number) { return number.number().value(); };
  for (const auto& [box, of, by_middle] : boxes_) {
    const double x = value(box[0]), y = value(box[1]), across = value(box[2]), down = value(box[3]);
    if (box.size() == 4) {
      const double rotation = rotation_ ? value(*rotation_) : 0;
      LabelShape shape = box_of_cvat({x, y}, {x + across, y + down}, rotation);
      add(shape.kind, std::move(shape.points));
    } else {
      const ShapePoint middle =
          by_middle ? ShapePoint{x, y} : ShapePoint{x + across / 2, y + down / 2};
      const double radians = value(box[4]) * (by_middle ? std::numbers::pi / 180 : 1);
      add(ShapeKind::polygon, rotated_box(middle, {across, down}, -radians));
    }
    if (mask_name_) shapes.back().category = name_of(of);
  }
  if (counts_) {
    add(ShapeKind::mask, {});
    shapes.back().size = *mask_size_;
    shapes.back().runs = runs_;
  } else if (const auto polygons = json_.root().find("segmentation")) {
    for (const JsonValue polygon : *polygons) {
      std::vector<JsonValue> numbers;
      add_numbers(polygon, numbers);
      std::vector<ShapePoint> points;
      for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
        points.push_back({value(numbers[i]), value(numbers[i + 1])});
      add(ShapeKind::polygon, std::move(points));
    }
  }
  std::vector<ShapePoint> there;
  for (std::size_t i = 0; i < keypoints(); ++i) {
    // 0, 0, 0 says that there is none. Others name pixels.
    const ShapePoint point = {value(keypoints_[3 * i]), value(keypoints_[3 * i + 1])};
    if (value(keypoints_[3 * i + 2]) > 0 || point.x != 0 || point.y != 0)
      there.push_back({point.x + 0.5, point.y + 0.5});
  }
  if (!there.empty()) add(ShapeKind::points, std::move(there));
  return shapes;
}

std::string CocoAnnotation::turned(const LabelledVariant& variant, const std::string& image_name,
                                   Size size, const CocoCategories& categories,
                                   const ClassSwap& swap) const {
  const VariantTurn& turn = variant.turn;
  LabelText edits(text_);
  const JsonValue annotation = json_.root();
  if (id_) replace_id(edits, annotation, "id", turn);
  replace_id(edits, annotation, "image_id", turn);
  if (mask_name_) {
    // What follows the stem of the image, as the mask's own name gets it.
    const std::string name = mask_name_->string();
    const std::size_t begin = name.find_last_of("/\\") + 1, stem = picture_stem(image_name).size();
    if (name.size() < begin + stem)
      mask_name_->fail(fmt::format("{} is not named after {}", name, image_name));
    replace_string(edits, *mask_name_,
                   name.substr(0, begin) + picture_stem(variant.name) + name.substr(begin + stem));
  }
  const auto swap_category = [&](JsonValue object) {
    if (const auto category = object.find("category_id"))
      replace_class(edits, *category, swap, turn.orientation);
  };
  swap_category(annotation);
  if (const auto segments = annotation.find("segments_info")) {
    for (const JsonValue segment : *segments) swap_category(segment);
  }
  const CoordinateTurn coordinates{turn.orientation, size.width, size.height};
  for (const auto& [at, category, by_middle] : boxes_) {
    const LabelBox read = {{at[0].number(), at[1].number()}, {at[2].number(), at[3].number()}};
    LabelBox box = turned_box(read, coordinates);
    if (by_middle) box.corner = qturn::turned(read.corner, coordinates);
    if (at.size() == 5) {
      const Decimal angle = at[4].number();
      edits.replace(at[4].text(), turned_angle(angle, angle.mirrored(0), turn.orientation).text());
    }
    put(edits, box.corner, at[0].text(), at[1].text());
    put(edits, box.extent, at[2].text(), at[3].text());
  }
  if (rotation_) {
    edits.replace(rotation_->text(), turned_angle(rotation_->number(), turn.orientation).text());
  }
  for (std::size_t i = 0; i + 1 < points_.size(); i += 2)
    turn_point(edits, coordinates, &points_[i], &points_[i]);
  if (counts_) turn_mask(edits, turn.orientation, size);
  if (!keypoints_.empty()) turn_keypoints(edits, turn.orientation, size, categories);
  return edits.finish();
}

void CocoAnnotation::turn_keypoints(LabelText& edits, Orientation orientation, Size size,
                                    const CocoCategories& categories) const {
  const bool is_mirrored = mirrors(orientation);
  if (is_mirrored) {
    const std::string why = why_not_mirrored(categories, category_, keypoints());
    if (!why.empty()) keypoints_.front().fail(why);
  }
  const CoordinateTurn coordinates{orientation, size.width - 1, size.height - 1};
  for (std::size_t i = 0; i < keypoints(); ++i) {
    const std::size_t from = is_mirrored ? categories.at(category_).flip[i] : i;
    const JsonValue* const there = &keypoints_[3 * from];
    const JsonValue* const here = &keypoints_[3 * i];
    const auto is_zero = [](const JsonValue& value) { return value.number().is_zero(); };
    // 0, 0, 0 says that there is none.
    if (std::all_of(there, there + 3, is_zero)) {
      for (int k = 0; k < 2; ++k) edits.replace(here[k].text(), std::string(there[k].text()));
    } else {
      turn_point(edits, coordinates, there, here);
    }
    edits.replace(here[2].text(), std::string(there[2].text()));
  }
}

void CocoAnnotation::turn_mask(LabelText& edits, Orientation orientation, Size size) const {
  if (*mask_size_ != size) {
    mask_sides_.front().fail(fmt::format("the mask is {} x {}, the image {} x {}",
                                         mask_size_->width, mask_size_->height, size.width,
                                         size.height));
  }
  if (orientation == Orientation::identity) return;
  const RunLengths runs = turned_runs(runs_, size, orientation);
  edits.replace(counts_->text(), counts_->kind() == JsonKind::string
                                     ? json_string(code_of_runs(runs), true).value()
                                     : list_of(runs, *counts_));
  if (!swaps_axes(orientation)) return;
  edits.replace(mask_sides_[0].text(), std::string(mask_sides_[1].text()));
  edits.replace(mask_sides_[1].text(), std::string(mask_sides_[0].text()));
}

}  // namespace qturn
