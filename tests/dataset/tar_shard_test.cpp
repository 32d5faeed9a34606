#include "src/dataset/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/picture/errors.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::tar_shard_test {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> tars = {"a.tar", "b.tar", "c.tar"};

/// The first of two, which takes a.tar and c.tar.
struct First : TemporaryFolder {
  TarShard shard(bool resumes = false) const {
    return {{.shard = {0, 2}, .program = "1", .operation = "augment", .inputs = {"/in"}},
            path(),
            tars,
            resumes};
  }
  static std::set<std::string> to_do(const TarShard& shard) {
    std::set<std::string> names;
    for (const std::string& tar : tars)
      if (shard.is_to_do(tar)) names.insert(tar);
    return names;
  }
};

using Names = std::set<std::string>;

TEST_CASE_METHOD(First, "Tars are dealt like cards, in the order of their names") {
  CHECK(to_do(shard()) == Names{"a.tar", "c.tar"});
  CHECK(shard().in_words() == "shard 0 of 2: 2 of 3 tars");
  const TarShard second(
      {.shard = {1, 2}, .program = "1", .operation = "augment", .inputs = {"/in"}}, path(), tars,
      false);
  CHECK(to_do(second) == Names{"b.tar"});
}

TEST_CASE_METHOD(First,
                 "An attempt that did not end goes on where it stopped, if it is to resume") {
  std::vector<std::string> warnings;
  {
    TarShard attempt = shard();
    CHECK_FALSE(attempt.is_begun());
    CHECK(attempt.begin(warnings));
    add("a.tar", "0123456789");
    CHECK(attempt.add("a.tar", {.samples = 3, .bytes = 10}).empty());
    CHECK(to_do(attempt) == Names{"c.tar"});
  }
  try {
    (void)shard();
    FAIL("an attempt that did not end was forgotten");
  } catch (const PlanError& error) {
    CHECK(hints_of(error) == Hints{{Hint::resume_shard}});
  }
  {
    TarShard next = shard(true);
    CHECK(next.is_begun());
    CHECK(next.begin(warnings));
    CHECK(to_do(next) == Names{"c.tar"});
  }
  add("a.tar", "cut");  // it is not what was written
  TarShard last = shard(true);
  CHECK(last.begin(warnings));
  CHECK(to_do(last) == Names{"a.tar", "c.tar"});
  add("a.tar", "0123456789");
  last.add("a.tar", {.samples = 3, .bytes = 10});
  last.add("c.tar", {.samples = 0, .bytes = 0});  // there was no sample for it
  CHECK(to_do(last).empty());
  CHECK_FALSE(last.is_complete());
  last.complete();
  CHECK(shard().is_complete());
  CHECK(warnings.empty());
}

TEST_CASE_METHOD(First, "What a killed attempt has left of its own tars is removed, and no more") {
  add(".a.tar.qturn-aaaaaabbbb", "its own");
  add(".b.tar.qturn-aaaaaabbbb", "another's");
  std::vector<std::string> warnings;
  TarShard attempt = shard();
  attempt.begin(warnings);
  CHECK_FALSE(fs::exists(path() / ".a.tar.qturn-aaaaaabbbb"));
  CHECK(fs::exists(path() / ".b.tar.qturn-aaaaaabbbb"));
}

TEST_CASE_METHOD(First, "The list of tars is read as it was written, or refused") {
  const fs::path list = path() / "list.jsonl";
  const WrittenTars written = {{"a.tar", {.samples = 7, .bytes = 512}}, {"b \xff.tar", {}}};
  CHECK(write_written_tars(list, written).empty());
  const WrittenTars read = read_written_tars(list);
  REQUIRE(read.size() == 2);
  CHECK(read.at("a.tar").samples == 7);
  CHECK(read.at("a.tar").bytes == 512);
  CHECK(read.contains("b \xff.tar"));
  for (const char* text :
       {"{\"qturn_tars\":2}\n", "{\"qturn_tars\":1}\n{\"tar\":\"a.tar\"}\n", "no"}) {
    add("list.jsonl", text);
    CHECK_THROWS_AS(read_written_tars(list), FileError);
  }
}

}  // namespace
}  // namespace qturn::tar_shard_test
