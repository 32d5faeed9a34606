// Text files of words between blanks, with comments from '#' to the end of the line.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

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
