#include "src/labels/swap_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/labels/text/words.hpp"

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

}  // namespace

std::vector<int> read_swap_pairs(std::string_view text) {
  const LabelText place(text);
  std::vector<int> pairs;
  for (const Words& words : lines_of_words(text)) {
    if (words.size() != 2) place.fail(words[0], "expected two keypoints, such as 1 2");
    const int left = index_of(words[0], place), right = index_of(words[1], place);
    append_up_to(pairs, std::max(left, right) + 1);
    for (std::size_t i = 0; i < 2; ++i)
      if (const int each = i == 0 ? left : right; pairs[each] != each || left == right)
        place.fail(words[i], fmt::format("keypoint {} is in a pair already", each));
    pairs[left] = right;
    pairs[right] = left;
  }
  if (pairs.empty()) place.fail(text, "names no keypoints");
  return pairs;
}

std::optional<std::vector<int>> flip_of(std::vector<int> pairs, int count) {
  if (static_cast<int>(pairs.size()) > count) return std::nullopt;
  append_up_to(pairs, count);
  return pairs;
}

}  // namespace qturn
