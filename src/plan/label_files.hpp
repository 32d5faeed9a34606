// Which label file belongs to which picture, and where its turned copies go.
//
//   beside the picture     x/a.jpg          x/a.txt, x/a.xml, x/a.json
//   Ultralytics' layout    images/x/a.jpg   labels/x/a.txt   the last folder called images counts
//   Pascal VOC's layout    JPEGImages/a.jpg Annotations/a.xml
//   DOTA                   images/a.png     labelTxt/a.txt
//   Supervisely            img/a.jpg        ann/a.jpg.json
//   Cityscapes             leftImg8bit/x/a_leftImg8bit.png   gtFine/x/a_gtFine_polygons.json
//   KITTI                  image_2/a.png    label_2/a.txt
//
// Case does not matter: A.JPG finds a.txt, and Images finds Labels. A turned label keeps its place
// relative to its picture. If the folder images is not below the input, as for the input
// data/images/train, that would be outside of the output. Then the label goes beside its picture,
// where Ultralytics looks for it unless the output's own path has a folder called images (or
// JPEGImages), which is refused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/labels/one/label.hpp"
#include "src/plan/file_list.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/name_list.hpp"
#include "src/plan/options.hpp"
#include "src/plan/output_names.hpp"

namespace qturn {

/// The labels of the pictures; or their masks (mask_files.hpp) or sidecars (sidecar_files.hpp), of
/// which a picture can have several.
class LabelFiles {
 public:
  /// The labels, the sidecars and the masks of pictures, in this order.
  using All = std::array<const LabelFiles*, 3>;

  /// The labels, masks or sidecars of some pictures, which lie in one folder.
  struct Place {
    const LabelFormat* format = nullptr;  ///< null: masks or sidecars
    FileList::Folder folder;              ///< its path, and the key below the output
    std::optional<Keypoints> keypoints = {};
    ClassNames classes = {};
    ClassSwap swap = {};
    std::set<std::string> sides = {};  ///< names of classes that are left or right
    bool holds_any = false;
  };
  struct Label {
    std::size_t file = 0;  ///< the number of the picture
    std::uint32_t place = 0;
    const char* name = nullptr;
  };

  std::uint32_t add_place(Place place);
  /// Ascending by `file`.
  void add(std::size_t file, std::uint32_t place, std::string_view name);
  /// Must be called when all are added.
  void finish() { paths_.sort(); }

  std::size_t size() const { return labels_.size(); }
  bool empty() const { return labels_.empty(); }
  auto begin() const { return labels_.begin(); }
  auto end() const { return labels_.end(); }

  /// Null if the picture has none.
  const Label* of(std::size_t file) const;
  std::span<const Label> all_of(std::size_t file) const;
  Place& place(std::uint32_t index) { return places_[index]; }
  const Place& place(std::uint32_t index) const { return places_[index]; }
  const std::vector<Place>& places() const { return places_; }
  const Place& place_of(const Label& label) const { return places_[label.place]; }
  std::filesystem::path path(const Label& label) const {
    return place_of(label).folder.path + label.name;
  }
  /// The name of its turned copy, if this is that of its picture, and of the turned picture.
  static std::string name_of(const Label& label, const std::filesystem::path& picture,
                             const std::filesystem::path& output);

  bool have_keypoints() const {
    return std::ranges::any_of(
        places_, [](const Place& place) { return place.keypoints && place.keypoints->count > 0; });
  }
  /// Whether this absolute, normal path is among them.
  bool contain(std::string_view path) const { return paths_.contains(path); }
  /// Whether a label lies in this folder or below it.
  bool are_below(const std::filesystem::path& folder) const;

 private:
  std::vector<Label> labels_;
  std::vector<Place> places_;
  NameList names_;
  PathSet paths_;
};

/// What --swap-pairs says; nothing without it. Throws PlanError if it cannot be read.
SwapPairs swap_pairs_of(const PlanOptions& options);

/// What --keypoints and --swap-pairs say about labels for which no YAML file says more. Throws
/// PlanError as swap_pairs_of().
LabelOptions labels_without_yaml(const PlanOptions& options);

/// Finds the labels that `options.labels` asks for. `names`: null if labels are only checked. Then
/// a copy can lie anywhere, and what a label says is looked at later. Reads folders, the YAML files
/// of data sets, and of each format the first label that is not empty. Beside pictures, a text is
/// not a label if no text there is of the format and it holds no coordinates: a caption, for
/// example. Throws PlanError for a picture with two labels, for a label whose copy would lie
/// outside of the output, for a file that is not a label of the format that its suffix promises,
/// and if none is found that was asked for.
LabelFiles find_label_files(const PlanOptions& options, FoundFiles& found,
                            const OutputNames* names);

}  // namespace qturn
