// What formats in JSON say about a picture alike: its name, its sides, ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/labels/labelled_images.hpp"
#include "src/labels/text/json_text.hpp"

namespace qturn {

/// The digits of a whole number from 0 on, or a string with quotes around it. Throws LabelError.
std::string id_in(JsonValue object, std::string_view member);

/// Puts the id of one of several variants in the place of one that id_in() takes: "a__flop" of "a".
void replace_id(LabelText& edits, JsonValue object, std::string_view member,
                const VariantTurn& turn);

/// A width or a height. Throws LabelError.
std::int64_t side_of(JsonValue value);

/// Throws LabelError for a member that may say where something is, of a format that does not know
/// it.
void refuse_coordinates(const JsonValue& member);
/// The same for numbers: by the names of a member and of the members in it, or if the numbers lie
/// in so many arrays or more, one within the other. A few numbers for an object say what it is, not
/// where.
void refuse_coordinates(const JsonValue& member, int arrays);

/// Whether a text that begins so is an array.
bool begins_as_array(std::string_view head);

/// Puts the class that a turn makes of one in its place: of a string, a number, or each of an
/// array.
void replace_class(LabelText& edits, const JsonValue& value, const ClassSwap& swap,
                   Orientation orientation);

/// Puts `now` in the place of a string, escaped as that was. Throws LabelError if it is not UTF-8.
void replace_string(LabelText& edits, JsonValue old, const std::string& now);

}  // namespace qturn
