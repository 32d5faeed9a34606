// The files that belong to pictures, held as the pictures are: a few bytes for each, and its folder
// once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/name_list.hpp"
#include "src/labels/one/label.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

/// The labels of the pictures (label_files.hpp), or their masks or sidecars (find_companions.hpp).
/// A picture can have several masks and sidecars.
class CompanionFiles {
 public:
  /// The labels, the sidecars and the masks of pictures, in this order.
  using All = std::array<const CompanionFiles*, 3>;

  /// Of some pictures, in one folder.
  struct Place {
    std::shared_ptr<LabelRule> rule = {};  ///< of labels
    FileList::Folder folder;               ///< its path, and the key below the output
    ClassNames classes = {};
    std::set<std::string> sides = {};  ///< names of classes that are left or right
    bool holds_any = false;
  };
  struct File {
    std::size_t picture = 0;  ///< its number
    std::uint32_t place = 0;
    const char* name = nullptr;
  };

  CompanionFiles() = default;
  explicit CompanionFiles(CompanionKind kind) : kind_(kind) {}

  CompanionKind kind() const { return kind_; }
  std::uint32_t add_place(Place place);
  /// Ascending by `picture`.
  void add(std::size_t picture, std::uint32_t place, std::string_view name);
  /// Must be called when all are added.
  void finish() { paths_.sort(); }

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  auto begin() const { return files_.begin(); }
  auto end() const { return files_.end(); }

  /// Null if the picture has none.
  const File* of(std::size_t picture) const;
  std::span<const File> all_of(std::size_t picture) const;
  Place& place(std::uint32_t index) { return places_[index]; }
  const Place& place(std::uint32_t index) const { return places_[index]; }
  const std::vector<Place>& places() const { return places_; }
  const Place& place_of(const File& companion) const { return places_[companion.place]; }
  std::filesystem::path path(const File& companion) const {
    return place_of(companion).folder.path + companion.name;
  }
  /// The name of its turned copy, if this is that of its picture, and of the turned picture.
  static std::string name_of(const File& companion, const std::filesystem::path& picture,
                             const std::filesystem::path& output);

  bool have_keypoints() const {
    return std::ranges::any_of(places_, [](const Place& place) {
      return place.rule->keypoints && place.rule->keypoints->count > 0;
    });
  }
  /// Files in which trainers keep labels that lie in these places, or will when they are turned.
  const std::set<std::filesystem::path>& caches() const { return caches_; }
  void add_cache(std::filesystem::path file) { caches_.insert(std::move(file)); }
  /// Whether this absolute, normal path is among them.
  bool contain(std::string_view path) const { return paths_.contains(path); }

 private:
  CompanionKind kind_ = CompanionKind::sidecar;
  std::vector<File> files_;
  std::vector<Place> places_;
  NameList names_;
  PathSet paths_;
  std::set<std::filesystem::path> caches_;
};

}  // namespace qturn
