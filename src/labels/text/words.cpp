#include "src/labels/text/words.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace qturn
