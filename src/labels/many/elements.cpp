#include "src/labels/many/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view blank_characters = " \t\r\n";

}  // namespace

void ElementCutter::refuse_length(TextPlace place, std::string_view element) {
  throw LabelError(place, fmt::format("{} is longer than {} MiB, the most that qturn reads at once",
                                      element, longest_element >> 20));
}

void LineElements::take(std::string_view part) {
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t end = std::min(part.find('\n', at), part.size());
    line_ += part.substr(at, end - at);
    if (line_.size() > longest_element) refuse_length(place_, "a line");
    at = end + 1;
    if (end == part.size()) break;
    hand_over();
    blanks_ += '\n';
    ++place_.line;
  }
}

void LineElements::hand_over() {
  std::string_view line = line_;
  if (place_.line == 1 && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
    sink_.other(byte_order_mark);
  }
  if (line.find_first_not_of(blank_characters) == line.npos) {
    blanks_ += line;
  } else {
    sink_.element("", blanks_, line, place_);
    blanks_.clear();
  }
  line_.clear();
}

void LineElements::finish() {
  hand_over();
  sink_.end_of_array(blanks_);
}

void XmlElements::take(std::string_view part) {
  for (const char c : part) {
    if (!is_in_markup_ && c == '<') {
      is_in_markup_ = true;
      markup_at_ = text_.size();
      markup_place_ = next_;
    }
    text_ += c;
    ++next_.column;
    if (c == '\n') next_ = {.line = next_.line + 1, .column = 1};
    if (is_in_markup_ && is_markup_complete(c)) {
      take_markup();
      is_in_markup_ = false;
    }
    if (text_.size() > longest_element)
      refuse_length(is_in_element_ ? element_place_ : markup_place_, "an element or a text");
  }
  if (!is_in_element_ && !is_in_markup_) hand_over_other();
}

void XmlElements::finish() {
  if (!is_begun_ || depth_ > 0 || is_in_markup_) fail("the text ends here, and is not complete");
  sink_.other(text_);
}

bool XmlElements::is_markup_complete(char c) {
  const std::string_view markup = std::string_view(text_).substr(markup_at_);
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (const auto& [begin, end] : kinds)
    if (markup.starts_with(begin))
      return markup.size() >= begin.size() + end.size() && markup.ends_with(end);
  // A quote in a tag may hold any character.
  if (quote_ == 0 && (c == '"' || c == '\''))
    quote_ = c;
  else if (quote_ == c)
    quote_ = 0;
  return quote_ == 0 && c == '>';
}

void XmlElements::take_markup() {
  const std::string_view markup = std::string_view(text_).substr(markup_at_);
  if (markup.starts_with("<?") || markup.starts_with("<!")) return;
  if (!markup.starts_with("</")) return open(markup.substr(1));
  if (depth_ == 0) fail("an end of an element that does not begin");
  if (--depth_ == 1 && is_in_element_) hand_over_element();
}

/// `tag`: after its bracket.
void XmlElements::open(std::string_view tag) {
  const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
  const bool is_empty = tag.ends_with("/>");
  if (depth_ == 0 && (std::exchange(is_begun_, true) || name != outermost_))
    fail(fmt::format("the outermost element is not {}", outermost_));
  const bool is_element = depth_ == 1 && name == name_;
  if (is_element) {
    const std::string element = text_.substr(markup_at_);
    text_.resize(markup_at_);
    hand_over_other();
    blanks_ = std::exchange(text_, element);
    element_place_ = markup_place_;
    is_in_element_ = true;
  }
  if (!is_empty) ++depth_;
  if (is_element && is_empty) hand_over_element();
}

/// Keeps the blanks at its end: an element may follow them.
void XmlElements::hand_over_other() {
  const std::size_t end = text_.find_last_not_of(blank_characters) + 1;
  if (end > 0) sink_.other(std::string_view(text_).substr(0, end));
  text_.erase(0, end);
}

void XmlElements::hand_over_element() {
  sink_.element(name_, blanks_, text_, element_place_);
  text_.clear();
  is_in_element_ = false;
}

void XmlElements::fail(const std::string& why) const {
  throw LabelError(is_in_markup_ ? markup_place_ : next_, "is not well-formed XML: " + why);
}

void ElementCopies::begin(std::string_view blanks) {
  if (!is_seen_) first_blanks_ = blanks;
  is_seen_ = true;
}

// The first element of `[{"id": 1}, {"id": 2}]` has no blank before it, its copies need one. So
// does the first line.
void ElementCopies::put(std::string_view blanks, std::string_view text) {
  if (is_written_) append_(comma_);
  if (is_written_ && blanks.empty())
    blanks = comma_.empty() ? "\n" : text.find("\": ") != text.npos ? " " : "";
  append_(is_written_ ? blanks : first_blanks_);
  append_(text);
  is_written_ = true;
}

void ElementCopies::end_of_array(std::string_view blanks) {
  append_(blanks);
  is_seen_ = is_written_ = false;
}

}  // namespace qturn
