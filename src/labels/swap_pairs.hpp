// Which keypoints and classes change places in a mirror, as the user says: a text file with a
// pair on each line, such as "1 2" for a left and a right eye, or "left_hand: right_hand".
// Keypoints are counted from 0, and those that are not named stay.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

namespace qturn {

/// The class that takes the place of each in a mirror: names, or numbers where labels have numbers.
using ClassSwap = std::map<std::string, std::string, std::less<>>;
inline const ClassSwap no_classes;

struct SwapPairs {
  std::vector<int> keypoints = {};  ///< which takes the place of each, up to the last that is named
  ClassSwap classes = {};
  bool operator==(const SwapPairs&) const = default;
};

/// Throws LabelError.
SwapPairs read_swap_pairs(std::string_view text);

/// The pairs for `count` keypoints: a flip_idx. Nothing if a pair names one beyond them.
std::optional<std::vector<int>> flip_of(std::vector<int> pairs, int count);

/// The classes by their numbers. A pair is left out if neither of its classes is there. Throws
/// LabelError if only one of them is there, or a class twice.
ClassSwap numbered(const ClassSwap& classes, const std::map<std::int64_t, std::string>& names);
/// The same by ids as JSON has them; a string loses its quotes.
ClassSwap numbered(const ClassSwap& classes, const std::map<std::string, std::string>& names);

/// What a turn makes of a class; null if it stays.
const std::string* class_after(const ClassSwap& classes, std::string_view name,
                               Orientation orientation);

// Classes whose names are left or right: a mirror turns a left hand into a right one, but the class
// of the label stays.

/// Whether one of the words of a name is left or right: "turn_left", "LeftHand", "right 2", but not
/// "bright" or "leftover".
bool names_a_side(std::string_view name);

/// Whether a text may have a name for which names_a_side() is true.
bool may_name_a_side(std::string_view text);

}  // namespace qturn
