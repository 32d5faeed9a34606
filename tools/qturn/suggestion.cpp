#include "tools/qturn/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace qturn {
namespace {

// What people type who know jpegtran, ImageMagick, exiftool, jhead, OpenCV, Pillow or git.
constexpr std::pair<std::string_view, const char*> other_names[] = {
    {"version", "qturn --version"},
    {"rot90", "rotate90"},
    {"rot180", "rotate180"},
    {"rot270", "rotate270"},
    {"rotate", "rotate90"},
    {"right", "rotate90"},
    {"clockwise", "cw"},
    {"left", "rotate270"},
    {"counterclockwise", "ccw"},
    {"mirror", "flop"},
    {"fliplr", "flop"},
    {"flipud", "flip"},
    {"autorot", "upright"},
    {"autorotate", "upright"},
    {"auto-orient", "upright"},
    {"exif-transpose", "upright"},
    {"orient", "upright"},
    {"verify", "check"},
};

// Damerau and Levenshtein's, without words that are edited twice in one place.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        table[i][k] = i + k;
        continue;
      }
      const std::size_t changed = table[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      table[i][k] = std::min({changed, table[i - 1][k] + 1, table[i][k - 1] + 1});
      const bool exchanged = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (exchanged) table[i][k] = std::min(table[i][k], table[i - 2][k - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;
  if (mistyped.size() > longest) return {};
  std::string nearest;
  std::size_t least = mistyped.size() / 3 + 1;
  for (const std::string& word : known) {
    if (mistyped.size() > 3 && word.starts_with(mistyped)) return word;
    const std::size_t edits = distance(mistyped, word);
    if (edits >= least) continue;
    least = edits;
    nearest = word;
  }
  return nearest;
}

std::string nearest_operation(std::string_view mistyped, const std::vector<std::string>& known) {
  for (const auto& [other, ours] : other_names)
    if (mistyped == other) return ours;
  return nearest_word(mistyped, known);
}

std::string did_you_mean(std::string_view word) {
  return word.empty() ? "" : " (did you mean " + std::string(word) + "?)";
}

}  // namespace qturn
