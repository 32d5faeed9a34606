// augment --shard and merge: what others have in an output stays, and what goes wrong can be
// mended.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include "tests/cli/shards.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::add_data_set;
using cli::require_same_as_whole;
using cli::Result;
using cli::run_shards;
using cli::run_whole;
using cli::shard;
using cli::Words;
using cli::Workplace;

namespace {

const Words resume = {"--resume"};

void require_refused(const Result& result, const std::string& why) {
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring(why));
}

void require_done(const Result& result) {
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

void require_merged(const Workplace& workplace) {
  require_done(workplace.qturn({"merge", "out"}));
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
      const Result result = shard(workplace, index, 2, {"--resume"});
      require_refused(result, fmt::format("out/{} ", name));
      CHECK_THAT(result.err, !ContainsSubstring("--overwrite"));
    }
    CHECK(workplace.tree("out") == before);
    CHECK_FALSE(workplace.exists("out/.qturn-shards"));
  }
  Workplace workplace;
  add_data_set(workplace);
  workplace.add("out/images/05__flip.png", "mine");
  int refused = 0;
  for (int index = 0; index < 2; ++index) {
    const Result result = shard(workplace, index, 2, resume);
    if (result.exit_code != 2) continue;
    ++refused;
    CHECK_THAT(result.err, ContainsSubstring("out/images/05__flip.png exists already"));
  }
  CHECK(refused == 1);
  CHECK(workplace.content("out/images/05__flip.png") == "mine");
}

TEST_CASE("A complete shard is done also when a merge was killed") {
  Workplace workplace;
  add_data_set(workplace);
  run_whole(workplace);
  run_shards(workplace, 2);
  workplace.signal_at(SIGKILL, "x.json", QTURN_DISTURBED_DISK);
  CHECK(workplace.qturn({"merge", "out"}).exit_code == 128 + SIGKILL);
  workplace.environment.clear();
  for (int index = 0; index < 2; ++index) {
    const Result again = shard(workplace, index, 2, resume);
    require_done(again);
    CHECK_THAT(again.err, ContainsSubstring("all of this shard is done already"));
  }
  require_merged(workplace);
}

TEST_CASE("A shard that fails after its last picture is completed by --resume") {
  Workplace workplace;
  add_data_set(workplace);
  run_whole(workplace);
  const fs::path manifest = "out/.qturn-shards/0-of-2/manifest.jsonl";
  workplace.add(manifest / "in the way", "");
  CHECK(shard(workplace, 0, 2, resume).exit_code == 1);
  fs::remove_all(workplace.path() / manifest);
  workplace.full_stream = 1;
  CHECK(shard(workplace, 0, 2, {"--resume", "--json"}).exit_code == 1);
  CHECK(shard(workplace, 1, 2, {"--json"}).exit_code == 1);
  workplace.full_stream = 0;
  CHECK(workplace.qturn({"merge", "out"}).exit_code == 2);
  run_shards(workplace, 2, resume);
  require_merged(workplace);
}

TEST_CASE("A second run of a shard that was completed meanwhile leaves it as it is") {
  for (const bool is_merged : {false, true}) {
    CAPTURE(is_merged);
    Workplace workplace;
    add_data_set(workplace);
    run_whole(workplace);
    workplace.signal_before(SIGSTOP, ".qturn-lock", QTURN_DISTURBED_DISK);
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
      require_refused(result, "out/manifest.jsonl is there");
      require_same_as_whole(workplace);
    } else {
      require_done(result);
      CHECK_THAT(result.err, ContainsSubstring("all of this shard is done already"));
      CHECK(workplace.tree("out") == before);
      require_merged(workplace);
    }
  }
}

TEST_CASE("Shards and a run without --shard keep out of the same output") {
  Workplace workplace;
  add_data_set(workplace);
  const Words whole = {"augment", "data", "-o", "out", "-j", "1"};
  workplace.signal_at(SIGKILL, ".png", QTURN_DISTURBED_DISK);
  CHECK(workplace.qturn(whole).exit_code == 128 + SIGKILL);
  workplace.environment.clear();
  for (int index = 0; index < 2; ++index)
    require_refused(shard(workplace, index, 2, resume), "out/.qturn-journal is of a run without");
  CHECK_FALSE(workplace.exists("out/.qturn-shards"));
  require_done(workplace.qturn(cli::with(whole, resume)));

  fs::remove_all(workplace.path() / "out");
  workplace.signal_before(SIGSTOP, ".qturn-lock", QTURN_DISTURBED_DISK);
  const auto late = workplace.start(whole);
  workplace.environment.clear();
  REQUIRE(late.wait_until_stopped());
  run_shards(workplace, 2);
  late.signal(SIGCONT);
  require_refused(late.wait(), "out is the output of a run in shards");
  require_done(workplace.qturn({"merge", "out"}));
}

TEST_CASE("A lock that a killed run has left does not keep shards out") {
  Workplace workplace;
  add_data_set(workplace);
  run_whole(workplace);
  workplace.add("out/.qturn-lock", "{\"host\":\"elsewhere\",\"process\":7}\n");
  run_shards(workplace, 2);
  require_merged(workplace);
}

TEST_CASE("Shards of inputs with the same names do not go to one output") {
  Workplace workplace;
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("{}.png", i);
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    workplace.add("v1/" + name,
                  cli::png(cli::random_picture(9, 5, 3, qturn::SampleFormat::u8, seed)));
    workplace.add("v2/" + name,
                  cli::png(cli::random_picture(9, 5, 3, qturn::SampleFormat::u8, seed + 6)));
  }
  require_done(workplace.qturn({"augment", "v1", "-o", "out", "--shard", "0/2"}));
  const Result other = workplace.qturn({"augment", "v2", "-o", "out", "--shard", "1/2"});
  require_refused(other, "out is the output of the inputs ");
  CHECK_THAT(other.err, ContainsSubstring("/v2; choose another output"));
}

TEST_CASE("Labels that change between two shards are named by the merge, with the remedy") {
  Workplace workplace;
  add_data_set(workplace);
  require_done(shard(workplace, 0, 2));
  workplace.add("data/annotations/x.json", workplace.content("data/annotations/x.json") + "\n");
  require_done(shard(workplace, 1, 2));
  const Result merged = workplace.qturn({"merge", "out"});
  require_refused(merged, "data/annotations/x.json has changed between the shards");
  CHECK_THAT(merged.err, ContainsSubstring("run all shards again, to another output"));
}

TEST_CASE("What shards have written is no input before it is merged") {
  Workplace workplace;
  add_data_set(workplace);
  run_shards(workplace, 2);
  const auto before = workplace.tree("out");
  const std::string why = "/out is the output of shards that are not merged";
  require_refused(workplace.qturn({"cw", "out/images", "--in-place"}), why);
  require_refused(workplace.qturn({"augment", "out", "-o", "more"}), why);
  CHECK(workplace.tree("out") == before);
  require_done(workplace.qturn({"merge", "out"}));
  require_done(workplace.qturn({"cw", "out/images", "--in-place", "--labels", "none"}));
}

TEST_CASE("A shard that is refused decides nothing for the others") {
  Workplace workplace;
  add_data_set(workplace);
  require_refused(shard(workplace, 0, 2, {"--png", "small", "--device", "cuda:99"}),
                  "CUDA device 99");
  CHECK_FALSE(workplace.exists("out"));
  require_done(shard(workplace, 0, 2));
}
