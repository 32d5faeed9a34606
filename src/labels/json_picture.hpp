// What formats in JSON say about a picture alike: its name, its sides, ids.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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

/// The members of an object, or of several objects, that their format does not know. One number
/// says nothing of where something is, two may.
class UnknownMembers {
 public:
  /// Throws LabelError for an angle, and for a member that has, with those before, more than one
  /// number that may say where something is. A list with an element for each of `objects` is about
  /// each of them.
  void add(const JsonValue& member, std::size_t objects = 1);

 private:
  std::vector<std::size_t> numbers_;  // of each object
};

/// Adds the strings of an object or a line that may be names of other files than its picture's.
void add_named_files(std::string_view json, const std::string& own, std::set<std::string>& names);
/// Puts the names of turned files in the places of such strings, but of those that are replaced.
void rename_files(LabelText& edits, const std::map<std::string, std::string>& names);

/// Whether a text that begins so is an array.
bool begins_as_array(std::string_view head);

/// Puts the class that a turn makes of one in its place: of a string, a number, or each of an
/// array.
void replace_class(LabelText& edits, const JsonValue& value, const ClassSwap& swap,
                   Orientation orientation);

/// Puts `now` in the place of a string, escaped as that was. Throws LabelError if it is not UTF-8.
void replace_string(LabelText& edits, JsonValue old, const std::string& now);

}  // namespace qturn
