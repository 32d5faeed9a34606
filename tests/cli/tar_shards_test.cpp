// augment --shard with tars: several runs write the tars that one run would have written.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using tests::Members;
using Words = std::vector<std::string>;

namespace {

const std::string jpeg = cli::jpeg(cli::smooth_picture(64, 48));

Members samples(int tar, int count) {
  Members members;
  for (int i = 0; i < count; ++i) {
    const std::string key = fmt::format("x/{}-{:03}", tar, i);
    members.emplace_back(key + ".jpg", jpeg);
    members.emplace_back(key + ".txt", fmt::format("{} 0.25 0.5 0.1 0.2\n", i));
  }
  return members;
}

void add_tars(const Workplace& workplace, int count) {
  for (int tar = 0; tar < count; ++tar)
    workplace.add(fmt::format("in/{:02}.tar", tar), tests::tar(samples(tar, 3)));
}

Result augment(const Workplace& workplace, const Words& more) {
  Words words = {"augment"};
  for (const std::string& tar : workplace.files("in")) words.push_back("in/" + tar);
  for (const char* word : {"--variants", "flop,cw"}) words.emplace_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return workplace.qturn(words);
}

Result shard(const Workplace& workplace, int index, int count, const Words& more = {}) {
  Words words = {"-o", "out", "--shard", fmt::format("{}/{}", index, count)};
  words.insert(words.end(), more.begin(), more.end());
  return augment(workplace, words);
}

void require_done(const Result& result) {
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

void require_refused(const Result& result, const char* why) {
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring(why));
}

void require_same_as_whole(const Workplace& workplace) {
  auto tree = workplace.tree("out");
  std::erase_if(tree, [](const auto& file) { return file.first == "manifest.jsonl"; });
  CHECK(tree == workplace.tree("whole"));
  CHECK_FALSE(workplace.exists("out/.qturn-shards"));
}

}  // namespace

TEST_CASE("Tars are dealt whole, by their names, and merged they are those of one run") {
  for (const int count : {1, 2, 7}) {
    CAPTURE(count);
    const Workplace workplace;
    add_tars(workplace, 5);
    require_done(augment(workplace, {"-o", "whole"}));
    for (int index = count - 1; index >= 0; --index) {
      require_refused(workplace.qturn({"merge", "out"}),
                      index == count - 1 ? "is not a folder" : "not complete");
      const Result result = shard(workplace, index, count);
      require_done(result);
      const int own = (5 - index + count - 1) / count;
      CHECK_THAT(result.err, ContainsSubstring(fmt::format("qturn: shard {} of {}: {} of 5 tars\n",
                                                           index, count, own)));
      for (int tar = 0; tar < 5; ++tar)
        if (tar % count == index) CHECK(workplace.exists(fmt::format("out/{:02}.tar", tar)));
    }
    const Result merged = workplace.qturn({"merge", "out"});
    require_done(merged);
    CHECK_THAT(merged.err, ContainsSubstring("tars: 5, samples: 30; out is one output now"));
    require_same_as_whole(workplace);
    CHECK_THAT(workplace.content("out/manifest.jsonl"),
               ContainsSubstring(R"({"tar":"03.tar","samples":6,"bytes":)"));
    const Result again = workplace.qturn({"merge", "out"});
    require_done(again);
    CHECK_THAT(again.err, ContainsSubstring("is merged already"));
    require_refused(shard(workplace, 0, count), "out/manifest.jsonl is there");
  }
}

