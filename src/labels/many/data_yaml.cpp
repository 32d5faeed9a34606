// Of the YAML file of a data set only its paths, the names of classes and two lists of numbers are
// read, kpt_shape and flip_idx. Lists are in one of YAML's forms:
//
//   kpt_shape: [17, 3]        flip_idx:        names: [cat, dog]        names:
//                             - 0              names: {0: cat, 1: dog}    0: cat
//                             - 2                                         1: dog
#include "src/labels/many/data_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/labels/one/yolo.hpp"
#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// Without its comment and its end.
std::string_view line_at(std::string_view text, std::size_t at) {
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  std::size_t comment = line.find('#');
  while (comment != std::string_view::npos && comment > 0 && line[comment - 1] != ' ' &&
         line[comment - 1] != '\t') {
    comment = line.find('#', comment + 1);
  }
  return line.substr(0, comment);
}

std::size_t next_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

class DataYaml {
 public:
  explicit DataYaml(std::string_view text) : text_(text), place_(text) {}

  /// What follows a key that is not indented; nothing if the key is not there.
  std::optional<std::string_view> value_of(std::string_view key) const {
    for (std::size_t at = 0; at < text_.size(); at = next_line(text_, at)) {
      const std::string_view line = line_at(text_, at);
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != key ||
          !line.starts_with(key)) {
        continue;
      }
      return text_.substr(at + colon + 1);
    }
    return std::nullopt;
  }

  /// The numbers of a list.
  std::vector<int> list_at(std::string_view value) const {
    const std::string_view first = trimmed(line_at(value, 0));
    if (!first.empty() && !first.starts_with('['))
      place_.fail(first, "expected a list, such as [17, 3]");
    std::vector<int> numbers;
    for (const std::string_view item : items_of(value)) numbers.push_back(number(item));
    return numbers;
  }

  /// The items of a list, or a single value; nothing if neither is there.
  std::vector<std::string_view> items_of(std::string_view value) const {
    const std::string_view first = trimmed(line_at(value, 0));
    if (first.starts_with('[')) return flow_list(value.substr(value.find('[') + 1));
    if (!first.empty()) return {first};
    std::vector<std::string_view> items;
    for (std::size_t at = next_line(value, 0); at < value.size(); at = next_line(value, at)) {
      std::string_view line = trimmed(line_at(value, at));
      if (line.empty()) continue;
      if (!line.starts_with('-')) break;
      line.remove_prefix(1);
      items.push_back(trimmed(line));
    }
    return items;
  }

  /// A scalar without its quotes.
  std::string path_at(std::string_view item) const {
    const char first = item.empty() ? ' ' : item.front();
    if (first == '"' || first == '\'') {
      const std::string_view inner =
          item.substr(1, item.size() - std::min<std::size_t>(item.size(), 2));
      if (item.size() < 2 || item.back() != first || inner.find(first) != std::string_view::npos ||
          (first == '"' && inner.find('\\') != std::string_view::npos)) {
        place_.fail(item, "expected a path, in quotes without escapes or without quotes");
      }
      return std::string(inner);
    }
    if (std::string_view("{&*!|>%@`").find(first) != std::string_view::npos)
      place_.fail(item, "expected a path or a list of paths");
    return std::string(item);
  }

  [[noreturn]] void fail(std::string_view at, const std::string& why) const {
    place_.fail(at, why);
  }

 private:
  std::vector<std::string_view> flow_list(std::string_view value) const {
    std::vector<std::string_view> items;
    const std::size_t end = value.find(']');
    if (end == std::string_view::npos) place_.fail(value, "the list has no ]");
    value = value.substr(0, end);
    constexpr std::string_view blanks = " \t\r\n";
    while (value.find_first_not_of(blanks) != std::string_view::npos) {
      const std::size_t comma = std::min(value.find(','), value.size());
      std::string_view item = value.substr(0, comma);
      item.remove_prefix(std::min(item.find_first_not_of(blanks), item.size()));
      items.push_back(item.substr(0, item.find_last_not_of(blanks) + 1));
      value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return items;
  }

  int number(std::string_view word) const {
    constexpr int most = 10'000;
    const auto read = Decimal::parse(word);
    const auto value = read ? read->whole() : std::nullopt;
    if (!value || *value < 0 || *value > most)
      place_.fail(word, fmt::format("'{}' is not a number from 0 to {}", word, most));
    return static_cast<int>(*value);
  }

  std::string_view text_;
  LabelText place_;
};

