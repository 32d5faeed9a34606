// Merges the work of the shards that wrote to one output.
//
// All shards have written the pictures to their places. The files about all pictures are left:
// label files of many pictures, files of data sets and the manifest. The merge writes them, byte
// for byte, as one run would have done. The manifest comes last, then OUTPUT/.qturn-shards is
// removed. A merge that was killed before that can be repeated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/shards.hpp"

namespace qturn {

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
