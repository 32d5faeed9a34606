#include "tools/qturn/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <optional>

#include "tools/qturn/help.hpp"
#include "tools/qturn/suggestion.hpp"

namespace qturn {
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

CLI::Option* add_value(CLI::App& app, const std::string& names, std::string type, std::string help,
                       std::function<void(const std::string&)> take) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return app
      .add_option_function<std::string>(
          names,
          [name, take = std::move(take)](const std::string& text) {
            try {
              take(text);
            } catch (const std::invalid_argument& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          std::move(help))
      ->type_name(std::move(type));
}

}  // namespace qturn
