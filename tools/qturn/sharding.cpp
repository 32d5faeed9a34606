#include "tools/qturn/sharding.hpp"

#include <cstdlib>

#include "src/plan/journal_roots.hpp"
#include "tools/qturn/result_options.hpp"
#include "tools/qturn/shard_source.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {

void take_shard_of_environment(CommandLine& line) {
  const ShardSource source = shard_source([](const char* name) { return std::getenv(name); });
  line.shard = source.shard;
  line.shard_variables = source.variables;
  line.local_rank = source.local_rank;
}

ShardOptions shard_options(const CommandLine& line, const PlanOptions& options, JpegEdges edges) {
  return {.shard = *line.shard,
          .variables = line.shard_variables,
          .program = version,
          .operation = operation_of(line, edges),
          .inputs = absolute_inputs(options)};
}

int say_shard_is_done(const CommandLine& line) {
  if (!line.quiet) print_message("this shard is already complete");
  return 0;
}

}  // namespace qturn
