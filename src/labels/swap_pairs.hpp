// Which keypoints change places in a mirror, as the user says it: a text file with a pair on each
// line, such as "1 2" for a left and a right eye. Keypoints are counted from 0, and those that are
// not named stay.
#ifndef QTURN_SRC_LABELS_SWAP_PAIRS_HPP
#define QTURN_SRC_LABELS_SWAP_PAIRS_HPP

#include <optional>
#include <string_view>
#include <vector>

namespace qturn {

/// Reads which keypoint takes the place of each, up to the last that is named. Throws LabelError.
std::vector<int> read_swap_pairs(std::string_view text);

/// The same for `count` keypoints: a flip_idx. Nothing if a pair names one beyond them.
std::optional<std::vector<int>> flip_of(std::vector<int> pairs, int count);

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_SWAP_PAIRS_HPP
