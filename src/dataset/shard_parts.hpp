// What a shard knows about the files for all pictures: label files of many pictures and files of
// data sets. They are made when all shards are done. A shard keeps its part as JSON lines: a line
// names such a file and its input; the lines that follow say which variants of its images the shard
// has written, or which lines it has for a list.
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

/// A file to which all shards add a part.
struct SharedFile {
  std::filesystem::path input;  ///< absolute
  ContentHash source = {};
  const SharedLabelFormat* format = nullptr;  ///< null: a file of a data set
  SwapPairs swap_pairs = {};
  std::string text = {};  ///< of a data set's file, before the lines of its list
  /// Whether it is the same file.
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

/// Adds the parts in the file to `parts`, where other shards have theirs. Throws FileError if it is
/// not such a file, or if the shards differ in a file's input.
void read_shard_parts(const std::filesystem::path& place, SharedPartsByName& parts);

// Reads the manifests of all shards of a run as one.

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

  /// Visits all entries, ascending, with their lines as they are written. Throws FileError for a
  /// line that is not an entry or has another shard's sample, and for an entry that occurs twice.
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
