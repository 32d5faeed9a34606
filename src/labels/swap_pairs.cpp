#include "src/labels/swap_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "src/labels/geometry.hpp"
#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

void append_up_to(std::vector<int>& pairs, int count) {
  while (static_cast<int>(pairs.size()) < count) pairs.push_back(static_cast<int>(pairs.size()));
}

int index_of(std::string_view word, const LabelText& text) {
  constexpr int most = 9'999;
  const auto read = Decimal::parse(word);
  const auto value = read ? read->whole() : std::nullopt;
  if (!value || *value < 0 || *value > most)
    text.fail(word, fmt::format("'{}' is not a number from 0 to {}", word, most));
  return static_cast<int>(*value);
}

void add_keypoints(const Words& words, const LabelText& place, std::vector<int>& pairs) {
  const int left = index_of(words[0], place), right = index_of(words[1], place);
  append_up_to(pairs, std::max(left, right) + 1);
  for (std::size_t i = 0; i < 2; ++i)
    if (const int each = i == 0 ? left : right; pairs[each] != each || left == right)
      place.fail(words[i], fmt::format("keypoint {} is in a pair already", each));
  pairs[left] = right;
  pairs[right] = left;
}

/// A line of two names, which may have blanks in them.
void add_classes(std::string_view line, std::size_t colon, const LabelText& place,
                 ClassSwap& classes) {
  const auto trimmed = [](std::string_view name) {
    const std::size_t first = std::min(name.find_first_not_of(" \t"), name.size());
    return name.substr(first, name.find_last_not_of(" \t") + 1 - first);
  };
  const std::string_view left = trimmed(line.substr(0, colon)),
                         right = trimmed(line.substr(colon + 1));
  for (const std::string_view name : {left, right}) {
    if (name.empty() || name.find(':') != name.npos)
      place.fail(line, "expected the names of two classes, such as left_hand: right_hand");
    if (left == right || classes.contains(name))
      place.fail(name, fmt::format("class {} is in a pair already", name));
  }
  classes.emplace(left, right);
  classes.emplace(right, left);
}

}  // namespace

SwapPairs read_swap_pairs(std::string_view text) {
  const LabelText place(text);
  SwapPairs pairs;
  for (const Words& words : lines_of_words(text)) {
    const char* const end = words.back().data() + words.back().size();
    const std::string_view line(words[0].data(), static_cast<std::size_t>(end - words[0].data()));
    if (const std::size_t colon = line.find(':'); colon != line.npos)
      add_classes(line, colon, place, pairs.classes);
    else if (words.size() == 2)
      add_keypoints(words, place, pairs.keypoints);
    else
      place.fail(line, "expected two keypoints, such as 1 2, or classes, such as left: right");
  }
  if (pairs == SwapPairs()) place.fail(text, "names no keypoints or classes");
  return pairs;
}

std::optional<std::vector<int>> flip_of(std::vector<int> pairs, int count) {
  if (static_cast<int>(pairs.size()) > count) return std::nullopt;
  append_up_to(pairs, count);
  return pairs;
}

namespace {

std::string without_quotes(const std::string& id) {
  return id.starts_with('"') ? id.substr(1, id.size() - 2) : id;
}

}  // namespace

ClassSwap numbered(const ClassSwap& classes, const std::map<std::int64_t, std::string>& names) {
  std::map<std::string, std::string> by_id;
  for (const auto& [number, name] : names) by_id.emplace(std::to_string(number), name);
  return numbered(classes, by_id);
}

ClassSwap numbered(const ClassSwap& classes, const std::map<std::string, std::string>& names) {
  std::map<std::string_view, std::string> numbers;
  for (const auto& [id, name] : names)
    if (!numbers.emplace(name, without_quotes(id)).second && classes.contains(name))
      throw LabelError({}, fmt::format("two classes are called {}", name));
  ClassSwap swap;
  for (const auto& [name, other] : classes) {
    const auto own = numbers.find(name), its = numbers.find(other);
    if (own == numbers.end()) continue;
    if (its == numbers.end()) {
      throw LabelError(
          {}, fmt::format("no class is called {}, which changes places with {}", other, name));
    }
    swap.emplace(own->second, its->second);
  }
  return swap;
}

const std::string* class_after(const ClassSwap& classes, std::string_view name,
                               Orientation orientation) {
  if (classes.empty() || !mirrors(orientation)) return nullptr;
  const auto found = classes.find(name);
  return found == classes.end() ? nullptr : &found->second;
}

namespace {

constexpr std::string_view side_words[] = {"left", "right"};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Where it is, in any case, from a place on; npos if it is not.
std::size_t find_side(std::string_view text, std::string_view side, std::size_t from) {
  const auto found =
      std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), side.begin(),
                  side.end(), [](char a, char b) { return lower(a) == b; });
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

/// A word ends before what is not a letter, and before a capital after a small letter.
bool ends_word(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size() || !is_letter(text[at]) || !is_letter(text[at - 1])) return true;
  return is_lower(text[at - 1]) && is_upper(text[at]);
}

}  // namespace

bool names_a_side(std::string_view name) {
  for (const std::string_view side : side_words)
    for (std::size_t at = 0; (at = find_side(name, side, at)) != name.npos; ++at)
      if (ends_word(name, at) && ends_word(name, at + side.size())) return true;
  return false;
}

bool may_name_a_side(std::string_view text) {
  return std::ranges::any_of(side_words,
                             [&](auto side) { return find_side(text, side, 0) != text.npos; });
}

}  // namespace qturn
