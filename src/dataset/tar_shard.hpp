// A run that is one of several that divide tars among them. Each has written some of the tars, and
// its manifest, a file of JSON lines, names those that are whole:
//
//   {"qturn_tars": 1}
//   {"tar": "000.tar", "samples": 1000, "bytes": 81920}
//
// A tar of which pictures have failed is named with their keys in "failed", and is written again by
// the next attempt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/files/folder_lock.hpp"

namespace qturn {

struct WrittenTar {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;            ///< 0: there was no sample for it, and it is not written
  std::set<std::string> failed = {};  ///< keys of the pictures that it lacks
};

/// The tars that were written, by their names in the output.
using WrittenTars = std::map<std::string, WrittenTar>;

/// Both throw FileError. Warnings are returned.
WrittenTars read_written_tars(const std::filesystem::path& manifest);
std::vector<std::string> write_written_tars(const std::filesystem::path& manifest,
                                            const WrittenTars& tars);

class TarShard {
 public:
  /// `tars`: the names of those that a run without shards would write. Writes nothing. Throws
  /// PlanError if the output is that of another run, or if this shard was interrupted and must not
  /// be resumed.
  TarShard(const ShardOptions& options, std::filesystem::path output,
           const std::set<std::string>& tars, bool resumes);

  std::string in_words() const { return run_.in_words(); }
  bool is_complete() const { return run_.is_complete(); }
  /// Whether an earlier attempt has begun, so that what is in the place of a tar is its own.
  bool is_begun() const { return is_begun_; }
  /// Whether the tar is this shard's, and not written yet.
  bool is_to_do(const std::string& tar) const;

  /// Takes the lock, and removes what a killed attempt has left. As ShardOfRun::begin().
  bool begin(std::vector<std::string>& warnings);
  /// The tar is in its place. Returns warnings; throws FileError.
  std::vector<std::string> add(const std::string& tar, const WrittenTar& written);
  /// Marks the shard as complete, as ShardOfRun::complete() does.
  std::vector<std::string> complete() const;

 private:
  std::filesystem::path manifest() const { return run_.folder() / shard_manifest_name; }
  void remove_temporaries() const;

  const std::filesystem::path output_;
  const std::set<std::string> own_;
  ShardOfRun run_;
  bool is_begun_ = false;
  std::optional<FolderLock> lock_;
  WrittenTars written_;
};

}  // namespace qturn
