#include "src/labels/label_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace qturn {

void LabelText::replace(std::string_view part, std::string by) {
  if (part != by) edits_.push_back({offset_of(part), part.size(), std::move(by)});
}

void LabelText::fail(std::string_view at, const std::string& why) const {
  const std::string_view before = text_.substr(0, offset_of(at));
  std::size_t line = begin_.line, column = begin_.column;
  for (std::size_t i = 0; i < before.size(); ++i) {
    ++column;
    if (before[i] != '\n' && (before[i] != '\r' || text_.substr(i + 1).starts_with('\n'))) continue;
    ++line;
    column = 1;
  }
  throw LabelError(fmt::format("{}:{}: {}", line, column, why));
}

}  // namespace qturn
