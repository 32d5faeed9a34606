#include "src/labels/sides.hpp"

#include <algorithm>
#include <cstddef>

namespace qturn {
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
