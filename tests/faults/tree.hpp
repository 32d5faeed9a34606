// The files of a folder, held in memory: what was there before a run, and what is there after it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace faults {

struct File {
  std::string content;
  mode_t mode = 0640;
  std::int64_t modified_s = 1'500'000'000;  ///< since 1970: long ago, unless the run has set it
  std::string rating = "5";                 ///< its attribute user.rating
};

/// By the path below the folder. The folder of the only run that keeps originals is "kept/run".
/// Journals and records have "{folder}" for the path of the folder itself.
using Tree = std::map<std::string, File>;

/// Reads all but the content.
void read_attributes(const std::filesystem::path& path, File& file);

Tree read_tree(const std::filesystem::path& folder);
void write_tree(const Tree& tree, const std::filesystem::path& folder);

}  // namespace faults
