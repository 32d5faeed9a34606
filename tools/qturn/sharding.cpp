#include "tools/qturn/sharding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/files/journals.hpp"
#include "src/inputs/options.hpp"
#include "src/plan/journal_roots.hpp"
#include "tools/qturn/commands.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

/// One of `count` jobs or ranks.
struct Part {
  std::uint64_t index = 0, count = 1;
  std::string index_name, count_name;
};

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  /// Nothing if it is not set, or empty.
  std::optional<std::uint64_t> number(const char* name) const {
    const char* text = environment_(name);
    if (!text || !*text) return std::nullopt;
    const std::string_view digits = text;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw PlanError(fmt::format("--shard auto: {}={} is not a number", name, text));
    return number;
  }

  /// Nothing if the index is not set.
  std::optional<Part> part(const char* index, std::vector<const char*> counts) const {
    const auto at = number(index);
    if (!at) return std::nullopt;
    std::optional<Part> part;
    for (const char* name : counts) {
      const auto count = number(name);
      if (!count) continue;
      if (part && part->count != *count)
        throw PlanError(fmt::format("--shard auto: {}={} and {}={} disagree", part->count_name,
                                    part->count, name, *count));
      if (!part) part = Part{*at, *count, index, name};
    }
    if (!part) {
      throw PlanError(fmt::format(
          "--shard auto: {} is set, but not the number of all: set {}, or give --shard I/N", index,
          fmt::join(counts, " or ")));
    }
    if (part->index >= part->count)
      throw PlanError(fmt::format("--shard auto: {}={} is not below {}={}", index, *at,
                                  part->count_name, part->count));
    return part;
  }

 private:
  const Environment& environment_;
};

/// The part on which all that are there agree. Throws PlanError if they do not.
std::optional<Part> agreed(const std::vector<std::optional<Part>>& parts) {
  std::optional<Part> first;
  for (const std::optional<Part>& part : parts) {
    if (!part) continue;
    if (first && (first->index != part->index || first->count != part->count)) {
      throw PlanError(
          fmt::format("--shard auto: {}={} of {}={} and {}={} of {}={} disagree; give --shard I/N",
                      first->index_name, first->index, first->count_name, first->count,
                      part->index_name, part->index, part->count_name, part->count));
    }
    if (!first) first = part;
  }
  return first;
}

std::optional<Part> slurm_array(const Variables& variables) {
  constexpr const char* id_name = "SLURM_ARRAY_TASK_ID";
  const auto id = variables.number(id_name);
  if (!id) return std::nullopt;
  constexpr const char* names[] = {"SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
                                   "SLURM_ARRAY_TASK_MAX"};
  std::uint64_t values[3];
  for (int i = 0; i < 3; ++i) {
    const auto value = variables.number(names[i]);
    if (!value)
      throw PlanError(
          fmt::format("--shard auto: {} is set, but not {}; give --shard I/N", id_name, names[i]));
    values[i] = *value;
  }
  const auto [count, least, most] = values;
  const std::uint64_t step = variables.number("SLURM_ARRAY_TASK_STEP").value_or(1);
  // A part of an array, such as --array=3,5 for tasks that failed, would divide the data in another
  // way.
  if (step != 1 || most < least || most - least + 1 != count) {
    throw PlanError(fmt::format(
        "--shard auto: the array of {} tasks from {} to {} (SLURM_ARRAY_TASK_MIN, MAX) has gaps; "
        "use --array=0-{}, or give --shard I/N",
        count, least, most, count == 0 ? 0 : count - 1));
  }
  if (*id < least || *id > most)
    throw PlanError(
        fmt::format("--shard auto: {}={} is not from {} to {}", id_name, *id, least, most));
  return Part{*id - least, count, id_name, names[0]};
}

