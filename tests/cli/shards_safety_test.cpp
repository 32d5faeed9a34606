// augment --shard and merge: what others have in an output stays, and what goes wrong can be
// mended.
#include <fmt/format.h>

#include "tests/cli/shards.hpp"

namespace shards_safety_test {

using namespace cli;

namespace {

const Words resume = {"--resume"};

void require_merged(const Workplace& workplace) {
  workplace.done({"merge", "out"});
  require_same_as_whole(workplace);
}

}  // namespace

TEST_CASE("The first attempt of a shard refuses what is in the place of a result, with --resume") {
  for (const char* name :
       {"annotations/x.json", "boxes.csv", "data.yaml", "val.txt", "manifest.jsonl"}) {
    CAPTURE(name);
    Workplace workplace;
    add_data_set(workplace);
    workplace.add(fs::path("out") / name, "mine");
    const auto before = workplace.tree("out");
    for (int index = 0; index < 2; ++index) {
      CHECK_THAT(workplace.refused(shard(index, 2, {"--resume"}), fmt::format("out/{} ", name)).err,
                 !ContainsSubstring("--overwrite"));
    }
    CHECK(workplace.tree("out") == before);
    CHECK_FALSE(workplace.exists("out/.qturn-shards"));
  }
  Workplace workplace;
  add_data_set(workplace);
  workplace.add("out/images/05__flip.png", "mine");
  int refused = 0;
  for (int index = 0; index < 2; ++index) {
    const Result result = workplace.qturn(shard(index, 2, resume));
    if (result.exit_code != 2) continue;
    ++refused;
    CHECK_THAT(result.err, ContainsSubstring("out/images/05__flip.png exists already"));
  }
  CHECK(refused == 1);
  CHECK(workplace.content("out/images/05__flip.png") == "mine");
}

TEST_CASE_METHOD(Workplace, "A complete shard is done also when a merge was killed") {
  add_data_set(*this);
  run_whole(*this);
  run_shards(*this, 2);
  CHECK(signalled_at(SIGKILL, "x.json", {"merge", "out"}).exit_code == 128 + SIGKILL);
  for (int index = 0; index < 2; ++index) {
    done(shard(index, 2, resume), "this shard is already complete");
  }
  require_merged(*this);
}

TEST_CASE_METHOD(Workplace, "A shard that fails after its last picture is completed by --resume") {
  add_data_set(*this);
  run_whole(*this);
  const fs::path manifest = "out/.qturn-shards/0-of-2/manifest.jsonl";
  add(manifest / "in the way", "");
  failed(shard(0, 2, resume));
  fs::remove_all(path() / manifest);
  full_stream = 1;
  failed(shard(0, 2, {"--resume", "--json"}));
  failed(shard(1, 2, {"--json"}));
  full_stream = 0;
  refused({"merge", "out"});
  run_shards(*this, 2, resume);
  require_merged(*this);
}

TEST_CASE("A second run of a shard that was completed meanwhile leaves it as it is") {
  for (const bool is_merged : {false, true}) {
    CAPTURE(is_merged);
    Workplace workplace;
    add_data_set(workplace);
    run_whole(workplace);
    workplace.signal_before(SIGSTOP, ".qturn-lock");
    const auto late =
        workplace.start({"augment", "data", "-o", "out", "--shard", "0/2", "--resume"});
    workplace.environment.clear();
    REQUIRE(late.wait_until_stopped());
    run_shards(workplace, 2);
    if (is_merged) {
      require_merged(workplace);
      // As if the folder were made later than the merge removed it.
      fs::create_directories(workplace.path() / "out/.qturn-shards/0-of-2");
    }
    const auto before = workplace.tree("out");
    late.signal(SIGCONT);
    const Result result = late.wait();
    if (is_merged) {
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, ContainsSubstring("out/manifest.jsonl is there"));
      require_same_as_whole(workplace);
    } else {
      CHECK(result.exit_code == 0);
      CHECK_THAT(result.err, ContainsSubstring("this shard is already complete"));
      CHECK(workplace.tree("out") == before);
      require_merged(workplace);
    }
  }
}

TEST_CASE_METHOD(Workplace, "Shards and a run without --shard keep out of the same output") {
  add_data_set(*this);
  const Words whole = {"augment", "data", "-o", "out", "-j", "1"};
  CHECK(signalled_at(SIGKILL, ".png", whole).exit_code == 128 + SIGKILL);
  for (int index = 0; index < 2; ++index)
    refused(shard(index, 2, resume), "out/.qturn-journal is of a run without");
  CHECK_FALSE(exists("out/.qturn-shards"));
  done(with(whole, resume));

  fs::remove_all(path() / "out");
  signal_before(SIGSTOP, ".qturn-lock");
  const auto late = start(whole);
  environment.clear();
  REQUIRE(late.wait_until_stopped());
  run_shards(*this, 2);
  late.signal(SIGCONT);
  const Result result = late.wait();
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring("out is the output of a run in shards"));
  done({"merge", "out"});
}

TEST_CASE_METHOD(Workplace, "A lock that a killed run has left does not keep shards out") {
  add_data_set(*this);
  run_whole(*this);
  add("out/.qturn-lock", "{\"host\":\"elsewhere\",\"process\":7}\n");
  run_shards(*this, 2);
  require_merged(*this);
}

TEST_CASE_METHOD(Workplace, "Shards of inputs with the same names do not go to one output") {
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("{}.png", i);
    add("v1/" + name, png(numbered_picture(i, 9, 5)));
    add("v2/" + name, png(numbered_picture(i + 6, 9, 5)));
  }
  done({"augment", "v1", "-o", "out", "--shard", "0/2"});
  refused({"augment", "v2", "-o", "out", "--shard", "1/2"},
          {"out is the output of the inputs ", "/v2; choose another output"});
}

TEST_CASE_METHOD(Workplace,
                 "Labels that change between two shards are named by the merge, with the remedy") {
  add_data_set(*this);
  done(shard(0, 2));
  add("data/annotations/x.json", content("data/annotations/x.json") + "\n");
  done(shard(1, 2));
  refused({"merge", "out"}, {"data/annotations/x.json has changed between the shards",
                             "run all shards again, to another output"});
}

TEST_CASE_METHOD(Workplace, "What shards have written is no input before it is merged") {
  add_data_set(*this);
  run_shards(*this, 2);
  const std::string why = "/out is the output of shards that are not merged";
  refused({"cw", "out/images", "--in-place"}, why);
  refused({"augment", "out", "-o", "more"}, why);
  done({"merge", "out"});
  done({"cw", "out/images", "--in-place", "--labels", "none"});
}

TEST_CASE_METHOD(Workplace, "A shard that is refused decides nothing for the others") {
  add_data_set(*this);
  refused(shard(0, 2, {"--png", "small", "--device", "cuda:99"}), "CUDA device 99");
  done(shard(0, 2));
}

}  // namespace shards_safety_test
