#include "src/plan/labels.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

namespace qturn {
namespace {

namespace fs = std::filesystem;

// A COCO file names both members; "annotations" can come after all the images, so the whole file is
// looked through.
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

std::optional<fs::path> coco_file_in(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json" && is_coco(entry.path())) return entry.path();
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_label(const std::vector<Job>& jobs,
                                   const std::vector<fs::path>& inputs) {
  std::error_code error;
  std::set<fs::path> folders;
  for (const Job& job : jobs) {
    if (job.copy_verbatim) continue;
    for (const char* suffix : {".txt", ".xml", ".json"}) {
      fs::path label = job.input;
      label.replace_extension(suffix);
      if (fs::exists(label, error)) return label;
    }
    folders.insert(job.input.parent_path().empty() ? fs::path(".") : job.input.parent_path());
  }
  for (const fs::path& input : inputs)
    if (fs::is_directory(input, error)) folders.insert(input);

  // YOLO and COCO keep labels beside the folder of pictures as often as in it.
  std::set<fs::path> places;
  for (const fs::path& folder : folders) {
    places.insert(folder);
    const fs::path absolute = fs::absolute(folder, error).lexically_normal();
    const fs::path parent =
        (absolute.has_filename() ? absolute : absolute.parent_path()).parent_path();
    if (absolute.filename() == "images" || folder.filename() == "images") places.insert(parent);
    if (fs::is_directory(parent / "annotations", error)) places.insert(parent / "annotations");
  }
  for (const fs::path& place : places) {
    if (fs::is_directory(place / "labels", error)) return place / "labels";
    if (fs::is_directory(place / "annotations", error))
      if (auto coco = coco_file_in(place / "annotations")) return coco;
    if (auto coco = coco_file_in(place)) return coco;
  }
  return std::nullopt;
}

}  // namespace qturn
