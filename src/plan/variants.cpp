#include "src/plan/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {

std::vector<Orientation> random_variants(std::string_view key, int count, std::uint64_t seed) {
  if (count < 1 || count > 8) {
    throw std::invalid_argument("count is " + std::to_string(count) + ", expected 1 to 8");
  }
  std::string bytes(sample_key(key));
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
