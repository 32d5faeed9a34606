// A page for a browser, in one file: small pictures with their labels drawn over them as SVG, and
// what was found beside them.
#pragma once

#include <qturn/pictures.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/check/label_check.hpp"
#include "src/turn/decoded.hpp"

namespace qturn {

// What the labels of some pictures look like.

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

// The page.

/// A picture, shown upright.
struct PageCell {
  std::string caption = {};  ///< empty: its size and orientation
  std::filesystem::path picture = {};
  std::vector<LabelLayer> layers = {};
};

/// What categories are drawn in: the first ones that are asked for get the hues that lie farthest
/// from each other.
class CategoryColours {
 public:
  Colour of(const std::string& category) {
    return colour_of(numbers_.try_emplace(category, numbers_.size()).first->second);
  }
  /// "#ff0000"
  std::string in_html(const std::string& category);

 private:
  std::map<std::string, std::uint64_t> numbers_;
};

class LabelPage {
 public:
  /// `summary` is a paragraph below the title.
  LabelPage(std::string_view title, std::string_view summary, const Limits& limits);

  /// One picture, or several that belong together. What cannot be shown is named in its cell.
  void add_row(std::string_view title, const std::vector<PageCell>& cells,
               const std::vector<std::string>& findings = {});

  /// The page.
  std::string finish() &&;

 private:
  void add_cell(const PageCell& cell, std::int64_t longest);

  const Limits limits_;
  CategoryColours colours_;
  std::string html_;
};

}  // namespace qturn
