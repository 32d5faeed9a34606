// Whether a member of a label, in a format that does not know it, may say where something is.
#pragma once

#include <string_view>

namespace qturn {

/// - It has a name that coordinates have, as a key ("bbox": ...) or as a tag (<bndbox>). The word
///   alone is not enough: a caption may be about landmarks. Capitals make no difference.
/// - Or it has four numbers in a row. In a string of JSON those in brackets count. Rows of -1, 0
///   and 1 alone do not, which say which classes there are, nor rows of 64 numbers and more of
///   which many are negative, which are embeddings. In a text that is neither JSON nor XML, one
///   word in five is such a number: a page that was read by a scanner has a few of them, too.
bool may_hold_coordinates(std::string_view text);

}  // namespace qturn
