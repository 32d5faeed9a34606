#include "src/plan/label_places.hpp"

#include <iterator>
#include <string>

#include "src/plan/folder_layout.hpp"
#include "src/plan/lower_case.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

bool is_image_folder(const fs::path& folder) {
  const std::string name = lower_case(folder.filename().string());
  return name == "images" || name == "jpegimages";
}

}  // namespace

void add_label_places(const FileList::Folder& pictures, std::set<fs::path>& places) {
  const fs::path in_input = fs::path(pictures.key).parent_path();
  auto below_parent_of_input = std::distance(in_input.begin(), in_input.end()) + 1;
  const fs::path folder = normal_path(pictures.path);
  for (fs::path at = folder.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (below_parent_of_input-- >= 0) places.insert(at);
    if (is_image_folder(at)) places.insert(at.parent_path());
  }
}

}  // namespace qturn
