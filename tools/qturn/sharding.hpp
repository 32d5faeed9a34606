// One of several runs: what the command line tells it, and what it says.
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

// --shard auto: the scheduler or the launcher that started this process says in the environment
// which shard it is.
//
// A job belongs to an array (Slurm, Kubernetes, AWS Batch), or a process is one of several ranks
// (srun, Open MPI, MPICH, PMIx), or both. Then the ranks of the first job come first.

struct ShardSource {
  Shard shard;
  std::string variables;          ///< that tell it: "SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT"
  std::optional<int> local_rank;  ///< among the ranks on this machine
};

/// The value of an environment variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Throws PlanError, which names the variables, if no variable is set, for an index without a count
/// or an array with gaps, if two variables disagree, or for tasks of Slurm that srun did not start.
ShardSource shard_source(const Environment& environment);

/// With --shard auto: takes the shard of the environment. Throws PlanError as shard_source() does.
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

}  // namespace qturn
