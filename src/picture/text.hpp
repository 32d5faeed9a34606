// Texts: names in lower case, quotes in messages, edits that keep every other byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// In any locale, letters beyond ASCII stay.
inline std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>('A' <= c && c <= 'Z' ? c + ('a' - 'A') : c);
  return text;
}

/// The text with "\x00" for each NUL, where what() of an exception would end.
inline std::string message_text(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\0')
      shown += "\\x00";
    else
      shown += c;
  }
  return shown;
}

/// `by` takes the place of `bytes` bytes from `at` on.
struct TextEdit {
  std::size_t at, bytes;
  std::string by;
};

/// The text with all edits, which may come in any order and must not overlap.
inline std::string edited(std::string_view text, std::vector<TextEdit> edits) {
  std::ranges::sort(edits, {}, &TextEdit::at);
  std::string result;
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    result += text.substr(done, edit.at - done);
    result += edit.by;
    done = edit.at + edit.bytes;
  }
  result += text.substr(done);
  return result;
}

}  // namespace qturn
