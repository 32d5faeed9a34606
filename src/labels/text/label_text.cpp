#include "src/labels/text/label_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/picture/text.hpp"

namespace qturn {
namespace {

constexpr std::string_view word_ends = " \t", line_ends = "\r\n";

Words words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  Words words;
  for (std::size_t at = 0;
       (at = line.find_first_not_of(word_ends, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(word_ends, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

void for_each_line_of_words(std::string_view text, const std::function<bool(const Words&)>& visit) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(line_ends), text.size());
    if (const Words words = words_of(text.substr(0, end)); !words.empty() && !visit(words)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<Words> lines_of_words(std::string_view text) {
  std::vector<Words> lines;
  for_each_line_of_words(text, [&](const Words& words) {
    lines.push_back(words);
    return true;
  });
  return lines;
}

Decimal number_of(const LabelText& text, std::string_view word) {
  if (auto number = Decimal::parse(word)) return *number;
  text.fail(word, fmt::format("'{}' is not a number", word));
}

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
