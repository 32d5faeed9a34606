// Which files the user means: those named, those in the folders named, those of a list; and which
// of them are pictures. Each file is looked at once: one stat and the first bytes of its content.
#ifndef QTURN_SRC_PLAN_FIND_FILES_HPP
#define QTURN_SRC_PLAN_FIND_FILES_HPP

#include <compare>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"

namespace qturn {

/// Device and inode: the same for every name of a file, and for no other file.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

struct FoundFile {
  std::filesystem::path path;
  std::string key;
  FileId id;
  std::uint64_t bytes = 0;
  std::uint64_t names = 1;       ///< hard links
  std::int64_t modified_ns = 0;  ///< since 1970
  std::string suffix;            ///< of the key, in lower case
  bool is_link = false;          ///< `path` is a symbolic link; all the rest is about its target
  bool picture = false;          ///< by its content; by its suffix where the content says nothing
};

struct FoundFiles {
  std::vector<FoundFile> files;                ///< regular ones, ascending by key, none twice
  std::map<std::string, std::uint64_t> types;  ///< what else there was: "fifo", "symbolic link"...
  std::vector<std::string> unreadable;         ///< as Plan::unreadable
  std::uint64_t left_out = 0;                  ///< by --include and --exclude
  std::vector<std::filesystem::path> folders;  ///< of the inputs
};

/// Looks for `options.inputs` and `options.listed` and, in folders, for what the options select.
///
/// - A file named as input is always taken. --include and --exclude choose among the contents of
///   folders (where --exclude also prunes whole folders) and of the list.
/// - A file that cannot be read stays, as what its suffix promises; named as input it stays as a
///   picture.
/// - A key is the path below the one input folder; below several, each folder's base name goes
///   before it; of a file named as input it is the file name. A listed path is its own key, without
///   "." and "..", an absolute one without `options.base`.
/// - The same file under the same key, as when it is named twice, is found once.
///
/// Throws PlanError for inputs that are not there, listed folders, and keys that would lead out of
/// the output.
FoundFiles find_files(const PlanOptions& options);

/// The paths of a --files-from list, one a line or, if so asked, between NUL bytes. Empty ones are
/// passed over; every other byte belongs to a name.
std::vector<std::filesystem::path> read_file_list(std::istream& in, bool nul_separated);

/// "a, b, c and 97 more": some names for a message.
std::string name_some(std::span<const std::string> names);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_FIND_FILES_HPP