TEST_CASE("With --resume a shard of tars does what is not done, at each attempt") {
  Workplace workplace;
  add_tars(workplace, 4);
  require_done(augment(workplace, {"-o", "whole"}));
  const Words resume = {"--resume", "-j", "1"};
  int kills = 0;
  for (const int call : {1, 8, 20, 30, 40, 60}) {
    workplace.environment = {{"LD_PRELOAD", QTURN_DISTURBED_DISK},
                             {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                             {"QTURN_TEST_KILL", std::to_string(call)}};
    kills += shard(workplace, 0, 2, resume).exit_code == 128 + SIGKILL ? 1 : 0;
  }
  workplace.environment.clear();
  CHECK(kills >= 3);
  require_done(shard(workplace, 0, 2, resume));
  const auto done = workplace.tree("out");
  const Result again = shard(workplace, 0, 2, resume);
  require_done(again);
  CHECK_THAT(again.err, ContainsSubstring("all of this shard is done already"));
  CHECK(workplace.tree("out") == done);
  require_done(shard(workplace, 1, 2, resume));
  require_done(workplace.qturn({"merge", "out"}));
  require_same_as_whole(workplace);
}

TEST_CASE(
    "A tar with a damaged sample is written again until it is whole, and one that is not there") {
  const Workplace workplace;
  add_tars(workplace, 3);
  require_done(augment(workplace, {"-o", "whole"}));
  Members damaged = samples(1, 3);
  damaged[2].second.resize(100);
  workplace.add("in/01.tar", tests::tar(damaged));
  const Result failed = shard(workplace, 0, 1);
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, ContainsSubstring("in/01.tar/x/1-001.jpg"));
  CHECK(tests::members_of(workplace.content("out/01.tar")).size() == 8);
  require_refused(workplace.qturn({"merge", "out"}), "number 0");
  require_refused(shard(workplace, 0, 1), "use --resume");

  const auto written = fs::last_write_time(workplace.path() / "out/00.tar");
  CHECK(shard(workplace, 0, 1, {"--resume"}).exit_code == 1);
  fs::remove(workplace.path() / "out/02.tar");
  workplace.add("in/01.tar", tests::tar(samples(1, 3)));
  require_done(shard(workplace, 0, 1, {"--resume"}));
  CHECK(fs::last_write_time(workplace.path() / "out/00.tar") == written);
  require_done(workplace.qturn({"merge", "out"}));
  require_same_as_whole(workplace);
}

TEST_CASE("A tar that has changed since keeps shards from being merged") {
  const Workplace workplace;
  add_tars(workplace, 2);
  require_done(augment(workplace, {"-o", "whole"}));
  require_done(shard(workplace, 0, 2));
  require_done(shard(workplace, 1, 2));
  fs::remove(workplace.path() / "out/01.tar");
  require_refused(workplace.qturn({"merge", "out"}),
                  "out/01.tar is not the tar that shard 1 has written");
  fs::remove_all(workplace.path() / "out/.qturn-shards/1-of-2");
  require_done(shard(workplace, 1, 2, {"--resume"}));
  require_done(workplace.qturn({"merge", "out"}));
  require_same_as_whole(workplace);
}

TEST_CASE("What does not fit shards of tars is refused before anything is written") {
  const Workplace workplace;
  add_tars(workplace, 3);
  workplace.add("there/00.tar", "x");
  require_done(shard(workplace, 0, 3));
  const auto before = workplace.tree(".");
  const auto refused = [&](const Words& words, const char* why) {
    require_refused(augment(workplace, words), why);
    CHECK(workplace.tree(".") == before);
  };
  refused({"-o", "one.tar", "--shard", "0/2"}, "--shard needs a folder");
  refused({"-o", "-", "--shard", "0/2"}, "--shard needs a folder");
  refused({"-o", "new", "--unpack", "--shard", "0/2"}, "leave out --unpack");
  refused({"-o", "there", "--shard", "0/2", "--resume"}, "there/00.tar: exists already");
  refused({"-o", "out", "--shard", "1/2"}, "is the output of 3 shards, and this is one of 2");
  refused({"-o", "out", "--shard", "1/3", "--png", "small"}, "--png small");
  refused({"-o", "out"}, "out is the output of a run in shards");
  refused({"-o", "out", "--shard", "1/3", "--exclude", "*.x"}, "--exclude");
  require_refused(workplace.qturn({"augment", "in/00.tar", "-o", "out", "--shard", "1/3"}),
                  "is the output of");
  require_refused(workplace.qturn({"cw", "out/00.tar", "-o", "o"}), "shards that are not merged");
  CHECK(workplace.tree(".") == before);
}
