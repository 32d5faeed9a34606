#include "src/labels/label_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace qturn {

void LabelText::replace(std::string_view part, std::string by) {
  if (part != by) edits_.push_back({offset_of(part), part.size(), std::move(by)});
}

LabelError::LabelError(TextPlace place, const std::string& why)
    : std::runtime_error(fmt::format("{}:{}: {}", place.line, place.column, why)), place_(place) {}

std::string LabelError::why() const {
  const std::string_view text = what();
  return std::string(text.substr(text.find(": ") + 2));
}

TextPlace LabelText::place_of(std::string_view at) const {
  const std::string_view before = text_.substr(0, offset_of(at));
  TextPlace place = begin_;
  for (std::size_t i = 0; i < before.size(); ++i) {
    ++place.column;
    if (before[i] != '\n' && (before[i] != '\r' || text_.substr(i + 1).starts_with('\n'))) continue;
    ++place.line;
    place.column = 1;
  }
  return place;
}

void LabelText::fail(std::string_view at, const std::string& why) const {
  throw LabelError(place_of(at), why);
}

}  // namespace qturn
