// Labels and masks without a picture.
#include "src/check/label_check.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "src/files/safe_file.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/inputs/output_names.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string lower_stem(const fs::path& file) { return lower_case(file.stem().string()); }

/// Of an empty one, only where no other text lies.
bool looks_like(const LabelFormat& format, const fs::path& file, const TarFiles* tar,
                bool is_among_pictures) try {
  const Bytes bytes = read_whole(file, tar);
  if (bytes.empty()) return !is_among_pictures;
  return format.is_of(text_of(bytes));
} catch (const FileError&) {
  return false;
}

class StrayLabelFinder {
 public:
  StrayLabelFinder(const CompanionFiles& labels, const LabelSources& sources,
                   const std::set<fs::path>& shared)
      : labels_(labels),
        files_(sources.files),
        listings_(*sources.listings),
        tar_(sources.tar.get()) {
    for (const fs::path& file : shared) shared_.insert(normal_path(file));
  }

  std::set<fs::path> find() {
    // The folders of the pictures whose labels lie in a place.
    std::map<std::uint32_t, std::set<std::string>> folders;
    for (const CompanionFiles::File& label : labels_)
      folders[label.place].insert(files_.folder_of(files_[label.picture]).path);
    for (const auto& [place, of_pictures] : folders) look_in(labels_.place(place), of_pictures);
    return std::move(strays_);
  }

 private:
  void look_in(const CompanionFiles::Place& place, const std::set<std::string>& of_pictures) {
    const std::string folder = normal_path(fs::path(place.folder.path) / "");
    const bool is_beside = std::ranges::any_of(of_pictures, [&](const std::string& pictures) {
      return normal_path(fs::path(pictures) / "") == folder;
    });
    if (is_beside && !place.rule) return;  // a mask without its picture is a picture
    for_each_file_in(place.folder.path, [&](const fs::path& file) {
      const bool is_label = place.rule ? lower_case(file.extension()) == place.rule->format->suffix
                                       : is_named_as_picture(file);
      const std::string path = normal_path(file);
      if (!is_label || labels_.contain(path) || shared_.contains(path)) return;
      if (has_picture(file, of_pictures)) return;
      // A list of classes lies among labels, too.
      if (!place.rule || looks_like(*place.rule->format, file, tar_, is_beside))
        strays_.insert(file);
    });
  }

  template <typename Visit>
  void for_each_file_in(const fs::path& folder, Visit visit) {
    for (const Listings::Entry& entry : listings_.if_readable(folder, Listings::Pictures::all))
      if (!entry.is_folder()) visit(folder / entry.name);
  }

  bool has_picture(const fs::path& label, const std::set<std::string>& folders) {
    const std::string stem = lower_stem(label);
    return std::ranges::any_of(folders, [&](const std::string& folder) {
      return belongs_to_any(stem, pictures_in(folder));
    });
  }

  const std::set<std::string>& pictures_in(const std::string& folder) {
    const auto [known, is_new] = pictures_.try_emplace(folder);
    if (!is_new) return known->second;
    std::set<std::string>& stems = known->second;
    for_each_file_in(folder, [&](const fs::path& file) {
      if (!is_named_as_picture(file)) return;
      const std::string stem = lower_stem(file);
      stems.insert({stem, stem.substr(0, variant_place(stem)),
                    lower_case(file.filename().string())});  // of "a.jpg.json"
    });
    return stems;
  }

  const CompanionFiles& labels_;
  const FileList& files_;
  Listings& listings_;
  const TarFiles* tar_;
  std::set<std::string> shared_;
  std::map<std::string, std::set<std::string>> pictures_;  // their stems, by folder
  std::set<fs::path> strays_;
};

}  // namespace

std::set<fs::path> find_stray_labels(const CompanionFiles& labels, const LabelSources& sources,
                                     const std::set<fs::path>& shared) {
  return StrayLabelFinder(labels, sources, shared).find();
}

}  // namespace qturn
