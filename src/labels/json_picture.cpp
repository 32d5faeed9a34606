#include "src/labels/json_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "src/labels/text/any_text.hpp"

namespace qturn {

std::string id_in(JsonValue object, std::string_view member) {
  const JsonValue value = object.member(member);
  if (value.kind() == JsonKind::string) return fmt::format("\"{}\"", value.string());
  const std::string_view text = value.text();
  if (text.find_first_not_of("0123456789") == text.npos) return std::string(text);
  const auto id = value.number().whole();
  if (!id || *id < 0)
    value.fail(fmt::format("{} {} is neither a whole number from 0 on nor a string", member, text));
  return std::to_string(*id);
}

void replace_id(LabelText& edits, JsonValue object, std::string_view member,
                const VariantTurn& turn) {
  if (!turn.variant) return;
  const std::string_view text = object.member(member).text();
  edits.replace(text,
                text.starts_with('"')
                    ? fmt::format("{}__{}\"", text.substr(0, text.size() - 1), name(*turn.variant))
                    : id_of_variant(id_in(object, member), *turn.variant));
}

std::int64_t side_of(JsonValue value) {
  const auto side = value.number().whole();
  if (!side || *side < 0 || *side > longest_side)
    value.fail(fmt::format("{} is not a width or a height", value.text()));
  return *side;
}

void UnknownMembers::add(const JsonValue& member, std::size_t objects) {
  constexpr std::string_view angles[] = {"angle", "angles", "rotation", "rotations", "theta"};
  const std::string name = member.name();
  const auto refuse = [&] { member.fail(why_not_turned(name)); };
  const bool is_zero = member.kind() == JsonKind::number && member.number().is_zero();
  const bool has_any = member.text().find_first_of("0123456789") != std::string_view::npos;
  if (std::ranges::count(angles, name) > 0 && has_any && !is_zero &&
      member.kind() != JsonKind::string)
    refuse();
  std::size_t object = 0;
  const auto count = [&](const JsonValue& value) {
    const std::size_t found = numbers_in_member(name, value.text());
    numbers_.resize(std::max(numbers_.size(), object + 1));
    numbers_[object] += found;
    if (found > 0 && numbers_[object] > 1) refuse();
    ++object;
  };
  if (member.kind() != JsonKind::array || objects < 2 || member.size() != objects)
    return count(member);
  for (const JsonValue each : member) count(each);
}

namespace {

/// Nothing if it is not UTF-8.
std::optional<std::string> escaped_as(std::string_view old, const std::string& now) {
  return json_string(now, std::ranges::all_of(old, [](char c) { return (c & 0x80) == 0; }));
}

/// Calls `visit` for each string that is not a key, with its quotes, and what it says.
template <typename Visit>
void for_each_string(std::string_view json, Visit visit) {
  for (std::size_t at = 0; (at = json.find('"', at)) != json.npos;) {
    std::size_t end = at + 1;
    while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    if (end >= json.size()) return;
    const std::string_view string = json.substr(at, ++end - at);
    at = std::min(json.find_first_not_of(" \t\r\n", end), json.size());
    const bool is_key = at < json.size() && json[at] == ':';
    at = end;
    if (is_key) continue;
    const bool has_escapes = string.find('\\') != string.npos;
    visit(string, has_escapes ? JsonText(string).root().string()
                              : std::string(string.substr(1, string.size() - 2)));
  }
}

}  // namespace

void add_named_files(std::string_view json, const std::string& own, std::set<std::string>& names) {
  bool is_own_seen = false;
  for_each_string(json, [&](std::string_view, std::string value) {
    const bool is_address = value.find("://") != value.npos;
    if (is_address || !may_name_file(value)) return;
    if (value != own || std::exchange(is_own_seen, true)) names.insert(std::move(value));
  });
}

void rename_files(LabelText& edits, const std::map<std::string, std::string>& names) {
  if (names.empty()) return;
  for_each_string(edits.all(), [&](std::string_view string, const std::string& value) {
    const auto name = names.find(value);
    if (name != names.end() && !edits.is_replaced(string))
      edits.replace(string, escaped_as(string, name->second).value_or(std::string(string)));
  });
}

bool begins_as_array(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return begin != head.npos && head[begin] == '[';
}

void replace_class(LabelText& edits, const JsonValue& value, const ClassSwap& swap,
                   Orientation orientation) {
  if (value.kind() == JsonKind::array) {
    for (const JsonValue each : value) replace_class(edits, each, swap, orientation);
  } else if (value.kind() == JsonKind::string) {
    if (const auto* other = class_after(swap, value.string(), orientation))
      replace_string(edits, value, *other);
  } else if (const auto* other = class_after(swap, value.text(), orientation)) {
    edits.replace(value.text(), *other);
  }
}

void replace_string(LabelText& edits, JsonValue old, const std::string& now) {
  const auto string = escaped_as(old.text(), now);
  if (!string) old.fail("JSON has no place for the turned picture's name, which is not UTF-8");
  edits.replace(old.text(), *string);
}

}  // namespace qturn
