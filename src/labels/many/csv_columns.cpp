#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "src/labels/many/csv.hpp"
#include "src/labels/many/hugging_face.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

using Names = std::span<const std::string_view>;

// Names in small letters and digits: x_min, XMin and "x min" are all xmin.
constexpr std::string_view pictures[] = {"filename",  "file",  "image",    "imagename",
                                         "imagefile", "img",   "imageid",  "path",
                                         "imagepath", "imgid", "filepath", "imagefilename"};
constexpr std::string_view pictures_in_words =
    "filename, file_name, image, ImageID, path or image_path";

struct Shape {
  CsvShape shape;
  std::array<std::string_view, 4> columns;  ///< of a point the first two
};
/// If several fit, the first counts.
constexpr Shape shapes[] = {{CsvShape::corners, {"xmin", "ymin", "xmax", "ymax"}},
                            {CsvShape::corners, {"x1", "y1", "x2", "y2"}},
                            {CsvShape::corners, {"left", "top", "right", "bottom"}},
                            {CsvShape::box, {"x", "y", "w", "h"}},
                            {CsvShape::box, {"x", "y", "width", "height"}},
                            {CsvShape::box, {"xmin", "ymin", "w", "h"}},
                            {CsvShape::box, {"xmin", "ymin", "width", "height"}},
                            {CsvShape::box, {"left", "top", "w", "h"}},
                            {CsvShape::box, {"left", "top", "width", "height"}},
                            {CsvShape::point, {"x", "y"}}};
constexpr std::string_view shapes_in_words =
    "xmin, ymin, xmax, ymax; or x1, y1, x2, y2; or left, top, right, bottom; or x, y, width, "
    "height; or x, y";

constexpr std::string_view category_names[] = {"class",     "classname", "label",
                                               "labelname", "category",  "categoryname",
                                               "classid",   "labelid",   "categoryid"};
constexpr std::string_view coordinates[] = {"xmin", "ymin", "xmax", "ymax", "x1",    "y1",
                                            "x2",   "y2",   "left", "top",  "right", "bottom",
                                            "x",    "y",    "w",    "h"};
constexpr std::string_view other_coordinates[] = {
    "bbox",         "bboxes",      "boundingbox", "polygon",  "polygons",
    "segmentation", "rle",         "xcenter",     "ycenter",  "centerx",
    "centery",      "xc",          "yc",          "cx",       "cy",
    "keypoints",    "landmarks",   "angle",       "theta",    "encodedpixels",
    "xcentre",      "ycentre",     "centrex",     "centrey",  "x3",
    "y3",           "x4",          "y4",          "xtl",      "ytl",
    "xbr",          "ybr",         "rotation",    "x0",       "y0",
    "boxes",        "boxesstring", "poly",        "geometry", "wkt",
    "contour",      "maskrle",     "vertices"};

bool is_among(std::string_view name, Names words) { return std::ranges::count(words, name) > 0; }

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  return result;
}

/// "xmin" of "bbox_xmin" and "w" of "bbox_width"; the sides of the picture are "picture width" and
/// "picture height".
std::string meaning(std::string_view name) {
  std::string all = plain(name);
  for (const std::string_view of_picture : {"image", "img", "im"})
    for (const std::string_view side : {"width", "height"})
      if (all == std::string(of_picture) + std::string(side)) return "picture " + std::string(side);
  for (const std::string_view of_box : {"bbox", "box", "roi"}) {
    if (!all.starts_with(of_box)) continue;
    std::string rest = all.substr(of_box.size());
    if (rest == "width" || rest == "height") return rest.substr(0, 1);
    if (is_among(rest, coordinates) || is_among(rest, other_coordinates)) return rest;
  }
  return all;
}

char separator_of(std::string_view header) {
  bool is_quoted = false, any[2] = {};
  for (const char c : header) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == ',') return ',';
    any[0] = any[0] || c == ';';
    any[1] = any[1] || c == '\t';
  }
  return any[0] ? ';' : any[1] ? '\t' : ',';
}

class HeaderLine {
 public:
  explicit HeaderLine(std::string_view text) : text_(text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    columns_.separator = separator_of(text);
    fields_ = csv_fields(text_, text, columns_.separator);
    for (const std::string_view field : fields_) meanings_.push_back(meaning(csv_value(field)));
    is_taken_.resize(fields_.size());
  }

  bool names_labels() const { return find_any(pictures) && names_coordinates(); }

  bool names_coordinates() const {
    const auto is_point = [&](std::string_view field) { return is_named_point(csv_value(field)); };
    return find_any(coordinates) || find_any(other_coordinates) ||
           std::ranges::any_of(fields_, is_point);
  }

