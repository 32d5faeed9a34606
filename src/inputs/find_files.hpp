// Finds the input files: named files, the files in named folders, and the files of a list. Finds
// out which of them are pictures. Each file is looked at once: one stat and, if its suffix promises
// no format, the first bytes of its content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/files/tar/input.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/listings.hpp"
#include "src/inputs/options.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

struct FoundFiles {
  Listings listings;                           ///< of the folders that were looked into
  FileList files;                              ///< regular files, ascending by key, each once
  std::map<std::string, std::uint64_t> types;  ///< what else was found: "fifo", "symbolic link"...
  std::vector<Sentence> unreadable;            ///< as Plan::unreadable
  /// The sentences among them about files that may still belong to a picture, by the file.
  std::map<std::filesystem::path, Sentence> unopened;
  std::uint64_t left_out = 0;  ///< by --include and --exclude
  /// It knows the folders with sidecars that were walked.
  std::shared_ptr<SharedStems> shared_stems = std::make_shared<SharedStems>();
  /// If the files lie in a tar; else null. A label in the sample of its picture is not listed then:
  /// the sample tells what it is.
  std::shared_ptr<const TarFiles> tar;
  std::vector<std::filesystem::path> folders;   ///< of the inputs
  std::vector<std::filesystem::path> journals;  ///< in them and below
  std::set<std::filesystem::path>
      with_temporaries;  ///< folders in which a killed run has left some
  /// Where in the tar a file or a folder lies that the options name. What is not here is not there.
  std::map<std::filesystem::path, std::filesystem::path> in_tar;

  /// Where a file or a folder lies that the options name.
  const std::filesystem::path& place_of(const std::filesystem::path& named) const {
    const auto place = in_tar.find(named);
    return place == in_tar.end() ? named : place->second;
  }
};

/// Finds `options.inputs` and `options.listed` and, in folders, the files that the options select.
///
/// - A file named as input is always taken. --include and --exclude choose among the contents of
///   folders (where --exclude also prunes whole folders) and of the list.
/// - A file that cannot be read is taken for what its suffix promises. If the suffix promises
///   nothing, the file is left out and named as unreadable, because it may be a picture; but a file
///   named as input is taken for a picture.
/// - A key is the path below the one input folder; below several, each folder's base name goes
///   before it. The key of a file named as input is its name. The key of a listed path is the path
///   without "." and "..", and without `options.base` if it is absolute.
/// - The same file under the same key, as when it is named twice, is found once.
///
/// Throws PlanError for missing inputs, listed folders, and keys that would lead out of the output.
FoundFiles find_files(const PlanOptions& options);

/// The name of the picture that comes from there, in messages.
inline constexpr const char* standard_input_name = "standard input";

/// The one picture that standard input holds. Throws PlanError if that is not one.
FoundFiles find_on_standard_input(const PlanOptions& options);

/// The format of a picture, by its suffix or else by its first bytes; null if the options do not
/// take the file for one.
const Codec* format_of(const PlanOptions& options, const std::string& lower_suffix,
                       std::span<const std::byte> head);

/// Whether --include and --exclude choose the file.
bool is_selected(const PlanOptions& options, const std::string& key, const std::string& name);

/// Whether a file or folder of this name is taken only with --hidden.
bool is_hidden(std::string_view name);

/// Whether qturn uses a file or folder of this name for its own purposes: a temporary, a lock, a
/// journal. An interrupted run may have left it. It is never an input, a label or a
/// sidecar.
bool is_of_a_run(std::string_view name);

/// Whether --exclude names the file.
bool is_excluded(const PlanOptions& options, const std::string& key, const std::string& name);

/// Whether a type of files, ".dng", is a camera's raw format.
bool is_camera_raw(std::string_view suffix);

/// Why a file that is named as an input is a failure.
Sentence not_a_picture(const std::string& path);

/// The paths of a --files-from list: one per line, or separated by NUL bytes. Empty ones are
/// skipped. Every other byte belongs to a name.
NameList read_file_list(std::istream& in, bool nul_separated);

/// "a, b, c and 97 more": some of many names, for a message.
class SomeNames {
 public:
  void add(std::string name);
  std::uint64_t count() const { return count_; }
  std::string text() const;

 private:
  std::vector<std::string> first_;
  std::uint64_t count_ = 0;
};

/// "; cannot look into a: Permission denied and 2 more", after a sentence; empty if `unreadable`
/// is.
std::string cannot_look_into(const std::vector<Sentence>& unreadable);

}  // namespace qturn
