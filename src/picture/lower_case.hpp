// Names whose capitals make no difference.
#pragma once

#include <string>

namespace qturn {

/// In any locale, letters beyond ASCII stay.
inline std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>('A' <= c && c <= 'Z' ? c + ('a' - 'A') : c);
  return text;
}

}  // namespace qturn