  CsvColumns read() {
    columns_.count = fields_.size();
    take_picture();
    columns_.are_hugging_face = csv_value(fields_[columns_.picture]).ends_with("file_name");
    if (columns_.are_hugging_face) take_boxes();
    refuse_others();
    if (!columns_.boxes && (!columns_.are_hugging_face || find_any(coordinates))) take_shape();
    take_clicks();
    take_size();
    columns_.category = find_any(category_names);
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      if (is_taken_[column] || !is_among(meanings_[column], coordinates)) continue;
      text_.fail(fields_[column],
                 fmt::format("column {} is a second set of coordinates, beside {}; leave one out",
                             csv_value(fields_[column]), fmt::join(columns_.names, ", ")));
    }
    find_unknown();
    return std::move(columns_);
  }

 private:
  std::optional<std::size_t> find_any(Names words) const {
    for (std::size_t column = 0; column < meanings_.size(); ++column)
      if (is_among(meanings_[column], words)) return column;
    return std::nullopt;
  }

  /// Throws if two columns are called so.
  std::optional<std::size_t> find(std::string_view word) const {
    const auto found = std::ranges::find(meanings_, word);
    if (found == meanings_.end()) return std::nullopt;
    const auto column = static_cast<std::size_t>(found - meanings_.begin());
    const auto again = std::find(found + 1, meanings_.end(), word);
    if (again != meanings_.end()) {
      const std::string_view second = fields_[static_cast<std::size_t>(again - meanings_.begin())];
      text_.fail(second, fmt::format("column {} means the same as {}", csv_value(second),
                                     csv_value(fields_[column])));
    }
    return column;
  }

  void take_picture() {
    const auto found = find_any(pictures);
    if (!found)
      text_.fail(text_.all(),
                 fmt::format("the first row names no column for the picture, such as {}",
                             pictures_in_words));
    columns_.picture = *found;
    is_taken_[*found] = true;
    for (std::size_t column = *found + 1; column < fields_.size(); ++column) {
      if (!is_among(meanings_[column], pictures)) continue;
      text_.fail(
          fields_[column],
          fmt::format("columns {} and {} may both name the picture; rename the one that does not",
                      csv_value(fields_[*found]), csv_value(fields_[column])));
    }
  }

  void take_boxes() {
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      const std::string_view name = csv_value(fields_[column]);
      if (!is_taken_[column] && (name.ends_with("file_name") || name.ends_with("file_names")))
        text_.fail(name, fmt::format("{} names another file, which would not be turned", name));
      if (!holds_boxes(name) || columns_.boxes) continue;
      columns_.boxes = column;
      columns_.names.emplace_back(name);
      is_taken_[column] = true;
    }
  }

  void refuse_others() const {
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      const std::string_view name = csv_value(fields_[column]);
      const bool is_other = is_among(meanings_[column], other_coordinates) || is_named_point(name);
      if (!is_taken_[column] && (is_other || (columns_.boxes && holds_boxes(name))))
        text_.fail(fields_[column], fmt::format("column {} cannot be turned", name));
    }
  }

  /// "nose_x", if there is also "nose_y", and "nose_x1" with "nose_y1".
  bool is_named_point(std::string_view name) const {
    constexpr std::string_view ends[] = {"_x", "_X", ".x", ".X", " x", " X"};
    const std::size_t length = name.find_last_not_of("0123456789") + 1;
    if (length < 3 || !is_among(name.substr(length - 2, 2), ends)) return false;
    if (is_among(meaning(name), coordinates)) return false;
    std::string other(name);
    other[length - 1] = other[length - 1] == 'x' ? 'y' : 'Y';
    return std::ranges::any_of(fields_,
                               [&](std::string_view field) { return csv_value(field) == other; });
  }

  void take_shape() {
    for (const Shape& shape : shapes) {
      std::vector<std::size_t> found;
      const std::size_t words = shape.shape == CsvShape::point ? 2 : 4;
      for (const std::string_view word : Names(shape.columns).first(words))
        if (const auto column = find(word)) found.push_back(*column);
      if (found.size() != words) continue;
      columns_.shape = shape.shape;
      columns_.coordinates = found;
      for (const std::size_t column : found) {
        columns_.names.emplace_back(csv_value(fields_[column]));
        is_taken_[column] = true;
      }
      return;
    }
    text_.fail(text_.all(),
               fmt::format("the first row does not name the columns of a box or a point: {}",
                           shapes_in_words));
  }

  /// The extreme points of a box, which Open Images has for some of its boxes.
  void take_clicks() {
    for (const char number : {'1', '2', '3', '4'}) {
      const auto x = find(fmt::format("xclick{}x", number)),
                 y = find(fmt::format("xclick{}y", number));
      if (x && y) columns_.clicks.emplace_back(*x, *y);
    }
  }

  void take_size() {
    for (const std::string_view of : {"", "picture "}) {
      const auto width = find_free(std::string(of) + "width"),
                 height = find_free(std::string(of) + "height");
      if (!width && !height) continue;
      if (!width || !height) {
        text_.fail(fields_[width ? *width : *height],
                   "width and height of the picture are not both there");
      }
      if (columns_.size)
        text_.fail(fields_[*width], "there are two sets of columns for the size of the picture");
      columns_.size = {*width, *height};
    }
  }

  std::optional<std::size_t> find_free(const std::string& word) const {
    const auto column = find(word);
    return column && !is_taken_[*column] ? column : std::nullopt;
  }

  void find_unknown() {
    if (columns_.category) is_taken_[*columns_.category] = true;
    for (const auto& [first, second] : columns_.clicks) is_taken_[first] = is_taken_[second] = true;
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      const std::string& is = meanings_[column];
      const bool is_side = is.ends_with("width") || is.ends_with("height");
      if (!is_taken_[column] && !is_side)
        columns_.unknown.emplace_back(column, csv_value(fields_[column]));
    }
  }

  LabelText text_;
  CsvColumns columns_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> meanings_;
  std::vector<bool> is_taken_;
};

}  // namespace

CsvColumns read_csv_header(std::string_view text) { return HeaderLine(text).read(); }

bool names_labels(std::string_view header) try {
  if (header.ends_with('\r')) header.remove_suffix(1);
  return HeaderLine(header).names_labels();
} catch (const LabelError&) {
  return false;
}

}  // namespace qturn