std::string unquoted(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == text.back() &&
                         (text.front() == '\'' || text.front() == '"');
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

/// The items of a list or a map between brackets, after the opening one. None if it has no end.
std::vector<std::string_view> flow_items(std::string_view text) {
  std::vector<std::string_view> items;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '\'' || c == '"') && trimmed(text.substr(begin, at - begin)).empty()) {
      quote = c;
    } else if (c == ',' || c == ']' || c == '}') {
      std::string_view item = text.substr(begin, at - begin);
      item.remove_prefix(std::min(item.find_first_not_of(" \t\r\n"), item.size()));
      item = item.substr(0, item.find_last_not_of(" \t\r\n") + 1);
      if (!item.empty()) items.push_back(item);
      if (c != ',') return items;
      begin = at + 1;
    }
  }
  return {};
}

class ClassNamesReader {
 public:
  ClassNames read(std::string_view value) {
    const std::string_view first = trimmed(line_at(value, 0));
    if (first.starts_with('[') || first.starts_with('{')) {
      const std::size_t bracket = value.find(first.front());
      for (const std::string_view item : flow_items(value.substr(bracket + 1)))
        first.front() == '[' ? add(item) : add_with_number(item);
    } else if (first.empty()) {
      read_lines(value);
    }
    return is_known_ ? names_ : ClassNames();
  }

 private:
  void read_lines(std::string_view value) {
    for (std::size_t at = next_line(value, 0); at < value.size(); at = next_line(value, at)) {
      const std::string_view line = line_at(value, at), item = trimmed(line);
      if (item.empty()) continue;
      if (item.starts_with('-'))
        add(trimmed(item.substr(1)));
      else if (line.front() == ' ' || line.front() == '\t')
        add_with_number(item);
      else
        break;
    }
  }

  void add(std::string_view name) {
    const auto number = static_cast<std::int64_t>(names_.size());
    names_.emplace(number, unquoted(name));
  }

  void add_with_number(std::string_view item) {
    const std::size_t colon = std::min(item.find(':'), item.size());
    const auto number = Decimal::parse(unquoted(trimmed(item.substr(0, colon))));
    const auto whole = number ? number->whole() : std::nullopt;
    if (whole && colon < item.size())
      names_.emplace(*whole, unquoted(trimmed(item.substr(colon + 1))));
    else
      is_known_ = false;
  }

  ClassNames names_;
  bool is_known_ = true;
};

}  // namespace

bool is_data_set(std::string_view text) {
  const DataYaml yaml(text);
  return yaml.value_of("names") && (yaml.value_of("train") || yaml.value_of("val"));
}

std::vector<DataSetPath> data_set_paths(std::string_view text) {
  const DataYaml yaml(text);
  std::vector<DataSetPath> paths;
  for (const std::string_view key : {"path", "train", "val", "test"}) {
    const auto value = yaml.value_of(key);
    if (!value) continue;
    for (const std::string_view item : yaml.items_of(*value))
      if (std::string path = yaml.path_at(item); !path.empty())
        paths.push_back({key, item, std::move(path)});
  }
  return paths;
}

ClassNames read_class_names(std::string_view text) {
  const auto names = DataYaml(text).value_of("names");
  return names ? ClassNamesReader().read(*names) : ClassNames();
}

std::optional<Keypoints> read_data_yaml(std::string_view text) {
  const DataYaml yaml(text);
  const auto shape = yaml.value_of("kpt_shape");
  const auto is_there = [&](std::string_view key) { return yaml.value_of(key).has_value(); };
  if (!shape) {
    if (is_there("names") && (is_there("train") || is_there("val") || is_there("path")))
      return Keypoints{};
    return std::nullopt;
  }
  const std::vector<int> numbers = yaml.list_at(*shape);
  if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 2 || numbers[1] > 3) {
    yaml.fail(*shape, "kpt_shape is a number of keypoints and 2 or 3 values each, such as [17, 3]");
  }
  Keypoints keypoints{.count = numbers[0], .values = numbers[1]};
  if (const auto flip = yaml.value_of("flip_idx")) {
    keypoints.flip = yaml.list_at(*flip);
    const auto count = static_cast<std::size_t>(keypoints.count);
    bool is_exchange = keypoints.flip.size() == count;
    for (std::size_t i = 0; is_exchange && i < count; ++i) {
      const auto other = static_cast<std::size_t>(keypoints.flip[i]);
      is_exchange = other < count && static_cast<std::size_t>(keypoints.flip[other]) == i;
    }
    if (!is_exchange) {
      yaml.fail(*flip, fmt::format("flip_idx has a number from 0 to {} for each of {} keypoints, "
                                   "and two that change places name each other",
                                   count - 1, count));
    }
  }
  return keypoints;
}

}  // namespace qturn
