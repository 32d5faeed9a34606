#include "src/inputs/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {

struct DrawGroup::Expression {
  std::regex regex;
};

DrawGroup::DrawGroup(const std::string& text) : text_(text) {
  if (text.empty()) throw std::invalid_argument("an empty expression matches nothing");
  if (text == "path") return;
  try {
    expression_ = std::make_shared<Expression>(Expression{std::regex(text)});
  } catch (const std::regex_error&) {
    throw std::invalid_argument(fmt::format("'{}' is not a regular expression", text));
  }
}

std::string DrawGroup::key_of(std::string_view path) const {
  const std::string_view key = sample_key(path);
  std::cmatch match;
  if (!expression_ ||
      !std::regex_match(key.data(), key.data() + key.size(), match, expression_->regex))
    return std::string(key);
  return match.str(match.size() > 1 ? 1 : 0);
}

std::vector<Orientation> random_variants(std::string_view path, int count, std::uint64_t seed,
                                         const DrawGroup& group) {
  if (count < 1 || count > 8) {
    throw std::invalid_argument("count is " + std::to_string(count) + ", expected 1 to 8");
  }
  std::string bytes = group.key_of(path);
  bytes.push_back('\0');
  std::array<std::pair<std::uint64_t, Orientation>, 8> scores;
  for (int n = 1; n <= 8; ++n) {
    bytes.back() = static_cast<char>(n);
    scores[n - 1] = {xxh64(bytes, seed), static_cast<Orientation>(n)};
  }
  std::sort(scores.begin(), scores.end());

  std::vector<Orientation> chosen;
  for (int i = 0; i < count; ++i) chosen.push_back(scores[i].second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Orientation> parse_variants(std::string_view text) {
  constexpr Orientation all[] = {Orientation::identity,   Orientation::flop,
                                 Orientation::rotate180,  Orientation::flip,
                                 Orientation::transpose,  Orientation::rotate90,
                                 Orientation::transverse, Orientation::rotate270};
  if (text.empty() || text == "all") return {std::begin(all), std::end(all)};
  if (text == "rotations")
    return {Orientation::identity, Orientation::rotate180, Orientation::rotate90,
            Orientation::rotate270};
  std::vector<Orientation> variants;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view item = text.substr(start, end - start);
    const auto orientation = orientation_of_name(item);
    if (!orientation) throw std::invalid_argument(fmt::format("'{}' is not an orientation", item));
    if (std::ranges::find(variants, *orientation) != variants.end())
      throw std::invalid_argument(fmt::format("'{}' is named twice", item));
    variants.push_back(*orientation);
    start = end + 1;
  }
  std::ranges::sort(variants);
  return variants;
}

}  // namespace qturn
