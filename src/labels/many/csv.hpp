// A CSV file of labels: its columns, which are known by their names, and its rows, each turned by
// itself. csv_file.hpp is about the whole file.
//
//   filename,width,height,class,xmin,ymin,xmax,ymax
//   a.jpg,640,480,cat,10,20.5,110,220
//
// A row has a box or a point, in pixels or as fractions of the picture. The sides of a box lie
// between pixels, from 0 to the width; a point names a pixel, from 0 to the width minus 1, as a
// keypoint of COCO does. Or it has boxes in JSON, as Hugging Face's metadata.csv, whose pictures
// are in the column file_name. All other columns stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/many/hugging_face.hpp"
#include "src/labels/text/csv_text.hpp"
#include "src/labels/text/decimal.hpp"

namespace qturn {

enum class CsvShape : std::uint8_t { corners, box, point };
enum class CsvUnit : std::uint8_t { unknown, pixels, fractions };

/// The numbers of columns.
struct CsvColumns {
  char separator = ',';
  std::size_t count = 0, picture = 0;
  CsvShape shape = CsvShape::corners;
  std::vector<std::size_t> coordinates = {};  ///< xmin, ymin, xmax, ymax; x, y, w, h; or x, y
  bool are_hugging_face = false;
  BoxOrder order = BoxOrder::coco;                               ///< of the boxes
  std::optional<std::size_t> boxes = {};                         ///< of Hugging Face, in JSON
  std::vector<std::string> names = {};                           ///< of the coordinates and boxes
  std::vector<std::pair<std::size_t, std::size_t>> clicks = {};  ///< Open Images: x, y of points
  std::optional<std::pair<std::size_t, std::size_t>> size = {};  ///< width, height of the picture
  std::optional<std::size_t> category = {};
  std::vector<std::pair<std::size_t, std::string>> unknown = {};  ///< others, with their names
};

/// Reads the names of the columns in the first row. Throws LabelError if it names no picture,
/// coordinates that cannot be turned or, unless it is Hugging Face's, no coordinates.
CsvColumns read_csv_header(std::string_view text);

/// Whether a first row names a picture and any coordinates, even if they cannot be turned.
bool names_labels(std::string_view header);

/// The text and the columns must outlive it. All members throw LabelError.
class CsvRow {
 public:
  CsvRow(const CsvRows::Row& row, const CsvColumns& columns);

  const std::string& file_name() const { return file_name_; }
  /// Empty if no column has it.
  std::string category() const {
    return columns_.category ? csv_string(fields_[*columns_.category]) : "";
  }

  /// Fields that may name other files, in columns that say nothing else: "a_m01.png".
  std::vector<std::string> others() const;

  /// Reads the shape of the row. Must be called before the rest. Throws if the row cannot be
  /// turned.
  void read_shape();

  const std::optional<Size>& size() const { return size_; }
  bool has_shape() const { return !coordinates_.empty(); }
  const std::vector<LabelShape>& boxes() const { return boxes_.shapes; }
  /// The width and height of a box that does not begin at 0, 0, if both are whole numbers.
  std::optional<Size> box_size() const;
  /// The unit, as far as the coordinates alone tell.
  CsvUnit unit() const;
  /// The shapes of the row. Throws as read_shape(), which comes before.
  std::vector<LabelShape> shapes(CsvUnit unit) const;

  /// `variant.name` takes the place of the last part of file_name().
  std::string turned(const LabelledVariant& variant, CsvUnit unit, const ClassSwap& swap) const;

 private:
  void read_size();
  bool says_else(std::size_t column) const;
  std::optional<Decimal> number_in(std::size_t column) const;
  bool is_empty(std::size_t column) const { return csv_value(fields_[column]).empty(); }
  void put(LabelText& edits, std::size_t column, const Decimal& number) const;
  TextPlace place_of(std::size_t column) const {
    return LabelText(text_, place_).place_of(csv_value(fields_[column]));
  }
  void refuse_unknown() const;
  std::string turned_boxes(const LabelledVariant& variant, const ClassSwap& swap,
                           LabelContent* content) const;

  const std::string_view text_;
  const TextPlace place_;
  const CsvColumns& columns_;
  std::vector<std::string_view> fields_;
  std::string file_name_;
  std::optional<Size> size_;
  std::vector<Decimal> coordinates_;
  LabelContent boxes_;
};

}  // namespace qturn
