// augment --shard and merge: several runs write what one run would have written.
#include <fmt/format.h>

#include "src/files/journal.hpp"
#include "tests/cli/shards.hpp"

namespace shards_test {

using namespace cli;

TEST_CASE("Shards that are merged have written what one run writes, byte for byte") {
  const std::pair<int, Words> cases[] = {
      {1, {}},
      {3, {}},
      {20, {"--random", "2", "--seed", "5"}},  // some of these are empty
      {4, {"--variants", "flop,cw", "--format", "tiff"}},
      {3, {"--labels", "none", "--masks", "none", "--others", "copy"}},
  };
  for (const auto& [count, options] : cases) {
    CAPTURE(count, options);
    Workplace workplace;
    add_data_set(workplace);
    run_whole(workplace, options);
    run_shards(workplace, count, options);
    workplace.done({"merge", "out"});
    require_same_as_whole(workplace);
    workplace.done({"merge", "out"}, "out is already merged");
    require_same_as_whole(workplace);
  }
}

TEST_CASE_METHOD(Workplace, "A shard says how many samples are its own, and writes those alone") {
  add_data_set(*this);
  std::size_t samples = 0;
  Names all;
  for (int index = 0; index < 3; ++index) {
    const Result result = qturn(shard(index, 3, {"--variants", "flop"}));
    const std::string before = fmt::format("qturn: shard {} of 3: ", index);
    const std::size_t at = result.err.find(before);
    REQUIRE(at != std::string::npos);
    samples += std::stoul(result.err.substr(at + before.size()));
    CHECK_THAT(result.err, ContainsSubstring(" of 13 samples\n"));
  }
  CHECK(samples == 13);
  CHECK_FALSE(exists("out/manifest.jsonl"));
  CHECK_FALSE(exists("out/annotations/x.json"));
}

TEST_CASE_METHOD(Workplace, "Shards are merged when all of them are complete, and not before") {
  add_data_set(*this);
  done(shard(0, 4));
  done(shard(2, 4));
  refused({"merge", "out"},
          "out: 2 of 4 shards are not complete: number 1, number 3; run them again with --resume");

  refused({"merge", "data"}, "data: no shards have written here; run them with --shard");
}

TEST_CASE("With --resume the same command does the right thing at each attempt") {
  Workplace workplace;
  add_data_set(workplace);
  run_whole(workplace);
  const Words resume = {"--resume", "-j", "1"};
  int kills = 0;
  // Each attempt dies earlier or later; the last one is left alone.
  for (const int call : {1, 8, 40, 90, 130}) {
    workplace.environment =
        Workplace::on_disturbed_disk({{"QTURN_TEST_KILL", std::to_string(call)}});
    kills += workplace.qturn(shard(0, 2, resume)).exit_code == 128 + SIGKILL ? 1 : 0;
  }
  workplace.environment.clear();
  CHECK(kills >= 4);
  workplace.done(shard(0, 2, resume));

  const auto done = workplace.tree("out");
  workplace.done(shard(0, 2, resume), "this shard is already complete");
  CHECK(workplace.tree("out") == done);

  workplace.done(shard(1, 2, resume));
  workplace.done({"merge", "out"});
  require_same_as_whole(workplace);
}

TEST_CASE("A merge that is killed at any call can be repeated") {
  Workplace shards;
  add_data_set(shards, 4);
  const Words options = {"--variants", "flop"};
  run_whole(shards, options);
  run_shards(shards, 2, options);
  bool is_killed = true;
  for (int call = 1; is_killed; call += 2) {
    CAPTURE(call);
    Workplace workplace;
    fs::copy(shards.path(), workplace.path(), fs::copy_options::recursive);
    // The parts name the label files by their absolute paths in `shards`.
    is_killed = workplace.killed_at(call, {"merge", "out"}).exit_code == 128 + SIGKILL;
    workplace.done({"merge", "out"});
    require_same_as_whole(workplace);
    CHECK((call > 20 || is_killed));
  }
}

TEST_CASE_METHOD(Workplace, "An output takes the shards of one run alone") {
  add_data_set(*this);
  done(shard(0, 2));
  const auto before = tree("out");
  refused(shard(1, 3, {"--resume"}), "out is the output of 2 shards, and this is one of 3");
  refused(shard(1, 2, {"--png", "small"}), "--png fast', and this is 'augment");
  refused(shard(0, 2), "already; use --resume to go on with a shard that was");
  refused({"augment", "data", "-o", "out", "--resume"},
          "out is the output of a run in shards; merge them with 'qturn merge out'");
  add("data/images/new.png", png(labelled_picture));
  refused(shard(1, 2), "out is the output of 13 samples");
}

TEST_CASE_METHOD(Workplace, "A merged output takes no more shards") {
  add_data_set(*this);
  run_shards(*this, 2);
  done({"merge", "out"});
  const auto before = tree("out");
  refused(shard(1, 2), "out/manifest.jsonl is there, so the output is complete");
  done(shard(1, 2, {"--resume"}), "this shard is already complete");
  CHECK(tree("out") == before);
}

TEST_CASE("A result or a label file that has changed since keeps shards from being merged") {
  Workplace workplace;
  add_data_set(workplace);
  run_shards(workplace, 2);
  const auto refused = [&](const std::string& why) {
    workplace.refused({"merge", "out"}, why);
    CHECK_FALSE(workplace.exists("out/manifest.jsonl"));
  };
  const fs::path result = workplace.path() / "out/images/05__flip.png";
  fs::rename(result, workplace.path() / "05");
  refused("a shard has written out/images/05__flip.png, and it is not there any more");
  fs::rename(workplace.path() / "05", result);

  const std::string labels = workplace.content("data/annotations/x.json");
  workplace.add("data/annotations/x.json", labels + "\n");
  refused("data/annotations/x.json is not the file that the shards have read");
  workplace.add("data/annotations/x.json", labels);

  const std::string manifest = workplace.content("out/.qturn-shards/1-of-2/manifest.jsonl");
  const std::size_t line = manifest.find('\n', manifest.find('\n') + 1);
  workplace.add("out/.qturn-shards/1-of-2/manifest.jsonl", manifest.substr(0, line + 1));
  refused("out/.qturn-shards/1-of-2/manifest.jsonl is not what shard 1 has written");
}

TEST_CASE_METHOD(Workplace,
                 "Two names of two shards that lead to one output are refused before the start") {
  const std::string picture = png(labelled_picture);
  // Of two shards, b.png is in the one and b.tif in the other.
  add("data/b.png", picture);
  add("data/b.tiff", picture);
  for (int index = 0; index < 2; ++index) {
    refused(shard(index, 2, {"--format", "png"}), "would both be written to out/b__identity.png");
  }
  CHECK_FALSE(exists("out"));
}

TEST_CASE_METHOD(Workplace,
                 "A damaged picture keeps its shard from being complete until it is whole") {
  add_data_set(*this);
  run_whole(*this);
  const std::string whole = content("data/images/07.png");
  add("data/images/07.png", whole.substr(0, 60));
  int failed = 0;
  for (int index = 0; index < 3; ++index)
    failed += qturn(shard(index, 3, {"--resume"})).exit_code == 1 ? 1 : 0;
  CHECK(failed == 1);
  add("data/images/07.png", whole);
  run_shards(*this, 3, {"--resume"});
  done({"merge", "out"});
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(Workplace,
                 "Pictures that fail do not keep the others from being merged, and are named") {
  add_data_set(*this);
  add("data/images/07.png", content("data/images/07.png").substr(0, 60));
  add("data/images/x/photo.jpg", content("data/images/x/photo.jpg").substr(0, 700));
  failed({"augment", "data", "-o", "whole"});
  for (int index = 0; index < 3; ++index) (void)qturn(shard(index, 3));
  failed({"merge", "out"}, "2 pictures failed; out/manifest.jsonl names them");
  fs::remove(path() / "whole" / ::qturn::journal_name);  // for a --resume
  require_same_as_whole(*this);
  const std::string manifest = content("out/manifest.jsonl");
  CHECK_THAT(manifest, ContainsSubstring(R"({"key":"images/07.png","failed":")"));
  CHECK_THAT(manifest, ContainsSubstring(R"({"key":"images/x/photo.jpg","failed":")"));
  done({"merge", "out"});
}

TEST_CASE_METHOD(Workplace, "The same shard runs once at a time, and different ones together") {
  add_data_set(*this);
  run_whole(*this);
  // Shard 0 stops with its first result in place.
  signal_at(SIGSTOP, ".png");
  const auto first =
      start({"augment", "data", "-o", "out", "--shard", "0/2", "--resume", "-j", "1"});
  environment.clear();
  REQUIRE(first.wait_until_stopped());
  refused(shard(0, 2, {"--resume"}), "out/.qturn-shards/0-of-2: another qturn (process");
  done(shard(1, 2));
  refused({"merge", "out"});
  first.signal(SIGCONT);
  CHECK(first.wait().exit_code == 0);
  done({"merge", "out"});
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(Workplace,
                 "Option --shard auto takes the shard that the environment says, and says so") {
  add_data_set(*this);
  run_whole(*this);
  const Words words = {"augment", "data", "-o", "out", "--shard", "auto"};
  refused(words, "--shard auto: no variable of Slurm, Kubernetes");
  for (const char* index : {"0", "1"}) {
    environment = {{"JOB_COMPLETION_INDEX", index}, {"QTURN_SHARDS", "2"}};
    done(words, fmt::format("shard {} of 2 (JOB_COMPLETION_INDEX, QTURN_SHARDS): ", index));
  }
  environment.clear();
  done({"merge", "out"});
  require_same_as_whole(*this);
}

TEST_CASE_METHOD(Workplace,
                 "A lock that a task has left holds nothing, whatever machine it ran on") {
  add_data_set(*this);
  add("out/.qturn-shards/0-of-2/.qturn-lock", R"({"host":"other","process":7})");
  done(shard(0, 2, {"--resume"}));
  CHECK_FALSE(exists("out/.qturn-shards/0-of-2/.qturn-lock"));
}

}  // namespace shards_test
