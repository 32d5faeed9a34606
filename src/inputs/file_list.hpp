// The files of a plan, held so that millions of them fit: 40 bytes for each and its name, and the
// path of each folder once. A path or a key is put together when somebody asks for it.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/inputs/name_list.hpp"

namespace qturn {

/// Device and inode: the same for every name of a file, and for no other file.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): it means a comparison that it makes up itself
  auto operator<=>(const FileId&) const = default;
};

/// Some of the eight orientations, a bit for each.
class OrientationSet {
 public:
  constexpr void add(Orientation orientation) { bits_ |= bit(orientation); }
  constexpr void remove(Orientation orientation) {
    bits_ &= static_cast<std::uint8_t>(~bit(orientation));
  }
  constexpr bool contains(Orientation orientation) const { return bits_ & bit(orientation); }
  constexpr bool empty() const { return bits_ == 0; }
  int size() const { return std::popcount(bits_); }
  constexpr OrientationSet operator|(OrientationSet other) const {
    other.bits_ |= bits_;
    return other;
  }

  /// Ascending by number.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (int n = 1; n <= 8; ++n)
      if (contains(static_cast<Orientation>(n))) visit(static_cast<Orientation>(n));
  }

 private:
  static constexpr std::uint8_t bit(Orientation orientation) {
    return static_cast<std::uint8_t>(1 << (static_cast<int>(orientation) - 1));
  }
  std::uint8_t bits_ = 0;
};

/// A regular file. FileList knows its path, its key and its id.
struct FoundFile {
  const char* name = nullptr;  ///< the last part of its path and of its key; the list owns it
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  std::uint32_t folder : 27 = 0;
  std::uint32_t picture : 1 = false;       ///< by its content; by its suffix if that does not tell
  std::uint32_t is_companion : 1 = false;  ///< a mask, a label..., written with its picture
  std::uint32_t is_link : 1 = false;       ///< a symbolic link; all the rest is about its target
  std::uint32_t has_links : 1 = false;     ///< it has other names (hard links)
  std::uint32_t is_named : 1 = false;      ///< as an input, not found in a folder or a list
  std::uint16_t device = 0;
  /// The variants that are to be written, and those that exist and are left alone. The identity
  /// where there are no variants.
  OrientationSet to_do, kept;

  /// Whether it is turned as a picture, and not with another one, as a mask is.
  bool is_own_picture() const { return picture && !is_companion; }
};
static_assert(sizeof(FoundFile) == 40);

class FileList {
 public:
  struct Folder {
    std::string path, key;  ///< what goes before a name; empty, or with '/' at the end
    bool may_hold_sidecars = true;
  };

  std::uint32_t add_folder(std::string path, std::string key);
  Folder& folder(std::uint32_t index) { return folders_[index]; }
  const Folder& folder_of(const FoundFile& file) const { return folders_[file.folder]; }
  std::size_t folder_count() const { return folders_.size(); }
  const Folder& folder_at(std::size_t index) const { return folders_[index]; }

  FoundFile& add(std::uint32_t folder, std::string_view name, const struct stat& status);

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  FoundFile& operator[](std::size_t index) { return files_[index]; }
  const FoundFile& operator[](std::size_t index) const { return files_[index]; }
  auto begin() { return files_.begin(); }
  auto end() { return files_.end(); }
  auto begin() const { return files_.begin(); }
  auto end() const { return files_.end(); }

  std::string path(const FoundFile& file) const { return folders_[file.folder].path + file.name; }
  /// The relative path below the input, with '/' between parts.
  std::string key(const FoundFile& file) const { return folders_[file.folder].key + file.name; }
  FileId id(const FoundFile& file) const { return {devices_[file.device], file.inode}; }

  /// Stores where the symbolic link `file` leads. Must be called before link_target().
  void set_link_target(const FoundFile& file, std::string_view path);
  const char* link_target(const FoundFile& file) const { return link_targets_.at(file.name); }

  /// The number of the file with this key, if the files are sorted.
  std::optional<std::size_t> find(std::string_view key) const;
  /// Returns what key(a).compare(key(b)) would.
  int compare_keys(const FoundFile& a, const FoundFile& b) const;

  /// Sorts by key, and leaves only the first of entries that are the same file with the same key.
  void sort();

  template <typename Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(files_, predicate);
  }

 private:
  std::vector<FoundFile> files_;
  std::vector<Folder> folders_;
  std::vector<std::uint64_t> devices_;
  std::map<const char*, const char*> link_targets_;  // by the link's name
  NameList names_;
};

}  // namespace qturn
