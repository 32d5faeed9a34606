// Whether a member of a label, in a format that does not know it, may say where something is.
#pragma once

#include <string_view>

namespace qturn {

/// - It has a name that coordinates have, as a key ("bbox": ...) or as a tag (<bndbox>). The word
///   alone is not enough: a caption may be about landmarks. Capitals make no difference.
/// - Or it has four numbers in a row. In a string of JSON only numbers in brackets count. A row of
///   only -1, 0 and 1 says which classes there are, and a row of 64 numbers or more, many of them
///   negative, is an embedding: neither counts. In a text that is neither JSON nor XML, one word in
///   five must be a number: a page that was read by a scanner has a few numbers, too.
bool may_hold_coordinates(std::string_view text);

}  // namespace qturn
