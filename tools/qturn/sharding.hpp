// A run that is one of several: what it is told by the command line, and what it says.
#pragma once

#include <string>
#include <vector>

#include "src/dataset/shards.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

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
