#include "src/labels/many/json_elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Whether numbers, true, false and null may contain it.
bool is_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
         c == 'E';
}

}  // namespace

void JsonElements::take(std::string_view part) {
  for (const char c : part) {
    if (is_in_string_) {
      take_in_string(c);
    } else if (is_inside()) {
      take_inside(c);
    } else if (array_ != none) {
      take_in_array(c);
    } else {
      take_member(c);
    }
    ++place_.column;
    if (c == '\n') place_ = {.line = place_.line + 1, .column = 1};
  }
  hand_over_other();
}

void JsonElements::finish() {
  if (expect_ != Expect::nothing) fail("the text ends here, and is not complete");
}

void JsonElements::take_in_string(char c) {
  put(c);
  const bool is_key = expect_ == Expect::key;
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (c == '\\') {
    is_escaped_ = true;
  } else if (c == '"') {
    is_in_string_ = false;
    if (open_.size() == 1) expect_ = is_key ? Expect::colon : Expect::comma_or_end;
    return;
  }
  if (is_key) key_ += c;
}

void JsonElements::take_inside(char c) {
  put(c);
  if (c == '"') is_in_string_ = true;
  if (c == '[' || c == '{') open_ += c;
  if (c != ']' && c != '}') return;
  if (open_.back() != (c == ']' ? '[' : '{')) fail(fmt::format("{} closes a {}", c, open_.back()));
  open_.pop_back();
  if (is_inside()) return;
  expect_ = Expect::comma_or_end;
  if (!is_in_element_) return;
  is_in_element_ = false;
  sink_.element(arrays_[array_], blanks_, element_, element_place_);
  blanks_.clear();
  element_.clear();
}

void JsonElements::take_in_array(char c) {
  if (is_blank(c)) {
    blanks_ += c;
  } else if (c == '{' && expect_ != Expect::comma_or_end) {
    hand_over_other();
    open_ += c;
    element_ += c;
    element_place_ = place_;
    is_in_element_ = true;
  } else if (c == ',' && expect_ == Expect::comma_or_end) {
    blanks_.clear();
    expect_ = Expect::element;
  } else if (c == ']' && expect_ != Expect::element) {
    hand_over_other();
    sink_.end_of_array(blanks_);
    blanks_.clear();
    put(c);
    open_.pop_back();
    array_ = none;
    expect_ = open_.empty() ? Expect::nothing : Expect::comma_or_end;
  } else {
    fail(expect_ == Expect::comma_or_end ? "expected a comma or ]"
                                         : "expected an object, an element of " + name_of(array_));
  }
}

void JsonElements::take_member(char c) {
  put(c);
  if (is_in_word_ && is_of_word(c)) return;
  is_in_word_ = false;
  if (is_blank(c)) return;
  const auto expect = [&](char wanted, Expect next) {
    if (c != wanted) fail(fmt::format("expected {}", wanted));
    expect_ = next;
  };
  switch (expect_) {
    case Expect::text: {
      const std::size_t at = place_.column - 1;
      if (place_.line == 1 && at < byte_order_mark.size() && c == byte_order_mark[at]) return;
      if (const auto outermost = std::ranges::find(arrays_, ""); outermost != arrays_.end())
        return begin_array(static_cast<std::size_t>(outermost - arrays_.begin()), c);
      expect('{', Expect::key_or_end);
      open_ += c;
      return;
    }
    case Expect::key_or_end:
    case Expect::key:
      if (c == '}' && expect_ == Expect::key_or_end) break;
      expect('"', Expect::key);
      is_in_string_ = true;
      key_.clear();
      return;
    case Expect::colon:
      return expect(':', Expect::value);
    case Expect::value:
      return begin_value(c);
    case Expect::comma_or_end:
      if (c == '}') break;
      return expect(',', Expect::key);
    default:
      fail("expected the end of the text");
  }
  open_.clear();
  expect_ = Expect::nothing;
}

void JsonElements::begin_value(char c) {
  expect_ = Expect::comma_or_end;
  const auto wanted = std::ranges::find(arrays_, key_);
  if (wanted != arrays_.end()) {
    begin_array(static_cast<std::size_t>(wanted - arrays_.begin()), c);
  } else if (c == '[' || c == '{') {
    open_ += c;
  } else if (c == '"') {
    is_in_string_ = true;
  } else if (is_of_word(c)) {
    is_in_word_ = true;
  } else {
    fail("expected a value");
  }
}

std::string JsonElements::name_of(std::size_t array) const {
  return arrays_[array].empty() ? "the array" : std::string(arrays_[array]);
}

void JsonElements::begin_array(std::size_t array, char bracket) {
  if (bracket != '[') fail(name_of(array) + " is not an array");
  if (is_found_[array]) fail(name_of(array) + " occurs twice");
  is_found_[array] = true;
  array_ = array;
  open_ += bracket;
  depth_of_array_ = open_.size();
  expect_ = Expect::element_or_end;
}

void JsonElements::hand_over_other() {
  if (!other_.empty()) sink_.other(other_);
  other_.clear();
}

void JsonElements::refuse_element() const {
  refuse_length(element_place_, "an element of " + name_of(array_));
}

void JsonElements::fail(const std::string& why) const {
  LabelText({}, place_).fail({}, "is not well-formed JSON: " + why);
}

}  // namespace qturn
