#include "src/labels/coordinates.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "src/labels/text/any_text.hpp"
#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

struct CoordinateKey {
  std::string_view word;
  bool is_plain = false;  ///< a word of plain English, which counts in quotes and as a tag alone
  bool is_list = false;   ///< only before an array or an object: not so "box": 12 of an archive
};
constexpr CoordinateKey coordinate_keys[] = {{"bbox"},
                                             {"bndbox"},
                                             {"boundingbox"},
                                             {"bounding_box"},
                                             {"topx"},
                                             {"box", true, true},
                                             {"points", true},
                                             {"point", true, true},
                                             {"corner", true, true},
                                             {"extreme_point"},
                                             {"quad", true, true},
                                             {"roi", true, true},
                                             {"contour", true, true},
                                             {"vertices", true, true},
                                             {"center2d"},
                                             {"intrinsic", true, true},
                                             {"vbox"},
                                             {"hbox"},
                                             {"fbox"},
                                             {"rbox"},
                                             {"box2d"},
                                             {"poly2d"},
                                             {"xmin"},
                                             {"xtl"},
                                             {"obb"},
                                             {"polygon", true},
                                             {"polyline", true},
                                             {"keypoint", true},
                                             {"landmark", true},
                                             {"rle", true},
                                             {"cx", true},
                                             {"x", true},
                                             {"x1", true},
                                             {"segmentation", true}};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// "bbox" in {"person_bboxes": ...}, <bbox> and bbox=...
bool is_key_at(std::string_view text, std::size_t at, const CoordinateKey& key) {
  // First what is quick to see: a file may be one long word.
  if (at > 0 && text[at - 1] != '_' && is_in_word(text[at - 1])) return false;
  std::size_t begin = at, end = at + key.word.size();
  const std::size_t after_word = end;
  while (begin > 0 && is_in_word(text[begin - 1])) --begin;
  while (end < text.size() && is_in_word(text[end])) ++end;
  std::string_view rest = text.substr(after_word, end - after_word);
  for (const std::string_view plural : {"es", "s"})
    if (rest.starts_with(plural)) rest.remove_prefix(plural.size());
  const bool is_letter = key.word == "x";
  if (is_letter && end - begin != 1) return false;
  const bool is_same =
      rest.empty() || rest.front() == '_' || std::isdigit(static_cast<unsigned char>(rest.front()));
  if (!is_same) return false;
  if (begin > 0 && text[begin - 1] == '<') return !is_letter;
  std::size_t after = end;
  while (after < text.size() && (text[after] == '"' || text[after] == '\'')) ++after;
  if (key.is_plain && after == end) return false;
  after = std::min(text.find_first_not_of(" \t", after), text.size());
  if (after == text.size() || (text[after] != ':' && text[after] != '=')) return false;
  const std::size_t value = text.find_first_not_of(" \t\r\n", after + 1);
  return !key.is_list || (value != text.npos && (text[value] == '[' || text[value] == '{'));
}

/// Coordinates without any of these keys: the sides of SageMaker's boxes, attributes and tags of
/// ALTO, ASAP and Aperio, and boxes in the answers of language models.
bool has_coordinate_words(std::string_view text) {
  return has_any(text, {" hpos=", "<coordinate ", "<vertex ", "<loc_", "<loc0", "<|box_start|>",
                        "<|det|>"}) ||
         has_all(text, {"\"left\":", "\"top\":"});
}

bool has_coordinate_keys(std::string_view text) {
  return std::ranges::any_of(coordinate_keys, [&](const CoordinateKey& key) {
    for (std::size_t at = 0; (at = text.find(key.word, at)) != text.npos; ++at)
      if (is_key_at(text, at, key)) return true;
    return false;
  });
}

/// The numbers that stand in a row, and what becomes of the row.
class NumberRow {
 public:
  void add(const Decimal& value) {
    ++size_;
    negative_ += value.is_negative() ? 1 : 0;
    const auto whole = value.whole();
    says_more_ = says_more_ || !whole || *whole < -1 || *whole > 1;
  }

  /// How many of them may be coordinates.
  std::size_t end() {
    constexpr std::size_t fewest = 4, of_embedding = 64;
    const bool is_embedding = size_ >= of_embedding && 8 * negative_ >= size_;
    const std::size_t found = size_ >= fewest && says_more_ && !is_embedding ? size_ : 0;
    *this = {};
    return found;
  }

 private:
  std::size_t size_ = 0, negative_ = 0;
  bool says_more_ = false;
};

/// Whether four numbers or more stand within brackets: "[0.1, 2, 3, 4]", "(1,2),(3,4)".
bool has_row_in_brackets(std::string_view text) {
  constexpr std::string_view in_number = "0123456789.eE+-", between = " ,()[]";
  for (std::size_t at = 0; (at = text.find_first_of("([", at)) != text.npos;) {
    NumberRow row;
    for (;;) {
      const std::size_t begin = std::min(text.find_first_not_of(between, at), text.size());
      const std::size_t end = std::min(text.find_first_not_of(in_number, begin), text.size());
      const auto number = Decimal::parse(text.substr(begin, end - begin));
      if (!number) break;
      row.add(*number);
      at = end;
    }
    const bool is_closed = at < text.size() && (text[at] == ')' || text[at] == ']');
    if (row.end() > 0 && is_closed) return true;
    at = std::max(at, text.find_first_not_of(between, at));
  }
  return false;
}

struct WordCount {
  std::size_t coordinates = 0, others = 0;
};

WordCount count_words(std::string_view text, bool is_json) {
  // Python splits lines at no-break spaces, too.
  constexpr std::string_view in_number = "0123456789.eE+-", between = " \t\r\n,;[]()\xc2\xa0";
  WordCount count;
  NumberRow row;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(in_number, at), text.size());
    const auto number = end > at ? Decimal::parse(text.substr(at, end - at)) : std::nullopt;
    if (number) row.add(*number);
    if (!number) count.coordinates += row.end();
    at = std::min(text.find_first_not_of(between, end), text.size());
    if (at != end || at == text.size()) continue;
    // A word.
    count.coordinates += row.end();
    ++count.others;
    if (is_json && text[at] == '"') {
      std::size_t quote = text.find('"', at + 1);
      while (quote != text.npos && text[quote - 1] == '\\') quote = text.find('"', quote + 1);
      if (has_row_in_brackets(text.substr(at, quote - at))) count.coordinates += 4;
      at = quote == text.npos ? text.size() : quote + 1;
    } else {
      at = std::min(text.find_first_of(between, end), text.size());
    }
    at = std::min(text.find_first_not_of(between, at), text.size());
  }
  count.coordinates += row.end();
  return count;
}

}  // namespace

bool may_hold_coordinates(std::string_view file) {
  const std::string text = from_utf_16(file), lower = lower_case(text);
  if (has_coordinate_keys(lower) || has_coordinate_words(lower)) return true;
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text.size());
  const char begin = first < text.size() ? text[first] : ' ';
  const bool is_json = begin == '{' || begin == '[';
  const WordCount count = count_words(text, is_json);
  if (is_json || begin == '<') return count.coordinates > 0;
  return count.coordinates > 0 && 4 * count.coordinates >= count.others;
}

}  // namespace qturn
