#include "src/labels/json_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/labels/coordinates.hpp"

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

namespace {

/// Whether there are numbers in so many arrays or more, one within the other.
bool holds_numbers(const JsonValue& value, int arrays) {
  if (value.kind() == JsonKind::number) return arrays <= 0;
  const int inside = arrays - (value.kind() == JsonKind::array ? 1 : 0);
  bool holds = false;
  for (const JsonValue each : value) holds = holds || holds_numbers(each, inside);
  return holds;
}

/// An angle other than 0, or the point of a centre: names that mean coordinates in a label alone.
bool is_angle_or_centre(const JsonValue& member) {
  constexpr std::string_view angles[] = {"angle", "angles", "rotation", "rotations", "theta"},
                             points[] = {"center", "centre", "centroid", "gaze"};
  const bool is_zero = member.kind() == JsonKind::number && member.number().is_zero();
  if (std::ranges::count(angles, member.name()) > 0) return !is_zero && holds_numbers(member, 0);
  return std::ranges::count(points, member.name()) > 0 && holds_numbers(member, 1);
}

[[noreturn]] void refuse(const JsonValue& member) {
  member.fail(fmt::format("{} may hold coordinates, and cannot be turned", member.name()));
}

}  // namespace

void refuse_coordinates(const JsonValue& member) {
  if (is_angle_or_centre(member) ||
      may_hold_coordinates(fmt::format("{{\"{}\": {}}}", member.name(), member.text())))
    refuse(member);
}

void refuse_coordinates(const JsonValue& member, int arrays) {
  if (!holds_numbers(member, 0)) return;
  const std::string name = member.name();  // empty in an array
  const bool is_named = !name.empty() && may_hold_coordinates(fmt::format("{{\"{}\": [0]}}", name));
  if (is_named || is_angle_or_centre(member) || holds_numbers(member, arrays)) refuse(member);
  for (const JsonValue each : member) refuse_coordinates(each, arrays);
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
