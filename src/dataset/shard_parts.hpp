// What a shard says about the files for all pictures, the label files of many pictures and
// those of data sets, so that they can be made when all shards are done: a file of JSON lines. A
// line names such a file and what it is made of; the lines that follow say which variants of its
// images the shard has written, or what it has in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/turned_shared_labels.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"

namespace qturn {

/// A file that all shards have a part of.
struct SharedFile {
  std::filesystem::path input;  ///< absolute
  ContentHash source = {};
  const SharedLabelFormat* format = nullptr;  ///< null: a file of a data set
  SwapPairs swap_pairs = {};
  std::string text = {};  ///< of the file of a data set, before the lines of its list
  /// Whether the same file is meant.
  bool operator==(const SharedFile&) const = default;
};

struct SharedParts {
  SharedFile file;
  std::map<std::size_t, std::vector<LabelledVariant>> images = {};  ///< by their indices
  std::map<std::size_t, std::string> lines = {};                    ///< by their places in the list
};

/// Parts of shared files, by the places of the files relative to the output.
using SharedPartsByName = std::map<std::string, SharedParts>;

/// Writes the parts of this run. Returns warnings; throws FileError.
std::vector<std::string> write_shard_parts(const std::filesystem::path& place, const Plan& plan,
                                           const RunOptions& options,
                                           const WrittenPictures& written);

/// Adds the parts in the file to those of other shards. Throws FileError if it is not such a file,
/// or if the shards differ in what a file is made of.
void read_shard_parts(const std::filesystem::path& place, SharedPartsByName& parts);

// The manifests of all shards of a run, read as one.

class ShardManifests {
 public:
  /// Reads what comes before the pictures. Throws FileError, also if the shards have different
  /// options.
  ShardManifests(std::filesystem::path output, std::uint64_t shards);

  const ManifestHeader& header() const { return header_; }
  /// The files that shards have copied, by their places in the output.
  const std::map<std::string, ManifestFile>& files() const { return files_; }
  /// Why pictures failed, by their keys.
  const std::map<std::string, std::string>& failures() const { return failures_; }

  /// Ascending, with its line as it is written. Throws FileError for a line that is not one, for a
  /// sample that another shard should have, and for one that occurs twice.
  using Visit = std::function<void(const ManifestEntry& entry, const std::string& line)>;
  void for_each_entry(const Visit& visit) const;

 private:
  std::filesystem::path place_of(std::uint64_t shard) const;

  std::filesystem::path output_;
  std::uint64_t shards_;
  ManifestHeader header_;
  std::map<std::string, ManifestFile> files_;
  std::map<std::string, std::string> failures_;
};

}  // namespace qturn
