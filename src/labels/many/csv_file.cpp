#include "src/labels/many/csv_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/labels/label_shapes.hpp"

namespace qturn {
namespace {

void compare_size(const LabelledImages::Image& image, const CsvRow& row, TextPlace place) {
  if (!row.size() || !image.size || image.size == row.size()) return;
  throw LabelError(
      place, fmt::format("says {} x {}, another row of the picture {} x {}", row.size()->width,
                         row.size()->height, image.size->width, image.size->height));
}

}  // namespace

std::optional<std::size_t> CsvContent::find(const std::string& file_name) const {
  const auto found = by_name_.find(file_name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::string CsvContent::note() const {
  if (columns_.names.empty()) return "";
  const char* unit = "";  // no row has coordinates
  if (unit_ == CsvUnit::pixels || columns_.boxes) unit = ", in pixels";
  if (unit_ == CsvUnit::fractions) unit = ", as fractions";
  return fmt::format("{} from {}{}", columns_.shape == CsvShape::point ? "points" : "boxes",
                     fmt::join(columns_.names, ", "), unit);
}

CsvReader::CsvReader(const SwapPairs& pairs, BoxOrder order)
    : order_(order), rows_([this](const CsvRows::Row& row) { take_row(row); }) {
  content_.swap_ = pairs.classes;
}

CsvContent CsvReader::finish() {
  rows_.finish();
  if (!has_header_) throw LabelError({}, "is empty");
  boxes_.finish();
  content_.may_be_corners_ = boxes_.may_be_corners();
  if (has_shape_ && !tells_) {
    throw LabelError(*has_shape_,
                     "no row tells whether the coordinates are pixels or fractions of the "
                     "picture: a whole number above 1 is in pixels, decimals and none above "
                     "1 has fractions");
  }
  return std::move(content_);
}

void CsvReader::take_row(const CsvRows::Row& row) {
  if (!std::exchange(has_header_, true)) {
    content_.columns_ = read_csv_header(row.text);
    content_.columns_.order = order_;
    return;
  }
  if (row.text.empty()) return;
  CsvRow read(row, content_.columns_);
  const auto index = static_cast<std::uint32_t>(content_.images_.size());
  const auto [known, is_new] = content_.by_name_.try_emplace(read.file_name(), index);
  if (is_new)
    content_.images_.push_back(
        {.file_name = read.file_name(), .place = row.place, .is_listed = true});
  CsvContent::Image& image = content_.images_[known->second];
  ++image.annotations;
  for (std::string& other : read.others()) image.others.insert(std::move(other));
  content_.saw_class(read.category());
  try {
    read.read_shape();
    if (!image.size) image.size = read.size();
    compare_size(image, read, row.place);
  } catch (const LabelError& error) {
    content_.problems_.try_emplace(known->second, error.what());
    return;
  }
  for (const LabelShape& box : read.boxes()) {
    content_.saw_class(box.category);
    boxes_.add(image, box);
  }
  if (!read.has_shape()) return;
  if (!has_shape_) has_shape_ = row.place;
  if (!image.box_size) image.box_size = read.box_size();
  take_unit(read.unit(), row.place);
}

void CsvReader::take_unit(CsvUnit unit, TextPlace place) {
  if (unit == CsvUnit::unknown || unit == content_.unit_) return;
  if (content_.unit_ != CsvUnit::unknown) {
    const bool are_pixels = unit == CsvUnit::pixels;
    throw LabelError(place,
                     fmt::format("the coordinates look like {}, but in line {} like {}",
                                 are_pixels ? "pixels" : "fractions of the picture", tells_->line,
                                 are_pixels ? "fractions of the picture" : "pixels"));
  }
  content_.unit_ = unit;
  tells_ = place;
}

CsvShapesReader::CsvShapesReader(const CsvContent& content, TellLabelContent tell)
    : content_(content),
      tell_(std::move(tell)),
      rows_([this](const CsvRows::Row& row) { take_row(row); }) {}

void CsvShapesReader::take_row(const CsvRows::Row& row) {
  if (!std::exchange(has_header_, true) || row.text.empty()) return;
  CsvRow read(row, content_.columns());
  const auto image = content_.find(read.file_name());
  if (!image) return;  // the file has changed since
  LabelContent content{.is_normalised = content_.unit() == CsvUnit::fractions};
  attempt(&content, [&] {
    read.read_shape();
    content.shapes = read.shapes(content_.unit());
    compare_size(content_[*image], read, row.place);
  });
  tell_(*image, std::move(content));
}

CsvWriter::CsvWriter(const CsvContent& content, VariantsOf variants_of, AppendText append)
    : content_(content),
      variants_of_(std::move(variants_of)),
      append_(std::move(append)),
      rows_([this](const CsvRows::Row& row) { take_row(row); }) {}

void CsvWriter::take_row(const CsvRows::Row& row) {
  if (!std::exchange(has_header_, true)) {
    end_of_line_ = row.end.empty() ? "\n" : row.end;
    return put(row.text, row.end);
  }
  if (row.text.empty()) return put(row.text, row.end);
  CsvRow read(row, content_.columns());
  const auto image = content_.find(read.file_name());
  if (!image) {
    throw LabelError(row.place, fmt::format("{} was not there before the run", read.file_name()));
  }
  const std::vector<LabelledVariant>& variants = variants_of_(*image);
  if (variants.empty()) return;
  if (variants.front().is_kept) return put(row.text, row.end);
  read.read_shape();
  for (const LabelledVariant& variant : variants)
    put(read.turned(variant, content_.unit(), content_.swap()), row.end);
}

// The last row may have no end, its copies need one.
void CsvWriter::put(std::string_view text, std::string_view end) {
  append_(pending_end_);
  append_(text);
  pending_end_ = end.empty() ? end_of_line_ : end;
  ends_with_ = end;
}

void CsvWriter::finish() {
  rows_.finish();
  append_(ends_with_);
}

}  // namespace qturn
