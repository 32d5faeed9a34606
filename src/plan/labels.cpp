#include "src/plan/labels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "src/store/path_set.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

// A COCO file has both members. "annotations" can come after all images, so the whole file is
// searched.
bool is_coco(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  bool images = false;
  bool annotations = false;
  std::string window;
  std::array<char, 1 << 16> chunk;
  while (file.read(chunk.data(), chunk.size()), file.gcount() > 0) {
    window.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    images = images || window.find("\"images\"") != std::string::npos;
    annotations = annotations || window.find("\"annotations\"") != std::string::npos;
    if (images && annotations) return true;
    window.erase(0, window.size() - std::min<std::size_t>(window.size(), 16));
  }
  return false;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "masks", "Annotations", "train_masks"; what Pascal VOC, COCO, Cityscapes and their followers
/// use.
bool is_label_folder(const fs::path& folder) {
  const std::string name = lower(folder.filename().string());
  constexpr std::string_view words[] = {
      "label",        "labels",       "annotation",         "annotations",       "mask",
      "masks",        "segmentation", "segmentations",      "segmentationclass", "gtfine",
      "ground_truth", "groundtruth",  "segmentationobject", "gtcoarse"};
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (!name.ends_with(word)) return false;
    const std::string_view before = std::string_view(name).substr(0, name.size() - word.size());
    return before.empty() || before.ends_with('_') || before.ends_with('-');
  });
}

bool is_image_folder(const fs::path& folder) {
  const std::string name = lower(folder.filename().string());
  return name == "images" || name == "jpegimages";
}

constexpr std::size_t mask_suffix_length = 5;

/// "a_mask.png"
bool is_named_as_mask(const fs::path& picture) {
  const std::string stem = lower(picture.stem());
  return stem.ends_with("_mask") || stem.ends_with("-mask") || stem.ends_with(".mask");
}

/// A file below `folder` that is not among `pictures`.
bool holds_another_file(const fs::path& folder, const PathSet& pictures) {
  std::error_code error;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error); !error && at != end(at);
       at.increment(error)) {
    if (at->is_regular_file(error) && !pictures.contains(at->path().native())) return true;
  }
  return false;
}

/// A folder of the input. Paths are absolute and normal.
struct Folder {
  explicit Folder(const FileList::Folder& folder)
      : in_input(fs::path(folder.key).parent_path()),
        prefix(fs::absolute(folder.path.empty() ? "./" : folder.path).lexically_normal()),
        lower_prefix(lower(prefix)),
        is_for_labels(std::any_of(in_input.begin(), in_input.end(), is_label_folder)) {}

  /// Itself and those above it, where labels of its pictures may be.
  void add_places(std::set<fs::path>& places) const {
    auto below_parent_of_input = std::distance(in_input.begin(), in_input.end()) + 1;
    for (fs::path at = fs::path(prefix).parent_path(); at.has_relative_path();
         at = at.parent_path()) {
      if (below_parent_of_input-- >= 0) places.insert(at);
      if (is_image_folder(at)) places.insert(at.parent_path());
    }
  }

  fs::path in_input;
  std::string prefix, lower_prefix;  ///< of paths in it
  bool is_for_labels;
  bool is_to_do = false;  ///< it holds a picture that is to be turned
};

}  // namespace

std::optional<fs::path> find_label(const Plan& plan, Variants variants) {
  const FileList& files = plan.jobs.files();
  std::map<std::uint32_t, Folder> folders;
  std::set<fs::path> places;
  PathSet pictures, stems;
  for (const FoundFile& file : files) {
    if (!file.picture) continue;
    Folder& folder = folders.try_emplace(file.folder, files.folder_of(file)).first->second;
    // What an earlier run has turned is a picture too, not a label.
    pictures.add(folder.prefix + file.name);
    if (file.to_do.empty()) continue;
    if (variants == Variants::drawn_for_each &&
        (folder.is_for_labels || is_named_as_mask(file.name))) {
      return files.path(file);
    }
    stems.add(folder.lower_prefix + lower(fs::path(file.name).stem()));
    if (!folder.is_to_do) folder.add_places(places);
    folder.is_to_do = true;
  }
  pictures.sort();
  stems.sort();
  const auto is_label_of_picture = [&](const fs::path& file) {
    const std::string suffix = lower(file.extension());
    const std::string stem = lower(fs::path(file).replace_extension());
    if (suffix == ".txt" || suffix == ".xml" || suffix == ".json") {
      return stems.contains(stem) || (suffix == ".json" && is_coco(file));
    }
    return is_named_as_mask(file) && !pictures.contains(file.native()) &&
           stems.contains(stem.substr(0, stem.size() - mask_suffix_length));
  };
  std::error_code error;
  for (const fs::path& place : places) {
    for (fs::directory_iterator at(place, error); !error && at != end(at); at.increment(error)) {
      const fs::path& path = at->path();
      if (at->is_directory(error)) {
        if (is_label_folder(path) && holds_another_file(path, pictures)) return path;
      } else if (is_label_of_picture(path)) {
        return path;
      }
    }
  }
  return std::nullopt;
}

}  // namespace qturn
