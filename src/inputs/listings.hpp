// The entries of folders, for all who look into them: for pictures, labels, masks, sidecars, data
// sets, leftovers. Each folder is read once, and so is the head of each file.
#pragma once

#include <dirent.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/files/tar/input.hpp"
#include "src/inputs/name_list.hpp"

namespace qturn {

/// Calls `visit(opened, entry)` for each but "." and "..", in the order of the file system. Returns
/// the error that ended it.
std::error_code for_each_entry(const std::filesystem::path& folder,
                               const std::function<void(int opened, const dirent& entry)>& visit);

class Listings {
 public:
  enum class Kind : std::uint8_t { file, folder, link_to_folder };
  struct Entry {
    std::string_view lower;  ///< the name in lower case
    const char* name = nullptr;
    Kind kind = Kind::file;
    bool is_no_picture = false;  ///< by its first bytes, where the walk has read them
    // What Listings::head() keeps of the content.
    mutable bool is_whole = false;
    mutable std::uint32_t head_bytes = 0;
    mutable const char* head = nullptr;

    bool is_folder() const { return kind != Kind::file; }
  };
  /// Millions of pictures may lie beside a few other files, so `masks` leaves most of them out: it
  /// has arrays, pictures with the name of a mask, and all pictures below a folder of labels.
  enum class Pictures : std::uint8_t { masks, all };

  /// Regular files and folders, ascending by their names in lower case, without qturn's own files.
  /// Nothing if there is no such folder. Throws LabelsError if it cannot be read.
  std::span<const Entry> of(const std::filesystem::path& folder,
                            Pictures pictures = Pictures::masks);
  /// The same; nothing if it cannot be read.
  std::span<const Entry> if_readable(const std::filesystem::path& folder,
                                     Pictures pictures = Pictures::masks);
  /// The entries whose names in lower case begin with `start`.
  std::span<const Entry> starting_with(const std::filesystem::path& folder, std::string_view start,
                                       Pictures pictures = Pictures::masks);

  /// The entry with this name, or else with this name in another case. Null if there is none.
  const Entry* find(const std::filesystem::path& folder, const std::string& name, bool is_folder);

  /// The first bytes of a file, at most `most`, npos for all. They are kept, so they are read once
  /// unless most_kept_bytes are in use, as where millions of captions lie beside their pictures.
  /// `file`: the path of the entry. `tar`: as read_head(), which says what it throws.
  std::string head(const std::filesystem::path& file, const Entry& entry, std::size_t most,
                   const TarFiles* tar = nullptr);
  /// The same; nothing if they cannot be read.
  std::optional<std::string> head_if_readable(const std::filesystem::path& file, const Entry& entry,
                                              std::size_t most, const TarFiles* tar = nullptr);
  /// For a caller that has read them. `is_whole`: there are no more.
  void keep(const Entry& entry, std::string_view head, bool is_whole);
  static constexpr std::size_t most_kept_bytes = std::size_t{1} << 26;

  /// From now on, of the folders that are not known yet only those below these are read: the others
  /// are empty. Where files lie in a tar, the folders around it say nothing about them.
  void read_only_below(const std::vector<std::filesystem::path>& roots);

  /// For a caller that reads a folder anyway. It calls finish() when all entries are added.
  class Reader {
   public:
    /// Null if the entry is left out; else valid until the next one is added.
    Entry* add(int opened, const dirent& entry);
    Entry* add(const std::string& name, std::optional<Kind> kind);
    void finish(std::error_code error);

   private:
    friend class Listings;
    Reader(Listings& all, std::string path, Pictures pictures);
    Listings& all_;
    std::string path_;
    Pictures pictures_;
    std::vector<Entry> entries_;
  };
  Reader reader(const std::filesystem::path& folder, Pictures pictures = Pictures::masks);

 private:
  struct Folder {
    std::vector<Entry> entries;
    std::error_code error;
  };
  const Folder& folder(const std::filesystem::path& path, Pictures pictures);

  using ByPath = std::map<std::string, const Folder*>;
  std::map<std::pair<std::string, Pictures>, Folder> folders_;  // by their normal paths
  // By Pictures, and by the paths that were asked for, which is faster.
  std::array<ByPath, 2> asked_for_;
  std::optional<std::vector<std::string>> roots_;  // if only folders below them are read
  NameList names_, heads_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace qturn
