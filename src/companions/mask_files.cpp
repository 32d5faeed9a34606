#include "src/companions/find_companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "src/companions/leftovers.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class MaskFinder {
 public:
  MaskFinder(const PlanOptions& options, FoundFiles& found)
      : options_(options), among_(found), files_(found.files), listings_(found.listings) {}

  CompanionFiles find() {
    std::map<std::uint32_t, std::vector<Place>> places;
    for (std::size_t number = 0; number < files_.size(); ++number) {
      const FoundFile& file = files_[number];
      if (!file.picture) continue;
      const auto [known, is_new] = places.try_emplace(file.folder);
      if (is_new) known->second = places_of(files_.folder_of(file));
      for (Place& place : known->second) find_in(place, number);
    }
    if (found_.empty()) {
      if (!options_.masks.folder.empty())
        throw WithHints<PlanError>(
            {Hint::turn_without_masks},
            fmt::format("no mask below {} belongs to a picture", options_.masks.folder.string()));
      return {};
    }
    mark_among_files();
    for (const Found& found : found_) {
      const FoundFile& file = files_[found.number];
      if (file.is_companion) continue;
      refuse_jpeg(file, found);
      if (!is_of_size(file, found)) continue;
      masks_.add(found.number, found.place, found.name);
    }
    masks_.finish();
    return std::move(masks_);
  }

 private:
  struct Place {
    FileList::Folder folder;
    MaskPlace place;
    std::optional<std::uint32_t> number = {};  ///< in the list of masks, once it has any
  };
  struct Found {
    std::size_t number;
    std::uint32_t place;
    std::string name;
  };

  std::vector<Place> places_of(const FileList::Folder& pictures) {
    std::vector<Place> places;
    if (const fs::path& folder = among_.place_of(options_.masks.folder); !folder.empty()) {
      const fs::path name = fs::path(normal_path(folder / "")).parent_path().filename();
      const fs::path path = folder / pictures.key / "";
      const bool is_beside = normal_path(path) == normal_path(fs::path(pictures.path) / "");
      places.push_back(
          {{path, name / pictures.key / ""}, is_beside ? MaskPlace::beside : MaskPlace::apart});
      return places;
    }
    places.push_back({pictures, MaskPlace::beside});
    const fs::path own = fs::path(normal_path(pictures.path)).parent_path().filename();
    for (const MaskFolder& masks : mask_folders(lower_case(own.string()))) {
      const auto sibling = find_sibling(listings_, pictures, masks.from, masks.to);
      if (!sibling) continue;
      const std::string key = sibling->key.value_or(sibling->name + "/" + pictures.key);
      places.push_back({{sibling->path, key}, masks.place});
    }
    return places;
  }

  void find_in(Place& place, std::size_t number) {
    const fs::path picture = files_[number].name;
    using enum Listings::Pictures;
    for (const Listings::Entry& entry :
         listings_.starting_with(place.folder.path, lower_case(picture.stem()),
                                 place.place == MaskPlace::apart ? all : masks)) {
      if (entry.is_folder() || !is_mask_of(entry.lower, picture, place.place)) continue;
      if (is_array(entry.lower) && is_excluded(options_, place.folder.key + entry.name, entry.name))
        continue;
      if (!place.number) place.number = masks_.add_place({.folder = place.folder});
      found_.push_back({number, *place.number, entry.name});
      paths_.add(normal_path(place.folder.path + entry.name));
    }
  }

  void mark_among_files() {
    paths_.sort();
    std::map<std::uint32_t, std::string> prefixes;
    for (FoundFile& file : files_) {
      const auto [known, is_new] = prefixes.try_emplace(file.folder);
      if (is_new) known->second = normal_path(fs::path(files_.folder_of(file).path) / "");
      file.is_companion = paths_.contains(known->second + file.name);
    }
  }

  void refuse_jpeg(const FoundFile& file, const Found& found) const {
    if (codec_of_suffix(lower_suffix(found.name))->name != "jpeg") return;
    throw WithHints<PlanError>(
        {Hint::turn_without_masks},
        fmt::format(
            "{}, a mask of {}, is a JPEG, which changes the values of pixels; store it as a "
            "PNG",
            masks_.place(found.place).folder.path + found.name, files_.path(file)));
  }

  /// The first array of a folder tells whether they are about the pixels of their pictures.
  bool is_of_size(const FoundFile& file, const Found& found) {
    if (!is_array(found.name)) return true;
    const auto [known, is_new] = are_of_size_.try_emplace(found.place, true);
    if (!is_new) return known->second;
    const std::string array = masks_.place(found.place).folder.path + found.name;
    const std::string picture = files_.path(file);
    try {
      const TarFiles* const tar = among_.tar.get();
      expect_array_of(read_whole(array, tar), read_whole(picture, tar), lower_suffix(picture));
    } catch (const ImageFileError& error) {
      if (options_.others == Others::stop) throw LeftoverError(array, error.what());
      known->second = false;
    } catch (const FileError&) {
      // Its picture fails.
    }
    return known->second;
  }

  const PlanOptions& options_;
  const FoundFiles& among_;
  FileList& files_;
  Listings& listings_;
  CompanionFiles masks_{CompanionKind::mask};
  std::map<std::uint32_t, bool> are_of_size_;  // by place
  std::vector<Found> found_;
  PathSet paths_;
};

}  // namespace

CompanionFiles find_mask_files(const PlanOptions& options, FoundFiles& found) {
  if (!options.masks.take) return {};
  return MaskFinder(options, found).find();
}

}  // namespace qturn
