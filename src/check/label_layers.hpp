// What the labels of some pictures look like, drawn over them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/check/label_check.hpp"

namespace qturn {

/// A label, or a mask.
struct LabelLayer {
  Size size = {};                                  ///< of its frame
  Orientation to_upright = Orientation::identity;  ///< how the frame becomes the upright picture
  std::vector<LabelShape> shapes = {};
  std::filesystem::path mask = {};  ///< empty: it is a label
  std::string problem = {};         ///< why it cannot be drawn; or empty
};

/// The layers of pictures that `check` has seen, by the numbers of the pictures. Reads COCO and CSV
/// files once more. A frame that is not known is taken for the upright picture.
std::map<std::size_t, std::vector<LabelLayer>> label_layers(const LabelCheck& check,
                                                            const std::set<std::size_t>& pictures);

}  // namespace qturn
