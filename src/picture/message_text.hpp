// Text of a file, as a message quotes it.
#pragma once

#include <string>
#include <string_view>

namespace qturn {

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

}  // namespace qturn
