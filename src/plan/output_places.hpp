// Where the folders of outputs really are.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>

#include "src/inputs/file_list.hpp"
#include "src/inputs/output_names.hpp"

namespace qturn {

/// The real paths of outputs, with the links in the names of their folders followed. A folder is
/// looked at once, however many files go there.
class OutputPlaces {
 public:
  struct Folder {
    std::filesystem::path path;
    std::string prefix;  ///< what goes before a name in it
    bool exists;
  };

  explicit OutputPlaces(const OutputNames& names) : names_(names) {}

  /// The folder for the outputs of inputs in `inputs`, which must outlive this object. Throws
  /// PlanError if no file can be made there.
  const Folder& folder_of(const FileList::Folder& inputs);

  /// `named` ends with '/', or is empty. Throws as folder_of().
  const Folder& folder(const std::filesystem::path& named);

  const std::map<std::string, Folder>& folders() const { return folders_; }

  /// Whether two names in the output folder that differ only in case are one file. Makes a
  /// temporary file to find out.
  bool folds_case(const FileList::Folder& inputs);

 private:
  const OutputNames& names_;
  std::unordered_map<const FileList::Folder*, const Folder*> by_inputs_;
  std::map<std::string, Folder> folders_;
  std::map<std::filesystem::path, bool> folds_;
};

}  // namespace qturn
