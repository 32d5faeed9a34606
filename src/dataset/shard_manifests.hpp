// The manifests of all shards of a run, read as one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "src/dataset/manifest_lines.hpp"

namespace qturn {

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
