// The text of a label file: where in it something is wrong, and edits that keep every other byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/text/decimal.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

namespace qturn {

/// Counted from 1; columns are bytes.
struct TextPlace {
  std::size_t line = 1, column = 1;
};

/// Why a label cannot be turned. what() begins with the place: "3:14: 'abc' is not a number".
class LabelError : public std::runtime_error {
 public:
  LabelError(TextPlace place, const std::string& why);
  TextPlace place() const { return place_; }
  /// The reason without the place.
  std::string why() const;

 private:
  TextPlace place_;
};

class LabelText {
 public:
  /// `text` must outlive it; `begin` is its place in the file.
  explicit LabelText(std::string_view text, TextPlace begin = {}) : text_(text), begin_(begin) {}

  std::string_view all() const { return text_; }

  /// Parts of the text are replaced in any order. They must not overlap.
  void replace(std::string_view part, std::string by);
  /// Whether any of it is.
  bool is_replaced(std::string_view part) const {
    return std::ranges::any_of(edits_, [&](const TextEdit& edit) {
      return edit.at < offset_of(part) + part.size() && offset_of(part) < edit.at + edit.bytes;
    });
  }
  /// The text with what is replaced.
  std::string finish() const { return edited(text_, edits_); }
  /// Adds the text from where it ended last to the end of `last`, with what is replaced there,
  /// whose memory becomes free. Instead of finish(), of texts that are turned part by part.
  void add_up_to(std::string_view last, std::string& result);

  /// The place in the file. What lies before the last place that was asked for is not looked at
  /// again, if the places ascend.
  TextPlace place_of(std::string_view at) const;
  /// Throws LabelError.
  [[noreturn]] void fail(std::string_view at, const std::string& why, Hints hints = {}) const;

 private:
  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  std::string_view text_;
  TextPlace begin_;
  std::vector<TextEdit> edits_;
  std::size_t added_ = 0;  // up to here
  mutable std::size_t known_at_ = 0;
  mutable TextPlace known_ = begin_;  // the place at known_at_
};

// Text files of words between blanks, with comments from '#' to the end of the line.

/// What a text in UTF-8 may begin with.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Parts of the text.
using Words = std::vector<std::string_view>;

/// Lines that hold any. They may end in any way, and a UTF-8 byte order mark may come first.
std::vector<Words> lines_of_words(std::string_view text);
/// The same, a line at a time, until `visit` returns false.
void for_each_line_of_words(std::string_view text, const std::function<bool(const Words&)>& visit);

/// A word that is a number. Throws LabelError if it is none.
Decimal number_of(const LabelText& text, std::string_view word);

inline bool has_all(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::all_of(words, [&](auto word) { return text.find(word) != text.npos; });
}
inline bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

}  // namespace qturn
