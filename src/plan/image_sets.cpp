#include "src/plan/image_sets.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/picture/text.hpp"
#include "src/plan/folder_layout.hpp"
#include "src/plan/label_places.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class ImageSetsFinder {
 public:
  ImageSetsFinder(const FileList& files, Listings& listings, const OutputNames& names,
                  DataSets& found)
      : files_(files), listings_(listings), names_(names), found_(found) {}

  void find() {
    for (const fs::path& pictures : image_folders()) {
      const fs::path root = pictures.parent_path();
      const Listings::Entry* sets = listings_.find(root, "ImageSets", true);
      if (!sets) continue;
      if (by_path_.empty()) number_pictures();
      const fs::path folder = root / sets->name;
      add_lists(folder, folder, pictures);
      for (const Listings::Entry& below : listings_.of(folder))
        if (below.is_folder()) add_lists(folder / below.name, folder, pictures);
      if (lines_left_out_ > 0) {
        found_.add_problem(fmt::format("{}: {} of {} lines name no picture of this run",
                                       from_here(folder).string(), lines_left_out_, lines_));
      }
      lines_left_out_ = lines_ = 0;
    }
  }

 private:
  struct Named {
    std::size_t picture;
    std::optional<std::size_t> other;  ///< that has the name, too
  };

  std::set<fs::path> image_folders() const {
    std::set<std::uint32_t> seen;
    std::set<fs::path> found;
    for (const FoundFile& file : files_) {
      if (!file.is_own_picture() || !seen.insert(file.folder).second) continue;
      fs::path at = fs::path(normal_path(files_.folder_of(file).path)).parent_path();
      for (; at.has_relative_path(); at = at.parent_path())
        if (is_image_folder(at)) found.insert(at);
    }
    return found;
  }

  void number_pictures() {
    for (std::size_t number = 0; number < files_.size(); ++number) {
      if (!files_[number].is_own_picture()) continue;
      fs::path path = normal_path(files_.path(files_[number]));
      by_path_.try_emplace(path.string(), Named{number, {}});
      const auto [known, is_new] =
          by_path_.try_emplace(path.replace_extension().string(), Named{number, {}});
      if (!is_new) known->second.other = number;
    }
  }

  void add_lists(const fs::path& folder, const fs::path& sets, const fs::path& pictures) {
    for (const Listings::Entry& entry : listings_.of(folder))
      if (!entry.is_folder() && entry.lower.ends_with(".txt"))
        add_list(folder / entry.name, sets, pictures);
  }

  void add_list(const fs::path& path, const fs::path& sets, const fs::path& pictures) {
    DataSets::File list = read_list_file(path);
    list.output = output_of(path, sets.parent_path());
    list.image_sets = from_here(sets);
    std::istringstream lines(std::exchange(list.text, {}));
    std::uint64_t number = 0, left_out = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::string name = line.substr(0, line.find_first_of(" \t"));
      if (name.empty()) continue;
      const auto found = by_path_.find((pictures / name).lexically_normal().string());
      if (found == by_path_.end()) {
        ++left_out;
        continue;
      }
      const Named& named = found->second;
      if (named.other) {
        throw PlanError(fmt::format(
            "{}:{}: {} may be {} or {}; name one of them alone as an input", list.input.string(),
            number, name, files_.path(files_[named.picture]), files_.path(files_[*named.other])));
      }
      list.pictures.push_back(named.picture);
      list.around.push_back({.before = name.substr(0, name.rfind('/') + 1),
                             .after = line.substr(name.size()),
                             .has_suffix = name.ends_with(files_[named.picture].name)});
    }
    if (list.pictures.empty()) return;
    lines_left_out_ += left_out;
    lines_ += left_out + list.pictures.size();
    found_.add(std::move(list));
  }

  fs::path output_of(const fs::path& list, const fs::path& root) const {
    const auto key = key_below_inputs(list, files_);
    return names_.folder() / (key ? fs::path(*key) : list.lexically_relative(root));
  }

  const FileList& files_;
  Listings& listings_;
  const OutputNames& names_;
  std::unordered_map<std::string, Named> by_path_;  // with its suffix and without
  std::uint64_t lines_ = 0, lines_left_out_ = 0;    // of the lists in a folder ImageSets
  DataSets& found_;
};

}  // namespace

void find_image_sets(const FileList& files, Listings& listings, const OutputNames& names,
                     DataSets& found) {
  ImageSetsFinder(files, listings, names, found).find();
}

}  // namespace qturn
