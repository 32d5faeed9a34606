// Names whose capitals make no difference.
#ifndef QTURN_SRC_PLAN_LOWER_CASE_HPP
#define QTURN_SRC_PLAN_LOWER_CASE_HPP

#include <algorithm>
#include <cctype>
#include <string>

namespace qturn {

inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LOWER_CASE_HPP
