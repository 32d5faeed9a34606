// --shard auto: which shard this process is, as the scheduler or the launcher that started it says
// in the environment.
//
// A job is one of an array (Slurm, Kubernetes, AWS Batch), or a process is one of several ranks
// (srun, Open MPI, MPICH, PMIx), or both. Then the ranks of the first job come first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "src/plan/shard.hpp"

namespace qturn {

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

}  // namespace qturn
