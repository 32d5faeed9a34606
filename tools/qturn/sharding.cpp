#include "tools/qturn/sharding.hpp"

#include "src/plan/journal_roots.hpp"
#include "tools/qturn/result_options.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {

ShardOptions shard_options(const CommandLine& line, const PlanOptions& options, JpegEdges edges) {
  return {.shard = *line.shard,
          .variables = line.shard_variables,
          .program = version,
          .operation = operation_of(line, edges),
          .inputs = absolute_inputs(options)};
}

int say_shard_is_done(const CommandLine& line) {
  if (!line.quiet) print_message("all of this shard is done already");
  return 0;
}

}  // namespace qturn
