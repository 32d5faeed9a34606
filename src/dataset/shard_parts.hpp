// What a shard says about the files for all pictures, the label files of many pictures and
// those of data sets, so that they can be made when all shards are done: a file of JSON lines. A
// line names such a file and what it is made of; the lines that follow say which variants of its
// images the shard has written, or what it has in a list.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/turned_shared_labels.hpp"
#include "src/plan/jobs.hpp"
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

}  // namespace qturn
