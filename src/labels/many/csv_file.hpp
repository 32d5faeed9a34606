// A CSV file of labels, read and turned without being held: memory grows with its pictures, not
// with its rows. As with COCO, it is read twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/many/csv.hpp"
#include "src/labels/many/hugging_face.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/text/csv_text.hpp"

namespace qturn {

class CsvContent : public LabelledImages {
 public:
  /// The index of the image of this name, as it is written in the file.
  std::optional<std::size_t> find(const std::string& file_name) const;
  const CsvColumns& columns() const { return columns_; }
  CsvUnit unit() const { return unit_; }
  /// "boxes from xmin, ymin, xmax, ymax, in pixels"
  std::string note() const override;
  bool has_geometry() const override {
    return !columns_.names.empty() || columns_.size || !problems_.empty();
  }
  bool may_be_corners() const override { return may_be_corners_; }

 private:
  friend class CsvReader;
  CsvColumns columns_;
  CsvUnit unit_ = CsvUnit::unknown;
  bool may_be_corners_ = false;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

/// Takes a file part by part. All throw LabelError for what concerns more than one image.
class CsvReader {
 public:
  explicit CsvReader(const SwapPairs& pairs = {}, BoxOrder order = BoxOrder::coco);
  void take(std::string_view part) { rows_.take(part); }
  /// Is called after the last part.
  CsvContent finish();

 private:
  void take_row(const CsvRows::Row& row);
  void take_unit(CsvUnit unit, TextPlace place);

  CsvContent content_;
  const BoxOrder order_;
  CsvRows rows_;
  bool has_header_ = false;
  // The first row that tells the unit, and the first that has coordinates.
  std::optional<TextPlace> tells_, has_shape_;
  PixelBoxes boxes_;
};

/// Takes the same file again, to check it or to draw it. Throws LabelError.
class CsvShapesReader : public SharedLabelWriter {
 public:
  /// `content` must outlive it.
  CsvShapesReader(const CsvContent& content, TellLabelContent tell);
  void take(std::string_view part) override { rows_.take(part); }
  void finish() override { rows_.finish(); }

 private:
  void take_row(const CsvRows::Row& row);

  const CsvContent& content_;
  const TellLabelContent tell_;
  CsvRows rows_;
  bool has_header_ = false;
};

/// Takes the same file again. Throws LabelError.
class CsvWriter {
 public:
  /// `content` must outlive it. `variants_of` is called with each image's index, and `append` with
  /// the text of the new file, part by part.
  CsvWriter(const CsvContent& content, VariantsOf variants_of, AppendText append);
  void take(std::string_view part) { rows_.take(part); }
  /// Is called after the last part.
  void finish();

 private:
  void take_row(const CsvRows::Row& row);
  void put(std::string_view text, std::string_view end);

  const CsvContent& content_;
  const VariantsOf variants_of_;
  const AppendText append_;
  CsvRows rows_;
  bool has_header_ = false;
  std::string end_of_line_;  // of the first row
  std::string pending_end_;  // of the row before, if another follows
  std::string ends_with_;    // of the row before, if none follows
};

}  // namespace qturn
