#include "tools/qturn/sharding.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <map>

#include "src/inputs/options.hpp"

namespace shard_source_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using qturn::PlanError;
using qturn::Shard;
using qturn::ShardSource;
using Variables = std::map<std::string, std::string>;

namespace {

ShardSource source_of(const Variables& variables) {
  return qturn::shard_source([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

Variables array(const char* id, const char* count, const char* least, const char* most) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_COUNT", count},
          {"SLURM_ARRAY_TASK_MIN", least},
          {"SLURM_ARRAY_TASK_MAX", most},
          {"SLURM_ARRAY_TASK_STEP", "1"}};
}

Variables step(const char* rank, const char* tasks) {
  return {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", rank}, {"SLURM_STEP_NUM_TASKS", tasks}};
}

// A batch script of one task.
const Variables batch = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_LOCALID", "0"}};

}  // namespace

TEST_CASE("Each scheduler and launcher says which shard this is, and is named") {
  struct Case {
    Variables variables;
    Shard shard;
    std::string names;
  };
  const Case cases[] = {
      {with(batch, array("3", "8", "0", "7")),
       {3, 8},
       "SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT"},
      {array("3", "8", "1", "8"), {2, 8}, "SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT"},
      {step("2", "4"), {2, 4}, "SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {with(step("2", "4"), {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"PMIX_RANK", "2"}}),
       {2, 4},
       "SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {with(array("1", "8", "0", "7"), step("2", "4")),
       {6, 32},
       "SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT, SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {{{"JOB_COMPLETION_INDEX", "7"}, {"QTURN_SHARDS", "8"}},
       {7, 8},
       "JOB_COMPLETION_INDEX, QTURN_SHARDS"},
      {{{"JOB_COMPLETION_INDEX", "7"}, {"JOB_COMPLETIONS", "8"}},
       {7, 8},
       "JOB_COMPLETION_INDEX, JOB_COMPLETIONS"},
      {{{"AWS_BATCH_JOB_ARRAY_INDEX", "0"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "2"}},
       {0, 2},
       "AWS_BATCH_JOB_ARRAY_INDEX, AWS_BATCH_JOB_ARRAY_SIZE"},
      {{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}},
       {1, 4},
       "OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE"},
      {{{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}, {3, 4}, "PMI_RANK, PMI_SIZE"},
      // mpirun in a batch script of Slurm.
      {{{"SLURM_PROCID", "0"},
        {"SLURM_NTASKS", "4"},
        {"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "4"}},
       {1, 4},
       "OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.names);
    const ShardSource source = source_of(each.variables);
    CHECK(source.shard == each.shard);
    CHECK(source.variables == each.names);
  }
}

TEST_CASE("What does not say which shard this is, is refused by the names of the variables") {
  const std::pair<Variables, std::string> cases[] = {
      {{}, "no variable of Slurm, Kubernetes, AWS Batch or MPI says which shard this is"},
      {{{"JOB_COMPLETION_INDEX", "3"}},
       "JOB_COMPLETION_INDEX is set, but not the number of all: set QTURN_SHARDS or "
       "JOB_COMPLETIONS"},
      {{{"JOB_COMPLETION_INDEX", "3"}, {"QTURN_SHARDS", "8"}, {"JOB_COMPLETIONS", "9"}},
       "QTURN_SHARDS=8 and JOB_COMPLETIONS=9 disagree"},
      {{{"JOB_COMPLETION_INDEX", "8"}, {"QTURN_SHARDS", "8"}},
       "JOB_COMPLETION_INDEX=8 is not below QTURN_SHARDS=8"},
      {{{"SLURM_ARRAY_TASK_ID", "3"}},
       "SLURM_ARRAY_TASK_ID is set, but not SLURM_ARRAY_TASK_COUNT"},
      {array("3", "2", "3", "5"), "of 2 tasks from 3 to 5 (SLURM_ARRAY_TASK_MIN, MAX) has gaps"},
      {with(array("4", "4", "0", "3"), {}), "SLURM_ARRAY_TASK_ID=4 is not from 0 to 3"},
      {with(array("2", "4", "0", "6"), {{"SLURM_ARRAY_TASK_STEP", "2"}}), "use --array=0-3"},
      {with(array("2", "4", "0", "3"), {{"SLURM_ARRAY_TASK_STEP", "2"}}), "has gaps"},
      {with(step("1", "4"), {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
       "SLURM_PROCID=1 of SLURM_STEP_NUM_TASKS=4 and OMPI_COMM_WORLD_RANK=2 of "
       "OMPI_COMM_WORLD_SIZE=4 disagree"},
      {with(array("1", "4", "0", "3"), {{"JOB_COMPLETION_INDEX", "1"}, {"QTURN_SHARDS", "5"}}),
       "SLURM_ARRAY_TASK_ID=1 of SLURM_ARRAY_TASK_COUNT=4 and JOB_COMPLETION_INDEX=1"},
      {{{"PMIX_RANK", "1"}}, "PMIX_RANK is set, but nothing says how many ranks there are"},
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMIX_RANK", "0"}},
       "PMI_RANK=1 and PMIX_RANK=0 disagree"},
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}},
       "SLURM_NTASKS=4, but srun has not started this program"},
      {{{"PMI_RANK", "one"}, {"PMI_SIZE", "2"}}, "PMI_RANK=one is not a number"},
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "2000000"}}, "N is at most 1000000"},
      {{{"PMI_RANK", "1"},
        {"PMI_SIZE", "18446744073709551615"},
        {"JOB_COMPLETION_INDEX", "1"},
        {"QTURN_SHARDS", "2"}},
       "'2 x 18446744073709551615' is not I/N"},
  };
  for (const auto& [variables, why] : cases) {
    CAPTURE(why);
    CHECK_THROWS_MATCHES(source_of(variables), PlanError, MessageMatches(ContainsSubstring(why)));
  }
}

TEST_CASE("A local rank is known where several processes share a machine") {
  CHECK(source_of(with(step("5", "8"), {{"SLURM_LOCALID", "1"}})).local_rank == 1);
  CHECK(source_of({{"OMPI_COMM_WORLD_RANK", "5"},
                   {"OMPI_COMM_WORLD_SIZE", "8"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}})
            .local_rank == 2);
  CHECK(source_of({{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "3"}}).local_rank ==
        3);
  CHECK_FALSE(source_of(with(batch, array("3", "8", "0", "7"))).local_rank);
}

}  // namespace shard_source_test
