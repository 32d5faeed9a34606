#include "src/dataset/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/files/folder_lock.hpp"
#include "src/files/journal.hpp"
#include "src/picture/errors.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::shards_test {
namespace {

namespace fs = std::filesystem;

constexpr Shard first = {0, 2};

/// What would help where the first of two shards cannot write; none if it can.
Hints refusal(const fs::path& output) try {
  refuse_other_run(output, first);
  return {};
} catch (const PlanError& error) {
  return hints_of(error);
}

ShardOfRun shard_of(const fs::path& output, const std::string& operation = "augment") {
  DealtKeys keys;
  keys.add("a.png", true);
  keys.add("b.png", false);
  return {{.shard = first, .program = "1", .operation = operation, .inputs = {"/in"}},
          output,
          Dealt::samples,
          std::move(keys)};
}

TEST_CASE("A run without shards keeps shards out while it holds the folder or can be resumed") {
  const TemporaryFolder folder;
  const fs::path output = folder.path() / "out";
  fs::create_directories(output);
  CHECK(refusal(output).empty());
  {
    const FolderLock lock(output);
    CHECK(refusal(output) == Hints{Hint::finish_plain_run});
  }
  CHECK(refusal(output).empty());
  folder.add(fs::path("out") / journal_name, "{}\n");
  CHECK(refusal(output) == Hints{Hint::finish_plain_run});
}

TEST_CASE("A lock that a killed run has left keeps nobody out") {
  const TemporaryFolder folder;
  folder.add(lock_name, "");
  CHECK_FALSE(is_locked(folder.path()));
  CHECK(refusal(folder.path()).empty());
  const FolderLock lock(folder.path());
  CHECK(is_locked(folder.path()));
}

TEST_CASE("An output with a manifest is complete") {
  const TemporaryFolder folder;
  folder.add("manifest.jsonl", "{}\n");
  CHECK(refusal(folder.path()) == Hints{Hint::choose_other_output});
}

TEST_CASE("A shard begins, is complete, and is not begun again") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  ShardOfRun shard = shard_of(folder.path());
  CHECK(shard.in_words() == "shard 0 of 2: 1 of 2 samples");
  CHECK_FALSE(shard.is_complete());
  folder.add(fs::path(".qturn-shards/0-of-2") / shard_manifest_name, "{}\n");
  REQUIRE(shard.begin(warnings));
  CHECK(read_sharded_run(folder.path())->count == 2);
  CHECK(shard.complete({shard_manifest_name}).empty());
  CHECK(warnings.empty());
  CHECK(read_shard_done(folder.path(), first)->files.size() == 1);

  ShardOfRun again = shard_of(folder.path());
  CHECK(again.is_complete());
  CHECK_FALSE(again.begin(warnings));
}

TEST_CASE("A shard with pictures that failed can be merged, or begun again") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  folder.add(fs::path(".qturn-shards/0-of-2") / shard_manifest_name, "{}\n");
  ShardOfRun shard = shard_of(folder.path());
  REQUIRE(shard.begin(warnings));
  CHECK(shard.complete({shard_manifest_name}, true).empty());
  REQUIRE(read_shard_done(folder.path(), first));
  CHECK(read_shard_done(folder.path(), first)->has_failures);

  ShardOfRun again = shard_of(folder.path());
  CHECK_FALSE(again.is_complete());
  REQUIRE(again.begin(warnings));
  CHECK_FALSE(read_shard_done(folder.path(), first));  // until it is complete again
  CHECK(again.complete({shard_manifest_name}).empty());
  CHECK(shard_of(folder.path()).is_complete());
}

TEST_CASE("Shards with other options or another number do not share an output") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  fs::create_directories(shard_folder(folder.path(), first));
  REQUIRE(shard_of(folder.path()).begin(warnings));
  CHECK_THROWS_AS(shard_of(folder.path(), "augment --seed 1"), PlanError);
  CHECK_THROWS_AS(refuse_other_run(folder.path(), {0, 3}), PlanError);
  CHECK_NOTHROW(refuse_other_run(folder.path(), {1, 2}));
}

TEST_CASE("Outputs of shards that are not merged are neither inputs nor outputs of other runs") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  const fs::path output = folder.path() / "out";
  fs::create_directories(shard_folder(output, first));
  REQUIRE(shard_of(output).begin(warnings));
  CHECK_THROWS_AS(refuse_unmerged_shards(output), WithHints<PlanError>);
  PlanOptions planned;
  planned.inputs = {output};
  CHECK_THROWS_AS(refuse_unmerged_inputs(planned), WithHints<PlanError>);
  planned.output = output;
  CHECK_NOTHROW(refuse_unmerged_inputs(planned));
  CHECK_NOTHROW(refuse_unmerged_shards(folder.path()));
}

}  // namespace
}  // namespace qturn::shards_test