/// srun sets SLURM_STEP_ID. In a batch script SLURM_PROCID is 0 for all its programs.
std::optional<Part> slurm_rank(const Variables& variables) {
  if (!variables.number("SLURM_STEP_ID")) return std::nullopt;
  const char* count =
      variables.number("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  return variables.part("SLURM_PROCID", {count});
}

std::optional<Part> ranks(const Variables& variables) {
  std::optional<Part> part = agreed(
      {slurm_rank(variables), variables.part("OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}),
       variables.part("PMI_RANK", {"PMI_SIZE"})});
  const auto pmix = variables.number("PMIX_RANK");
  if (pmix && !part) {
    throw PlanError(
        "--shard auto: PMIX_RANK is set, but nothing says how many ranks there are; give --shard "
        "I/N");
  }
  if (pmix && *pmix != part->index) {
    throw PlanError(fmt::format("--shard auto: {}={} and PMIX_RANK={} disagree; give --shard I/N",
                                part->index_name, part->index, *pmix));
  }
  const auto tasks = variables.number("SLURM_NTASKS");
  if (!part && tasks.value_or(1) > 1 && variables.number("SLURM_PROCID")) {
    throw PlanError(fmt::format(
        "--shard auto: SLURM_NTASKS={}, but srun has not started this program; write 'srun qturn "
        "...', or ask for one task",
        *tasks));
  }
  return part;
}

std::optional<int> local_rank(const Variables& variables) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"})
    if (const auto rank = variables.number(name)) return static_cast<int>(*rank);
  const auto rank =
      variables.number("SLURM_STEP_ID") ? variables.number("SLURM_LOCALID") : std::nullopt;
  return rank ? std::optional(static_cast<int>(*rank)) : std::nullopt;
}

}  // namespace

ShardSource shard_source(const Environment& environment) {
  const Variables variables(environment);
  const std::optional<Part> job =
      agreed({slurm_array(variables),
              variables.part("JOB_COMPLETION_INDEX", {"QTURN_SHARDS", "JOB_COMPLETIONS"}),
              variables.part("AWS_BATCH_JOB_ARRAY_INDEX", {"AWS_BATCH_JOB_ARRAY_SIZE"})});
  const std::optional<Part> rank = ranks(variables);
  if (!job && !rank) {
    throw PlanError(
        "--shard auto: no variable of Slurm, Kubernetes, AWS Batch or MPI says which shard this "
        "is; give --shard I/N");
  }
  std::string names;
  for (const std::optional<Part>& part : {job, rank})
    if (part)
      names +=
          fmt::format("{}{}, {}", names.empty() ? "" : ", ", part->index_name, part->count_name);
  const Part one;
  const Part &outer = job ? *job : one, &inner = rank ? *rank : one;
  // The numbers are read as if they were typed.
  const auto text = outer.count > std::numeric_limits<std::uint32_t>::max() / inner.count
                        ? fmt::format("{} x {}", outer.count, inner.count)
                        : fmt::format("{}/{}", outer.index * inner.count + inner.index,
                                      outer.count * inner.count);
  try {
    return {parse_shard(text), names, local_rank(variables)};
  } catch (const std::invalid_argument& error) {
    throw PlanError(fmt::format("--shard auto ({}): {}", names, error.what()));
  }
}

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

int merge(const CommandLine& line) try {
  const std::string output = printable(line.output);
  const std::optional<MergedShards> merged = merge_shards(line.output);
  if (!merged) {
    if (!line.quiet) print_message(output + " is already merged");
    return 0;
  }
  say_warnings(merged->warnings);
  if (merged->failed > 0) {
    print_message(fmt::format("{} failed; {}/manifest.jsonl names {}",
                              counted(merged->failed, "picture", "pictures"), output,
                              merged->failed == 1 ? "it" : "them"));
  }
  const int status = merged->failed > 0 ? 1 : 0;
  if (line.quiet) return status;
  const std::string counts =
      merged->dealt == Dealt::samples
          ? fmt::format("samples: {}, pictures: {}", merged->samples, merged->pictures)
          : fmt::format("tars: {}, samples: {}", merged->tars, merged->samples);
  print_message(
      fmt::format("shards: {}, {}; {} is now one output", merged->shards, counts, output));
  return status;
} catch (const UnfinishedError& error) {
  throw UnfinishedError(fmt::format("{}; run 'qturn merge {}' again", error.what(), line.output));
}

}  // namespace qturn
