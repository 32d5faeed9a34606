// Samples of two pictures on their way to a writer that keeps them in memory.
#include "src/run/flight.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <map>
#include <set>
#include <string>

#include "src/picture/errors.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace qturn::sample_flight_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

const std::atomic<bool> never{false};

/// Files by their names.
class Files : public Source {
 public:
  explicit Files(std::map<std::string, Bytes> files) : files_(std::move(files)) {}
  Original read(const fs::path& name, FileBytes) const override {
    return {.path = name, .lower_suffix = name.extension(), .bytes = Bytes(files_.at(name))};
  }
  std::uint64_t size(const fs::path& name) const override { return files_.at(name).size(); }

 private:
  const std::map<std::string, Bytes> files_;
};

class Writer : public SampleWriter {
 public:
  std::unique_ptr<StagedResult> stage(const Result& result, const Companions&) const override {
    if (result.output.path == refused) throw FileError("is full", result.output.path, {});
    return std::make_unique<Staged>(result.output.path, result.bytes.size(), placed);
  }
  void end_variant() const override { placed.emplace_back("end"); }

  std::string refused;
  mutable std::vector<std::string> placed;

 private:
  class Staged : public StagedResult {
   public:
    Staged(std::string name, std::uint64_t bytes, std::vector<std::string>& placed)
        : name_(std::move(name)), bytes_(bytes), placed_(placed) {}
    std::uint64_t bytes_held() const override { return bytes_; }
    std::vector<std::string> put_in_place() override {
      placed_.push_back(name_);
      return {};
    }

   private:
    const std::string name_;
    const std::uint64_t bytes_;
    std::vector<std::string>& placed_;
  };
};

/// What became of a.png and b.png, each as a flop and as a quarter turn.
struct Flown {
  std::vector<Outcome> outcomes;
  std::vector<std::string> placed;
  std::size_t variants = 0;
};

Flown fly(const Bytes& b, const std::string& refused = {}, std::uint64_t largest_bytes = 1 << 20) {
  Writer writer;
  writer.refused = refused;
  RunOptions options;
  options.memory_bytes = 1 << 20;
  TimeLimit time_limit(never, 0);
  SpareBytes spare(0, 0);
  ByteBudget files(1 << 20), pixels(1 << 20);
  std::vector<std::unique_ptr<Lane>> lanes;
  lanes.push_back(make_cpu_lane(0));
  LanePool pool(std::move(lanes));
  SharedStems stems;
  Shared shared{.writer = writer,
                .options = options,
                .stop = never,
                .time_limit = time_limit,
                .spare = spare,
                .device = nullptr,
                .files = files,
                .pixels = pixels,
                .lanes = pool,
                .stems = stems};
  SampleJobs sample{.jobs = {},
                    .source = std::make_shared<Files>(
                        std::map<std::string, Bytes>{{"a.png", tests::small_png()}, {"b.png", b}}),
                    .memory = std::make_unique<SampleMemory>(Reservation(), 0, largest_bytes)};
  for (const std::string stem : {"a", "b"}) {
    Job& job = sample.jobs.emplace_back();
    job.input = job.key = stem + ".png";
    for (const Orientation variant : {Orientation::flop, Orientation::rotate90})
      job.outputs.push_back(
          {.path = stem + "__" + std::string(name(variant)) + ".png", .variant = variant});
  }
  SampleFlight flight(std::move(sample), shared);
  flight.turn();
  Flown flown{.outcomes = {}, .placed = {}, .variants = flight.put_in_place()};
  flown.outcomes = std::move(flight).outcomes();
  flown.placed = writer.placed;
  return flown;
}

using Texts = std::vector<std::string>;

TEST_CASE("The pictures of a sample go to their places variant by variant") {
  const Flown flown = fly(tests::small_png());
  CHECK(flown.variants == 2);
  CHECK(flown.placed ==
        Texts{"a__flop.png", "b__flop.png", "end", "a__rotate90.png", "b__rotate90.png", "end"});
  REQUIRE(flown.outcomes.size() == 4);
  for (const Outcome& outcome : flown.outcomes) {
    INFO(outcome.message);
    CHECK(outcome.status == Status::done);
  }
}

TEST_CASE("If one picture of a variant cannot be written, the variant is left out, and only it") {
  const Flown flown = fly(tests::small_png(), "b__flop.png");
  CHECK(flown.variants == 1);
  CHECK(flown.placed == Texts{"end", "a__rotate90.png", "b__rotate90.png", "end"});
  REQUIRE(flown.outcomes.size() == 4);
  CHECK(flown.outcomes[0].status == Status::failed);
  CHECK(flown.outcomes[0].message == "left out, because b.png of the same sample is");
  CHECK(flown.outcomes[1].status == Status::done);
  CHECK_THAT(flown.outcomes[2].message, ContainsSubstring("is full"));
}

TEST_CASE("A sample with a damaged picture is left out whole") {
  Bytes cut = tests::small_png();
  cut.resize(cut.size() / 2);
  const Flown flown = fly(cut);
  CHECK(flown.variants == 0);
  CHECK(flown.placed == Texts{"end", "end"});
  for (const Outcome& outcome : flown.outcomes) CHECK(outcome.status == Status::failed);
}

TEST_CASE("A sample whose results are too large is left out whole, whichever came first") {
  const Flown flown = fly(tests::small_png(), {}, 3 * tests::small_png().size());
  CHECK(flown.variants == 0);
  CHECK(flown.placed == Texts{"end", "end"});
  REQUIRE(flown.outcomes.size() == 4);
  for (const Outcome& outcome : flown.outcomes) CHECK(outcome.status == Status::failed);
  CHECK_THAT(flown.outcomes[3].message, ContainsSubstring("more than 0 MiB of memory"));
}

}  // namespace
}  // namespace qturn::sample_flight_test
