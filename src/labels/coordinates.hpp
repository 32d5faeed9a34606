// Whether a text may say where something is in a picture. It is asked about files of kinds that
// qturn does not know, before their pictures are turned without them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qturn {

/// So many bytes of a file are looked at.
inline constexpr std::size_t label_head_bytes = 1 << 16;

/// Whether a text of whatever kind may say where something is in a picture.
///
/// - It has a name that coordinates have, as a key ("bbox": ...) or as a tag (<bndbox>). The word
///   alone is not enough: a caption may be about landmarks. Capitals make no difference.
/// - Or it has four numbers in a row. In a string of JSON those in brackets count. Rows of -1, 0
///   and 1 alone do not, which say which classes there are, nor rows of 64 numbers and more of
///   which many are negative, which are embeddings. In a text that is neither JSON nor XML, one
///   word in five is such a number: a page that was read by a scanner has a few of them, too.
bool may_hold_coordinates(std::string_view text);

/// As may_hold_coordinates(), of the first bytes of a file with this suffix, which is in lower
/// case. In CSV, the names of the columns decide where there are any. A NumPy array may, as may
/// some other binary files.
bool may_be_label(std::string_view lower_suffix, std::string_view head);

/// Whether a text begins with UTF-16's byte order mark.
bool is_utf_16(std::string_view text);

/// A text in UTF-16 as one of bytes, without characters beyond ASCII; others as they are.
std::string in_bytes(std::string_view text);

/// Whether files with this suffix, in lower case, are looked at.
bool has_suffix_of_labels(std::string_view lower_suffix);

}  // namespace qturn
