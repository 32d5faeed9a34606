#include "src/labels/json_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

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
  const auto refuse = [&] {
    member.fail(fmt::format("{} may hold coordinates, and cannot be turned", name));
  };
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
  const bool is_ascii = std::ranges::all_of(old.text(), [](char c) { return (c & 0x80) == 0; });
  const auto string = json_string(now, is_ascii);
  if (!string) old.fail("JSON has no place for the turned picture's name, which is not UTF-8");
  edits.replace(old.text(), *string);
}

}  // namespace qturn
