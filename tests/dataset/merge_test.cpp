// Shards of tars, merged. Shards of samples need pictures: tests/cli/shards_test.cpp.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/picture/errors.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::merge_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

/// An output of two shards: the first writes a.tar, the second has no sample for b.tar.
struct Output : TemporaryFolder {
  TarShard shard(std::uint64_t index) const {
    return {{.shard = {index, 2}, .program = "1", .operation = "augment", .inputs = {"/in"}},
            path(),
            {"a.tar", "b.tar"},
            false};
  }
  void run(std::uint64_t index) const {
    std::vector<std::string> warnings;
    TarShard run = shard(index);
    REQUIRE(run.begin(warnings));
    if (index == 0) {
      add("a.tar", "0123456789");
      run.add("a.tar", {.samples = 3, .bytes = 10});
    } else {
      run.add("b.tar", {});
    }
    run.complete();
  }
  /// Why they cannot be merged, and what would help.
  Sentence refusal() const try {
    (void)merge_shards(path());
    return {};
  } catch (const PlanError& error) {
    return {error.what(), hints_of(error)};
  }
  bool exists(const fs::path& name) const { return fs::exists(path() / name); }
};

TEST_CASE_METHOD(Output, "Merged shards leave what one run would have, and can be merged again") {
  run(0);
  run(1);
  const auto merged = merge_shards(path());
  REQUIRE(merged);
  CHECK(merged->shards == 2);
  CHECK(merged->dealt == Dealt::tars);
  CHECK(merged->samples == 3);
  CHECK(merged->tars == 1);
  CHECK(merged->warnings.empty());
  CHECK(read_written_tars(path() / shard_manifest_name).size() == 2);
  CHECK_FALSE(exists(".qturn-shards"));
  CHECK_FALSE(merge_shards(path()));

  // A merge that was killed at its end.
  add(".qturn-shards-merged/0-of-2/manifest.jsonl", "");
  CHECK_FALSE(merge_shards(path()));
  CHECK_FALSE(exists(".qturn-shards-merged"));
}

TEST_CASE_METHOD(Output, "Shards that are not complete are named, and nothing is changed") {
  run(0);
  const Sentence why = refusal();
  CHECK_THAT(why.text, ContainsSubstring("1 of 2 shards is not complete: number 1"));
  CHECK(why.hints == Hints{{Hint::resume_these_shards, "it"}});
  CHECK_FALSE(exists(shard_manifest_name));
  CHECK(exists(".qturn-shards"));
  run(1);
  CHECK(refusal() == Sentence());
}

TEST_CASE_METHOD(Output,
                 "What has changed since a shard wrote it keeps the shards from being merged") {
  run(0);
  run(1);
  add("a.tar", "cut");
  CHECK_THAT(refusal().text, ContainsSubstring("a.tar is not the tar that shard 0 has written"));
  CHECK(refusal().hints == Hints{{Hint::resume_shard_after_that}});
  add("a.tar", "0123456789");
  const fs::path list = shard_folder("", {1, 2}) / shard_manifest_name;
  const std::string before = content_of(path() / list);
  add(list, before + "\n");
  CHECK_THAT(refusal().text, ContainsSubstring("is not what shard 1 has written"));
  add(list, before);
  CHECK(refusal() == Sentence());
}

TEST_CASE_METHOD(Output, "A folder without shards is not taken for merged ones") {
  CHECK(refusal().hints == Hints{{Hint::run_shards}});
  add("file", "");
  CHECK_THROWS_AS(merge_shards(path() / "file"), PlanError);
}

}  // namespace
}  // namespace qturn::merge_test
