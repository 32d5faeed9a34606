// A run that is one of several: what it is told by the command line, and what it says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/inputs/shard.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

// --shard auto: which shard this process is, as the scheduler or the launcher that started it says
// in the environment.
//
// A job is one of an array (Slurm, Kubernetes, AWS Batch), or a process is one of several ranks
// (srun, Open MPI, MPICH, PMIx), or both. Then the ranks of the first job come first.

struct ShardSource {
  Shard shard;
  std::string variables;          ///< that say it: "SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT"
  std::optional<int> local_rank;  ///< among the ranks on this machine
};

/// The value of an environment variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Throws PlanError that names the variables: none is set, an index without a count, an array with
/// gaps, two that disagree, or tasks of Slurm that srun did not start.
ShardSource shard_source(const Environment& environment);

/// Of --shard auto: as the environment says. Throws PlanError as shard_source().
void take_shard_of_environment(CommandLine& line);

ShardOptions shard_options(const CommandLine& line, const PlanOptions& options, JpegEdges edges);

/// Begins the shard and prints its warnings. False: another run has done all of it meanwhile.
template <typename EachShard>
bool begin_shard(EachShard& shard) {
  std::vector<std::string> warnings;
  const bool is_to_do = shard.begin(warnings);
  say_warnings(warnings);
  return is_to_do;
}

/// Says that a shard has nothing left to do, and returns the exit status.
int say_shard_is_done(const CommandLine& line);

}  // namespace qturn
