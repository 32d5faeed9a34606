#include "src/labels/text/csv_text.hpp"

#include <algorithm>

#include "src/labels/labelled_images.hpp"

namespace qturn {
namespace {

bool is_quoted(std::string_view field) { return field.starts_with('"'); }

/// The end of a quoted field, after its closing quote.
std::size_t end_of_quoted(const LabelText& text, std::string_view row) {
  for (std::size_t at = 1;; at += 2) {
    at = row.find('"', at);
    if (at == std::string_view::npos) text.fail(row, "the field has no closing quote");
    if (!row.substr(at + 1).starts_with('"')) return at + 1;
  }
}

std::string doubled_quotes(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return text;
}

}  // namespace

void CsvRows::take(std::string_view part) {
  constexpr std::size_t longest = 1 << 20;
  for (const char c : part) {
    row_ += c;
    ++next_.column;
    if (c == '"') is_quoted_ = !is_quoted_;
    if (c == '\n') next_ = {.line = next_.line + 1, .column = 1};
    if (c == '\n' && !is_quoted_) hand_over();
    if (row_.size() > longest)
      throw LabelError(begin_, "a row of more than 1 MiB; a closing quote may be missing");
  }
}

void CsvRows::finish() {
  if (is_quoted_) throw LabelError(begin_, "a closing quote is missing in this row");
  if (!row_.empty()) hand_over();
}

void CsvRows::hand_over() {
  const std::string_view row = row_;
  const std::size_t end = row.ends_with("\r\n") ? 2 : row.ends_with('\n') ? 1 : 0;
  take_row_({row.substr(0, row.size() - end), row.substr(row.size() - end), begin_});
  row_.clear();
  begin_ = next_;
}

std::vector<std::string_view> csv_fields(const LabelText& text, std::string_view row,
                                         char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    std::size_t end = std::min(row.find(separator), row.size());
    if (is_quoted(row)) {
      end = end_of_quoted(text, row);
      if (end < row.size() && row[end] != separator)
        text.fail(row.substr(end), "the field goes on after its closing quote");
    } else if (const std::size_t quote = row.substr(0, end).find('"');
               quote != std::string_view::npos) {
      text.fail(row.substr(quote), "a quote in a field that does not begin with one");
    }
    fields.push_back(row.substr(0, end));
    if (end == row.size()) return fields;
    row.remove_prefix(end + 1);
  }
}

std::string_view csv_value(std::string_view field) {
  constexpr std::string_view blanks = " \t";
  if (is_quoted(field)) field = field.substr(1, field.size() - 2);
  const std::size_t first = std::min(field.find_first_not_of(blanks), field.size());
  field.remove_prefix(first);
  return field.substr(0, field.find_last_not_of(blanks) + 1);
}

std::string csv_string(std::string_view field) {
  std::string value(csv_value(field));
  if (!is_quoted(field)) return value;
  for (std::size_t at = 0; (at = value.find("\"\"", at)) != std::string::npos; ++at)
    value.erase(at, 1);
  return value;
}

std::string csv_field(const std::string& value, char separator) {
  const bool needs_quotes =
      value.find_first_of(std::string("\"\r\n") + separator) != std::string::npos;
  return needs_quotes ? '"' + doubled_quotes(value) + '"' : value;
}

void replace_csv_value(LabelText& edits, std::string_view field, const std::string& value,
                       char separator) {
  if (is_quoted(field)) return edits.replace(csv_value(field), doubled_quotes(value));
  const std::string whole = csv_field(value, separator);
  edits.replace(whole == value ? csv_value(field) : field, whole);
}

}  // namespace qturn
