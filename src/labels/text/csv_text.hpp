// A CSV text, as RFC 4180 says: rows that end with LF or CRLF, fields between commas, or between
// semicolons or tabs, and quotes around fields. It may be too large for the memory, and comes part
// by part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/text/label_text.hpp"

namespace qturn {

class CsvRows {
 public:
  struct Row {
    std::string_view text, end;  ///< without the end of the line, and that
    TextPlace place;
  };

  explicit CsvRows(std::function<void(const Row&)> take_row) : take_row_(std::move(take_row)) {}

  /// Throws LabelError for a row that does not end, because a quote is missing.
  void take(std::string_view part);
  /// Is called after the last part.
  void finish();

 private:
  void hand_over();

  const std::function<void(const Row&)> take_row_;
  std::string row_;
  TextPlace begin_, next_;
  bool is_quoted_ = false;
};

/// Parts of `row`, with their quotes. `text` holds the row. Throws LabelError for a quote where
/// none may be.
std::vector<std::string_view> csv_fields(const LabelText& text, std::string_view row,
                                         char separator);

/// The part of a field that is its value: without quotes, and without blanks around it.
std::string_view csv_value(std::string_view field);

/// The value as it is meant: a quote in a field with quotes is written twice.
std::string csv_string(std::string_view field);

/// A field with this value, with quotes if it needs them.
std::string csv_field(const std::string& value, char separator);

/// Replaces the value of a field. The field gets quotes if it needs them.
void replace_csv_value(LabelText& edits, std::string_view field, const std::string& value,
                       char separator);

}  // namespace qturn
