// Tables and lists that say something about pictures which no turn makes untrue: classes, captions,
// splits. An augmentation writes such a file with a row for each variant.
//
//   CSV and TSV, JSON Lines, and JSON arrays of objects
//
// A row is about the first picture of the run that one of its cells or strings names, by the name
// of its file, or else by its stem. What else names a picture, a mask or a label of the run, in any
// column, follows it. If each id of a column is there once, the ids get the variant, too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/companions/companion_files.hpp"
#include "src/companions/data_sets.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/output_names.hpp"

namespace qturn {

/// Pictures of the run and what belongs to them, by what texts call them. `files` and `companions`
/// must outlive it.
class NamedFiles {
 public:
  NamedFiles(const FileList& files, const CompanionFiles::All& companions);

  /// "x/a.png" is the file in `folder`, or else the only one whose path ends so. `folder`: that of
  /// the text, absolute and normal, with '/' at the end.
  std::optional<NamedFile> find(std::string_view text, const std::string& folder) const;
  /// The same of a picture, by its name without its suffix.
  std::optional<NamedFile> find_stem(std::string_view text, const std::string& folder) const;

 private:
  using ByName = std::unordered_multimap<std::string, NamedFile>;
  std::optional<NamedFile> find_in(const ByName& names, std::string_view text,
                                   const std::string& folder) const;
  std::string path_of(const NamedFile& file) const;

  const FileList& files_;
  const CompanionFiles::All companions_;
  ByName by_name_, by_stem_;
};

/// The name of a turned file.
std::string turned_name(const NamedFile& file, Orientation variant, const FileList& files,
                        const OutputNames& names, const CompanionFiles::All& companions);

/// Adds those that name pictures of the run.
void add_tables(const std::vector<std::filesystem::path>& tables, const FileList& files,
                const OutputNames& names, const CompanionFiles::All& companions, DataSets& found);

}  // namespace qturn
