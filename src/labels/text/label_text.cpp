#include "src/labels/text/label_text.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/picture/text.hpp"

namespace qturn {

void LabelText::replace(std::string_view part, std::string by) {
  if (part != by) edits_.push_back({offset_of(part), part.size(), std::move(by)});
}

void LabelText::add_up_to(std::string_view last, std::string& result) {
  const std::size_t end = offset_of(last) + last.size();
  for (TextEdit& edit : edits_) edit.at -= added_;
  result += edited(text_.substr(added_, end - added_), std::exchange(edits_, {}));
  added_ = end;
}

LabelError::LabelError(TextPlace place, const std::string& why)
    : std::runtime_error(fmt::format("{}:{}: {}", place.line, place.column, message_text(why))),
      place_(place) {}

std::string LabelError::why() const {
  const std::string_view text = what();
  return std::string(text.substr(text.find(": ") + 2));
}

TextPlace LabelText::place_of(std::string_view at) const {
  const std::size_t end = offset_of(at);
  if (end < known_at_) {
    known_at_ = 0;
    known_ = begin_;
  }
  for (; known_at_ < end; ++known_at_) {
    const char c = text_[known_at_];
    ++known_.column;
    if (c != '\n' && (c != '\r' || text_.substr(known_at_ + 1).starts_with('\n'))) continue;
    ++known_.line;
    known_.column = 1;
  }
  return known_;
}

void LabelText::fail(std::string_view at, const std::string& why, Hints hints) const {
  throw WithHints<LabelError>(std::move(hints), place_of(at), why);
}

}  // namespace qturn
