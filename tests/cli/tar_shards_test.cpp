// augment --shard with tars: several runs write the tars that one run would have written.
#include <fmt/format.h>

#include <algorithm>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace tar_shards_test {

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
  return augment(workplace,
                 cli::with({"-o", "out", "--shard", fmt::format("{}/{}", index, count)}, more));
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

TEST_CASE("Tars are dealt whole, by their names, and merged they equal one run's") {
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
    CHECK_THAT(merged.err, ContainsSubstring("tars: 5, samples: 30; out is now one output"));
    require_same_as_whole(workplace);
    CHECK_THAT(workplace.content("out/manifest.jsonl"),
               ContainsSubstring(R"({"tar":"03.tar","samples":6,"bytes":)"));
    const Result again = workplace.qturn({"merge", "out"});
    require_done(again);
    CHECK_THAT(again.err, ContainsSubstring("is already merged"));
    require_refused(shard(workplace, 0, count), "out/manifest.jsonl is there");
  }
}

TEST_CASE_METHOD(cli::Workplace,
                 "With --resume a shard of tars does what is not done, at each attempt") {
  add_tars(*this, 4);
  require_done(augment(*this, {"-o", "whole"}));
  const Words resume = {"--resume", "-j", "1"};
  int kills = 0;
  for (const int call : {1, 8, 20, 30, 40, 60}) {
    environment = Workplace::on_disturbed_disk({{"QTURN_TEST_KILL", std::to_string(call)}});
    kills += shard(*this, 0, 2, resume).exit_code == 128 + SIGKILL ? 1 : 0;
  }
  environment.clear();
  CHECK(kills >= 3);
  require_done(shard(*this, 0, 2, resume));
  const auto done = tree("out");
  const Result again = shard(*this, 0, 2, resume);
  require_done(again);
  CHECK_THAT(again.err, ContainsSubstring("this shard is already complete"));
  CHECK(tree("out") == done);
  require_done(shard(*this, 1, 2, resume));
  require_done(qturn({"merge", "out"}));
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(
    cli::Workplace,
    "A tar with a damaged sample is written again until it is whole, and one that is not there") {
  add_tars(*this, 3);
  require_done(augment(*this, {"-o", "whole"}));
  Members damaged = samples(1, 3);
  damaged[2].second.resize(100);
  add("in/01.tar", tests::tar(damaged));
  const Result failed = shard(*this, 0, 1);
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, ContainsSubstring("in/01.tar/x/1-001.jpg"));
  CHECK(tests::members_of(content("out/01.tar")).size() == 8);
  require_refused(shard(*this, 0, 1), "use --resume");

  const auto written = fs::last_write_time(path() / "out/00.tar");
  CHECK(shard(*this, 0, 1, {"--resume"}).exit_code == 1);
  fs::remove(path() / "out/02.tar");
  add("in/01.tar", tests::tar(samples(1, 3)));
  require_done(shard(*this, 0, 1, {"--resume"}));
  CHECK(fs::last_write_time(path() / "out/00.tar") == written);
  require_done(qturn({"merge", "out"}));
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(cli::Workplace, "A damaged sample of a tar is named when shards are merged") {
  add_tars(*this, 2);
  Members damaged = samples(1, 3);
  damaged[2].second.resize(100);
  add("in/01.tar", tests::tar(damaged));
  CHECK(augment(*this, {"-o", "whole"}).exit_code == 1);
  CHECK(shard(*this, 0, 2).exit_code == 0);
  CHECK(shard(*this, 1, 2).exit_code == 1);
  const Result merged = qturn({"merge", "out"});
  CHECK(merged.exit_code == 1);
  CHECK_THAT(merged.err, ContainsSubstring("1 picture failed; out/manifest.jsonl names it"));
  CHECK_THAT(content("out/manifest.jsonl"), ContainsSubstring(R"("failed":["x/1-001)"));
  CHECK(content("out/01.tar") == content("whole/01.tar"));
}

TEST_CASE_METHOD(cli::Workplace, "A tar that has changed since keeps shards from being merged") {
  add_tars(*this, 2);
  require_done(augment(*this, {"-o", "whole"}));
  require_done(shard(*this, 0, 2));
  require_done(shard(*this, 1, 2));
  fs::remove(path() / "out/01.tar");
  require_refused(qturn({"merge", "out"}), "out/01.tar is not the tar that shard 1 has written");
  fs::remove_all(path() / "out/.qturn-shards/1-of-2");
  require_done(shard(*this, 1, 2, {"--resume"}));
  require_done(qturn({"merge", "out"}));
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(cli::Workplace,
                 "What does not fit shards of tars is refused before anything is written") {
  add_tars(*this, 3);
  add("there/00.tar", "x");
  require_done(shard(*this, 0, 3));
  const auto before = tree(".");
  const auto refused = [&](const Words& words, const char* why) {
    require_refused(augment(*this, words), why);
    CHECK(tree(".") == before);
  };
  refused({"-o", "one.tar", "--shard", "0/2"}, "--shard needs a folder");
  refused({"-o", "-", "--shard", "0/2"}, "--shard needs a folder");
  refused({"-o", "new", "--unpack", "--shard", "0/2"}, "leave out --unpack");
  refused({"-o", "there", "--shard", "0/2", "--resume"}, "there/00.tar: exists already");
  refused({"-o", "out", "--shard", "1/2"}, "is the output of 3 shards, and this is one of 2");
  refused({"-o", "out", "--shard", "1/3", "--png", "small"}, "--png small");
  refused({"-o", "out"}, "out is the output of a run in shards");
  refused({"-o", "out", "--shard", "1/3", "--exclude", "*.x"}, "--exclude");
  require_refused(qturn({"augment", "in/00.tar", "-o", "out", "--shard", "1/3"}),
                  "is the output of");
  require_refused(qturn({"cw", "out/00.tar", "-o", "o"}), "shards that are not merged");
  CHECK(tree(".") == before);
}

}  // namespace tar_shards_test
