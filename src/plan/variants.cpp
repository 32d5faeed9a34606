#include "src/plan/variants.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/store/content_hash.hpp"

namespace qturn {

std::vector<Orientation> random_variants(std::string_view key, int count, std::uint64_t seed) {
  if (count < 1 || count > 8) {
    throw std::invalid_argument("count is " + std::to_string(count) + ", expected 1 to 8");
  }
  std::string bytes(key);
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

}  // namespace qturn
