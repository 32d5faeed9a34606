// Classes whose names are left or right: a mirror turns a left hand into a right one, but the class
// of the label stays.
#pragma once

#include <string_view>

namespace qturn {

/// Whether one of the words of a name is left or right: "turn_left", "LeftHand", "right 2", but not
/// "bright" or "leftover".
bool names_a_side(std::string_view name);

/// Whether such a name may be in a text.
bool may_name_a_side(std::string_view text);

}  // namespace qturn
