#include "tools/qturn/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "src/picture/file_limits.hpp"

namespace qturn {
namespace {

// Words for users who know jpegtran, ImageMagick, exiftool, jhead, OpenCV, Pillow or git.
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

// The distance of Damerau and Levenshtein, where no place is edited twice.
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

namespace {

/// Takes the digits at the beginning of `text` from it. Nothing if there are none, or too many.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// How many powers of 1024 a unit stands for: "", B, K, KB, KiB, M and so on, in any case.
std::optional<int> powers_of(std::string_view unit) {
  constexpr std::string_view letters = "kmgtpe";
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  std::string lower;
  for (const char c : unit) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "b") return 0;
  const std::size_t letter = letters.find(lower[0]);
  const std::string_view rest = std::string_view(lower).substr(1);
  if (letter == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib"))
    return std::nullopt;
  return static_cast<int>(letter) + 1;
}

std::string size_in_words(std::uint64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{}MiB", bytes >> 20);
  return fmt::format("{}KiB", bytes >> 10);
}

}  // namespace

std::uint64_t number_in(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (number && rest.empty() && *number >= least && *number <= most) return *number;
  throw std::invalid_argument(
      most == std::numeric_limits<std::uint64_t>::max()
          ? fmt::format("'{}' is not a whole number", text)
          : fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

std::uint64_t size_in(std::string_view text, std::uint64_t least) {
  std::string_view unit = text;
  const auto number = take_number(unit);
  const auto powers = powers_of(unit);
  if (!number || !powers)
    throw std::invalid_argument(
        fmt::format("'{}' is not a size; write one as 512MiB, 4G or a number of bytes", text));
  const int shift = 10 * *powers;
  if (shift > 60 || *number > std::uint64_t{1} << 60 >> shift)
    throw std::invalid_argument(fmt::format("'{}' is more than any machine has", text));
  if (*number << shift < least)
    throw std::invalid_argument(
        fmt::format("'{}' is too little; give {} or more", text, size_in_words(least)));
  return *number << shift;
}

std::string not_one_of(std::string_view text, const std::vector<std::string>& known) {
  return fmt::format("'{}' is not one of {}{}", text, fmt::join(known, ", "),
                     did_you_mean(nearest_word(text, known)));
}

namespace {

std::uint64_t limit_value(const std::string& option, const std::string& value) try {
  if (value == "none") return Limits::none;
  return number_in(value, 1, std::numeric_limits<std::uint64_t>::max());
} catch (const std::invalid_argument&) {
  throw std::invalid_argument(
      fmt::format("'{}': the value of a limit is a number above zero, or none", option));
}

}  // namespace

void set_limit(Limits& limits, double& seconds, const std::string& option) {
  const std::size_t sign = std::min(option.find('='), option.size());
  const std::string name = option.substr(0, sign);
  const auto value = [&] {
    return limit_value(option, option.substr(std::min(sign + 1, option.size())));
  };
  if (name == "seconds") {
    const std::uint64_t most = value();
    seconds =
        most == Limits::none ? std::numeric_limits<double>::infinity() : static_cast<double>(most);
    return;
  }
  const auto* const found = std::ranges::find(limit_names, name, &LimitName::name);
  if (found == limit_names.end()) {
    std::vector<std::string> names;
    for (const LimitName& limit : limit_names) names.emplace_back(limit.name);
    names.emplace_back("seconds");
    throw std::invalid_argument(not_one_of(name, names));
  }
  limits.*found->value = value();
}

LabelOptions label_options(const std::string& text, const LabelOptions& before) {
  LabelOptions options = {.take = text == "none" ? TakeLabels::none : TakeLabels::found,
                          .rule = {.keypoints = before.rule.keypoints},
                          .swap_pairs = before.swap_pairs};
  if (text == "auto" || text == "none") return options;
  const auto found = std::ranges::find(shared_label_formats, text, &SharedLabelFormat::option);
  if (found != shared_label_formats.end() && found->is_named_only) {
    options.take = TakeLabels::one_file;
    options.file_format = &*found;
    return options;
  }
  for (const SharedLabelFormat& format : shared_label_formats) {
    const std::string before_file = std::string(format.option) + ":";
    if (!text.starts_with(before_file) || text.size() == before_file.size()) continue;
    options.take = TakeLabels::one_file;
    options.file_format = &format;
    options.file = text.substr(before_file.size());
    return options;
  }
  options.take = TakeLabels::one_format;
  for (const LabelFormat& format : label_formats)
    if ((text + ":").starts_with(std::string(format.option) + ":")) options.rule.format = &format;
  const std::string rest =
      options.rule.format ? text.substr(options.rule.format->option.size()) : ":";
  if (rest == ":") {
    std::vector<std::string_view> of_pictures, of_files;
    for (const LabelFormat& format : label_formats) of_pictures.push_back(format.option);
    for (const SharedLabelFormat& format : shared_label_formats)
      if (!format.is_named_only) of_files.push_back(format.option);
    throw std::invalid_argument(
        fmt::format("'{}' is not auto, none, huggingface:voc, one of {} (also with :DIR), or one "
                    "of {} with :FILE",
                    text, fmt::join(of_pictures, ", "), fmt::join(of_files, ", ")));
  }
  if (!rest.empty()) options.folder = rest.substr(1);
  return options;
}

bool is_label_kind(const std::string& word) try {
  (void)label_options(word, {});
  return true;
} catch (const std::invalid_argument&) {
  return false;
}

}  // namespace qturn
