// Several runs may divide an augmentation among them. They share files about each other:
//
//   OUTPUT/.qturn-shards/run.json      what all of them do: the first shard writes it, the others
//                                      compare
//   OUTPUT/.qturn-shards/3-of-8/       a shard's lock, journal and manifest, its part of the files
//                                      that are about all pictures, and, written last,
//                                      done.json
//
// merge.hpp makes one output of them. The end of this file is about tars alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/folder_lock.hpp"
#include "src/plan/plan.hpp"

namespace qturn {

inline constexpr const char* shard_manifest_name = "manifest.jsonl";
inline constexpr const char* shard_parts_name = "parts.jsonl";

/// OUTPUT/.qturn-shards
std::filesystem::path shards_folder(const std::filesystem::path& output);
/// OUTPUT/.qturn-shards/3-of-8
std::filesystem::path shard_folder(const std::filesystem::path& output, const Shard& shard);

/// What shards divide among them.
enum class Dealt : std::uint8_t { samples, tars };

/// What all shards of a run have in common.
struct ShardedRun {
  std::string program;  ///< the version of qturn
  std::uint64_t shards = 0;
  std::string operation;  ///< with the options on which results depend
  std::string inputs;     ///< as absolute_inputs(), a line for each
  Dealt dealt = Dealt::samples;
  std::uint64_t count = 0;  ///< of samples, or of tars
  ContentHash keys;         ///< of all their keys
  bool operator==(const ShardedRun&) const = default;
};

/// What a complete shard says about itself.
struct ShardDone {
  std::uint64_t count = 0;                   ///< of its samples, or of its tars
  bool has_failures = false;                 ///< its manifest names pictures that failed
  std::map<std::string, ContentHash> files;  ///< other files in its folder, by name
};

/// Nothing if there is no such file. Both throw FileError if the file is another one.
std::optional<ShardedRun> read_sharded_run(const std::filesystem::path& output);
std::optional<ShardDone> read_shard_done(const std::filesystem::path& output, const Shard& shard);

/// The keys of the samples or tars that shards divide among them, in an order that all shards know.
class DealtKeys {
 public:
  void add(const std::string& key, bool is_own);
  std::uint64_t count() const { return count_; }
  std::uint64_t own() const { return own_; }
  ContentHash hash() { return hasher_.hash(); }

 private:
  Hasher hasher_;
  std::uint64_t count_ = 0, own_ = 0;
};

/// The keys of the samples of a plan that this shard takes.
DealtKeys keys_of(const Plan& plan, const Shard& shard);

/// What a shard knows about its run.
struct ShardOptions {
  Shard shard;
  std::string variables = {};  ///< the environment's variables that tell the shard; or empty
  std::string program;         ///< as in ShardedRun, like the next two
  std::string operation;
  std::vector<std::string> inputs;
};

/// One of several runs that share a work.
class ShardOfRun {
 public:
  /// Writes nothing. Throws PlanError if the output belongs to another run.
  ShardOfRun(ShardOptions options, std::filesystem::path output, Dealt dealt, DealtKeys keys);

  /// "shard 3 of 8: 125 of 1000 samples", and which variables say so
  std::string in_words() const;
  /// Whether an earlier run has done all of it, and no picture failed.
  bool is_complete() const { return is_complete_; }
  /// Begins the shard, before anything is written. The caller must hold the lock of the shard.
  /// Checks the output again, and writes run.json if no shard has. False: another run has done all
  /// of the shard meanwhile. Adds warnings. Throws PlanError as the constructor does, and
  /// FileError.
  bool begin(std::vector<std::string>& warnings);
  /// Marks the shard as complete, with files of these names in its folder. Must be called when all
  /// else is written. It can be merged then; if pictures failed, another run may try them again
  /// first. Returns warnings; throws FileError.
  std::vector<std::string> complete(std::initializer_list<const char*> files,
                                    bool has_failures = false) const;
  std::filesystem::path folder() const { return shard_folder(output_, shard_); }

 private:
  /// Whether there is a record. Throws PlanError.
  bool look() const;

  const Shard shard_;
  const std::string variables_;
  const std::filesystem::path output_;
  ShardedRun run_;
  std::uint64_t own_ = 0;
  bool is_complete_ = false;
};

/// Whether an earlier run of this shard may have put results into the output: they are its own.
bool is_begun(const std::filesystem::path& output, const Shard& shard);

/// Throws PlanError if a run without shards, or with another number of shards, has written into the
/// output or works there. A lock that nobody holds is in nobody's way.
void refuse_other_run(const std::filesystem::path& output, const Shard& shard);

/// Throws PlanError if a named input lies in an output of shards that are not merged, other than
/// this one.
void refuse_unmerged_inputs(const PlanOptions& options);

/// Throws PlanError if unmerged shards lie in the output. For a run without shards.
void refuse_unmerged_shards(const std::filesystem::path& output);

// Several runs may divide tars among them. Each writes some of the tars, and its manifest, a file
// of JSON lines, names the tars that are whole:
//
//   {"qturn_tars": 1}
//   {"tar": "000.tar", "samples": 1000, "bytes": 81920}
//
// If pictures of a tar have failed, its line has their keys in "failed", and the next attempt
// writes the tar again.

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
  /// `tars`: the names of the tars that a run without shards would write. Writes nothing. Throws
  /// PlanError if the output belongs to another run, or if this shard was interrupted and must not
  /// be resumed.
  TarShard(const ShardOptions& options, std::filesystem::path output,
           const std::set<std::string>& tars, bool resumes);

  std::string in_words() const { return run_.in_words(); }
  bool is_complete() const { return run_.is_complete(); }
  /// Whether an earlier attempt has begun: then a file in the place of a tar is its own.
  bool is_begun() const { return is_begun_; }
  /// Whether the tar is this shard's, and not written yet.
  bool is_to_do(const std::string& tar) const;

  /// Takes the lock, and removes what a killed attempt has left. As ShardOfRun::begin().
  bool begin(std::vector<std::string>& warnings);
  /// Records that the tar is in its place. Returns warnings; throws FileError.
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

// Merges the work of the shards that wrote to one output.
//
// All shards have written the pictures to their places. The files about all pictures are left:
// label files of many pictures, files of data sets and the manifest. The merge writes them, byte
// for byte, as one run would have done. The manifest comes last, then OUTPUT/.qturn-shards is
// removed. A merge that was killed before that can be repeated.

struct MergedShards {
  std::uint64_t shards = 0;
  Dealt dealt = Dealt::samples;
  std::uint64_t samples = 0;
  std::uint64_t pictures = 0;  ///< if samples were dealt
  std::uint64_t tars = 0;      ///< if tars were dealt
  std::uint64_t failed = 0;    ///< pictures, which the manifest names
  std::vector<std::string> warnings = {};
};

/// Nothing if they were merged before. Throws PlanError or FileError, and nothing is changed, if a
/// shard is not complete or not what it says; UnfinishedError if a file cannot be written.
std::optional<MergedShards> merge_shards(const std::filesystem::path& output);

}  // namespace qturn
