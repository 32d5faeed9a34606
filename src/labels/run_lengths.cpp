#include "src/labels/run_lengths.hpp"

#include <qturn/cpu.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace qturn {
namespace {

constexpr char first_letter = '0';
constexpr int group_bits = 5;
constexpr std::uint64_t group_mask = 31, sign_bit = 16, more_bit = 32;
constexpr int most_groups = 8;  // 40 bits hold the difference of two lengths

constexpr std::int64_t longest = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::optional<RunLengths> runs_of_code(std::string_view code) {
  RunLengths runs;
  for (std::size_t at = 0; at < code.size();) {
    std::uint64_t bits = 0;
    for (int group = 0;; ++group) {
      if (at == code.size() || group == most_groups) return std::nullopt;
      const auto letter = static_cast<std::uint64_t>(code[at++] - first_letter);
      if (letter > (group_mask | more_bit)) return std::nullopt;
      bits |= (letter & group_mask) << (group_bits * group);
      if (letter & more_bit) continue;
      if (letter & sign_bit) bits |= ~std::uint64_t{0} << (group_bits * (group + 1));
      break;
    }
    auto length = static_cast<std::int64_t>(bits);
    if (runs.size() > 2) length += runs[runs.size() - 2];
    if (length < 0 || length > longest) return std::nullopt;
    runs.push_back(static_cast<std::uint32_t>(length));
  }
  return runs;
}

std::string code_of_runs(const RunLengths& runs) {
  std::string code;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::int64_t length = runs[i];
    if (i > 2) length -= runs[i - 2];
    for (bool has_more = true; has_more;) {
      const auto group = static_cast<std::uint64_t>(length) & group_mask;
      length >>= group_bits;
      has_more = length != (group & sign_bit ? -1 : 0);
      code += static_cast<char>(first_letter + static_cast<int>(group | (has_more ? more_bit : 0)));
    }
  }
  return code;
}

bool fill(const RunLengths& runs, Size size) {
  if (size.width < 0 || size.height < 0 || size.width > longest || size.height > longest)
    return false;
  const auto pixels =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  std::uint64_t sum = 0;
  for (const std::uint32_t run : runs) sum += run;
  return sum == pixels && pixels <= static_cast<std::uint64_t>(longest);
}

RunLengths turned_runs(const RunLengths& runs, Size size, Orientation orientation) {
  std::vector<char> pixels, turned(static_cast<std::size_t>(size.width * size.height));
  pixels.reserve(turned.size());
  char value = 0;
  for (const std::uint32_t run : runs) {
    pixels.insert(pixels.end(), run, value);
    value ^= 1;
  }
  // Columns in memory are the rows of the transposed picture.
  const Orientation of_columns =
      compose(compose(Orientation::transpose, orientation), Orientation::transpose);
  const Size after = turned_size(orientation, size);
  transform({pixels.data(), size.height, size.width, size.height},
            View{turned.data(), after.height, after.width, after.height}, of_columns);
  RunLengths result;
  value = 0;
  for (auto at = turned.cbegin(); at != turned.cend(); value ^= 1) {
    const auto end = std::find(at, turned.cend(), static_cast<char>(value ^ 1));
    result.push_back(static_cast<std::uint32_t>(end - at));
    at = end;
  }
  return result;
}

}  // namespace qturn
