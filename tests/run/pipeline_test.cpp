#include "src/run/pipeline.hpp"
#include "src/sinks/file_sample_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "src/files/safe_file.hpp"
#include "src/labels/one/label.hpp"
#include "src/sample/companion.hpp"
#include "src/turn/encode.hpp"
#include "tests/fixtures/every_codec.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace pipeline_test {

namespace fs = std::filesystem;
using namespace qturn;

namespace {

const std::atomic<bool> never{false};

/// A PNG whose every sample is different from its neighbours.
Bytes png(std::int64_t width, std::int64_t height, int channels) {
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(width * height * channels));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  Image image;
  image.format = &png::codec;
  image.pages = {Page{samples.data(), width, height, channels, SampleFormat::u8}};
  std::vector<std::string> warnings;
  return encode(image, Orientation::identity, png::codec, never, warnings);
}

/// Runs jobs whose files come from `source`.
RunEnd run(const std::vector<Job>& jobs, const Source& source, const SampleWriter& writer,
           const RunOptions& options, const std::atomic<bool>& stop,
           const std::function<void(const Outcome&)>& report) {
  ListReader reader(jobs, source);
  return Engine(options, stop).run(reader, writer, report);
}

/// The jobs that make the same outputs once more in another folder.
std::vector<Job> again(const std::map<std::string, Outcome>& outcomes, const fs::path& output) {
  std::vector<Job> jobs;
  for (const auto& [path, outcome] : outcomes) {
    Job job;
    job.input = outcome.input;
    job.key = outcome.key;
    job.file_bytes = outcome.file_bytes;
    job.outputs = {{output / job.key, Orientation::identity}};
    jobs.push_back(job);
  }
  return jobs;
}

/// Writes `count` PNGs of different sizes and makes the jobs that turn them.
std::vector<Job> make_jobs(const TemporaryFolder& folder, const fs::path& output, int count) {
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    Job job;
    job.key = fmt::format("{}.png", i);
    job.input = folder.path() / "in" / job.key;
    const Bytes file =
        png(40 + i * 13, 90 - i * 3, std::array{1, 3, 4}[static_cast<std::size_t>(i % 3)]);
    write_file(job.input, file, {}, IfExists::fail);
    job.file_bytes = file.size();
    job.outputs = {{output / job.key, Orientation::identity}};
    jobs.push_back(job);
  }
  return jobs;
}

std::map<std::string, Outcome> run_all(const std::vector<Job>& jobs, const RunOptions& options,
                                       const std::atomic<bool>& stop = never) {
  std::map<std::string, Outcome> outcomes;
  const FileSampleWriter writer(
      {.in_place = options.in_place,
       .if_exists = options.in_place ? IfExists::replace : IfExists::fail});
  const RunEnd end = run(jobs, FileSource(), writer, options, stop, [&](const Outcome& outcome) {
    REQUIRE(outcomes.emplace(outcome.output.string(), outcome).second);
  });
  CHECK(end.error == Sentence());
  CHECK(end.warning == "");
  return outcomes;
}

RunOptions quarter_turn(int threads) {
  RunOptions options;
  options.orientation = Orientation::rotate90;
  options.threads = threads;
  options.memory_bytes = 64 << 20;
  return options;
}

}  // namespace

TEST_CASE("Every output has one outcome, and the files do not depend on the number of threads") {
  const TemporaryFolder folder;
  const auto one = run_all(make_jobs(folder, folder.path() / "one", 20), quarter_turn(1));
  const auto many = run_all(again(one, folder.path() / "many"), quarter_turn(6));
  CHECK(one.size() == 20);
  CHECK(many.size() == 20);
  for (const auto& [output, outcome] : one) {
    INFO(output << ": " << outcome.message);
    CHECK(outcome.status == Status::done);
    CHECK(content_of(folder.path() / "one" / outcome.key) ==
          content_of(folder.path() / "many" / outcome.key));
  }
}

TEST_CASE("A picture larger than the whole budget runs alone") {
  const TemporaryFolder folder;
  RunOptions options = quarter_turn(4);
  options.memory_bytes = 1000;
  for (const auto& [output, outcome] :
       run_all(make_jobs(folder, folder.path() / "out", 8), options)) {
    INFO(outcome.message);
    CHECK(outcome.status == Status::done);
  }
}

TEST_CASE(
    "A picture that needs more than the largest may is refused, and the message says what it "
    "needs") {
  const TemporaryFolder folder;
  const std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 1);
  RunOptions options = quarter_turn(1);
  options.memory_bytes = options.largest_bytes = 1 << 20;
  const Outcome refused = run_all(jobs, options).begin()->second;
  CHECK(refused.status == Status::failed);
  CHECK(refused.message == "40 x 90 pixels need 64MiB of memory, more than 1MiB");
  CHECK(refused.hints == Hints{{Hint::more_memory, "64MiB"}});
  options.memory_bytes = options.largest_bytes = 64 << 20;
  CHECK(run_all(jobs, options).begin()->second.status == Status::done);
}

TEST_CASE("A file that fails is an outcome, and the others are done") {
  const TemporaryFolder folder;
  std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 6);
  folder.add("in/0.png", "no picture at all");
  fs::resize_file(jobs[1].input, fs::file_size(jobs[1].input) / 2);
  fs::remove(jobs[2].input);
  folder.add("in/3.png", "");
  int failed = 0;
  for (const auto& [output, outcome] : run_all(jobs, quarter_turn(3))) {
    const bool damaged = outcome.key < std::string("4.png");
    CHECK((outcome.status == Status::failed) == damaged);
    CHECK(outcome.message.empty() == !damaged);
    CHECK(fs::exists(outcome.output) == !damaged);
    failed += outcome.status == Status::failed;
  }
  CHECK(failed == 4);
}

TEST_CASE("A raised stop flag ends the run, and no job is half done") {
  const TemporaryFolder folder;
  const std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 10);
  std::atomic<bool> stop{false};
  std::size_t done = 0;
  run(jobs, FileSource(), FileSampleWriter({.fsync = Fsync::never}), quarter_turn(2), stop,
      [&](const Outcome& outcome) {
        CHECK(outcome.status == Status::done);
        ++done;
        stop = true;
      });
  CHECK(done >= 1);
  CHECK(done < jobs.size());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path() / "out")) ++files;
  CHECK(files == done);
}

TEST_CASE("An error of the run itself ends it after the pictures in flight, and says why") {
  const TemporaryFolder folder;
  const std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 10);
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    int reported = 0;
    const RunEnd end =
        run(jobs, FileSource(),
            FileSampleWriter({.if_exists = IfExists::replace, .fsync = Fsync::never}),
            quarter_turn(threads), never, [&](const Outcome&) {
              if (++reported == 2) throw std::bad_alloc();
            });
    CHECK(end.error == Sentence("out of memory", {Hint::less_memory}));
    CHECK(reported >= 2);
    CHECK(reported <= 1 + threads);
  }
}

TEST_CASE("A picture that takes longer than it may fails by name, and the others are done") {
  struct SlowSource final : FileSource {
    Original read(const fs::path& name, FileBytes memory) const override {
      if (name.filename() == "1.png") std::this_thread::sleep_for(std::chrono::milliseconds(2500));
      return FileSource::read(name, std::move(memory));
    }
  };
  const TemporaryFolder folder;
  const std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 3);
  RunOptions options = quarter_turn(2);
  options.seconds = 2;
  run(jobs, SlowSource(), FileSampleWriter({.fsync = Fsync::never}), options, never,
      [&](const Outcome& outcome) {
        const bool is_slow = outcome.key == "1.png";
        CHECK((outcome.status == Status::failed) == is_slow);
        CHECK(outcome.message == (is_slow ? "took longer than the limit of 2 seconds" : ""));
        CHECK(outcome.hints == (is_slow ? Hints{{Hint::raise_limit, "seconds=4"}} : Hints()));
        CHECK(fs::exists(outcome.output) == !is_slow);
      });
}

TEST_CASE("What belongs to a picture is read once, whatever the number of its outputs") {
  struct CountingSource final : FileSource {
    Original read(const fs::path& name, FileBytes memory) const override {
      ++reads[name.filename()];  // there is one thread
      return FileSource::read(name, std::move(memory));
    }
    mutable std::map<std::string, int> reads;
  };
  const TemporaryFolder folder;
  std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 1);
  Job& job = jobs[0];
  const auto add = [&](const char* name, std::string_view text) {
    const fs::path path = folder.path() / "in" / name;
    write_file(path, bytes_of(text), {}, IfExists::fail);
    return path;
  };
  const fs::path label = add("0.txt", "0 0.25 0.25 0.1 0.2\n"), sidecar = add("0.json", "{}");
  const auto rule = std::make_shared<LabelRule>(LabelRule{.format = &yolo_format});
  job.outputs.clear();
  for (const Orientation variant : {Orientation::flop, Orientation::flip, Orientation::identity}) {
    const fs::path stem = folder.path() / "out" / std::string(name(variant));
    job.outputs.push_back({.path = stem.native() + ".png",
                           .variant = variant,
                           .companions = {{.kind = CompanionKind::label,
                                           .input = label,
                                           .output = stem.native() + ".txt",
                                           .rule = rule},
                                          {.kind = CompanionKind::sidecar,
                                           .input = sidecar,
                                           .output = stem.native() + ".json"}}});
  }
  RunOptions options;
  options.memory_bytes = 64 << 20;
  const CountingSource source;
  run(jobs, source, FileSampleWriter({.fsync = Fsync::never}), options, never,
      [&](const Outcome& outcome) {
        INFO(outcome.message);
        CHECK(outcome.status == Status::done);
        REQUIRE(outcome.companions.size() == 2);
        for (const Companion& each : outcome.companions) CHECK(each.content().empty());
      });
  CHECK(source.reads == std::map<std::string, int>{{"0.png", 1}, {"0.txt", 1}, {"0.json", 1}});
  const fs::path out = folder.path() / "out";
  CHECK(content_of(out / "flop.txt") == "0 0.75 0.25 0.1 0.2\n");
  CHECK(content_of(out / "flip.txt") == "0 0.25 0.75 0.1 0.2\n");
  CHECK(content_of(out / "flip.json") == "{}");
}

/// Two pictures in each sample. The first one takes longest.
class Pairs : public SampleReader {
 public:
  Pairs(const std::vector<Job>& jobs, const Source& source)
      : jobs_(jobs), source_(std::shared_ptr<const Source>(), &source) {}
  std::optional<SampleJobs> next() override {
    if (next_ == jobs_.size()) return std::nullopt;
    next_ += 2;
    return SampleJobs{.jobs = {jobs_[next_ - 2], jobs_[next_ - 1]}, .source = source_};
  }

 private:
  const std::vector<Job>& jobs_;
  const std::shared_ptr<const Source> source_;
  std::size_t next_ = 0;
};

TEST_CASE("An ordered writer gets the samples in their order, whichever is done first") {
  struct SlowSource final : FileSource {
    Original read(const fs::path& name, FileBytes memory) const override {
      if (name.filename() == "0.png") std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return FileSource::read(name, std::move(memory));
    }
  };
  const TemporaryFolder folder;
  const SlowSource source;
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    const std::vector<Job> jobs =
        make_jobs(folder, folder.path() / fmt::format("out{}", threads), 20);
    Pairs reader(jobs, source);
    std::vector<std::string> keys, expected;
    const RunEnd end =
        Engine(quarter_turn(threads), never)
            .run(reader, FileSampleWriter({.is_ordered = true, .fsync = Fsync::never}),
                 [&](const Outcome& outcome) { keys.push_back(outcome.key); });
    for (const Job& job : jobs) expected.push_back(job.key);
    CHECK(keys == expected);
    CHECK(end.variants == jobs.size() / 2);
    fs::remove_all(folder.path() / "in");
  }
}

TEST_CASE("If one picture of a sample fails, the others are left out, whatever the writer") {
  const TemporaryFolder folder;
  const FileSource source;
  for (const bool is_ordered : {false, true}) {
    CAPTURE(is_ordered);
    const fs::path out = folder.path() / (is_ordered ? "ordered" : "any");
    const std::vector<Job> jobs = make_jobs(folder, out, 4);
    fs::resize_file(jobs[1].input, 100);
    Pairs reader(jobs, source);
    std::map<std::string, std::string> messages;
    const RunEnd end =
        Engine(quarter_turn(2), never)
            .run(reader, FileSampleWriter({.is_ordered = is_ordered, .fsync = Fsync::never}),
                 [&](const Outcome& outcome) { messages[outcome.key] = outcome.message; });
    CHECK(messages["0.png"] == "left out, because 1.png of the same sample is");
    CHECK_FALSE(messages["1.png"].empty());
    CHECK(messages["2.png"].empty());
    CHECK(end.variants == 1);
    CHECK_FALSE(fs::exists(out / "0.png"));
    CHECK(fs::exists(out / "2.png"));
    CHECK(fs::exists(out / "3.png"));
    fs::remove_all(folder.path() / "in");
  }
}

TEST_CASE("An upright picture is copied byte for byte, and left alone in place") {
  const TemporaryFolder folder;
  std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 1);
  RunOptions options;
  options.memory_bytes = 64 << 20;
  const Outcome copied = run_all(jobs, options).begin()->second;
  CHECK(copied.route == Route::copied);
  CHECK(content_of(copied.output) == content_of(copied.input));

  options.in_place = true;
  jobs[0].outputs[0].path = jobs[0].input;
  const auto before = fs::last_write_time(jobs[0].input);
  const Outcome left = run_all(jobs, options).begin()->second;
  CHECK(left.status == Status::skipped);
  CHECK(left.message == "already upright");
  CHECK(fs::last_write_time(jobs[0].input) == before);
}

TEST_CASE("A damaged upright picture is not copied as if it were whole") {
  const TemporaryFolder folder;
  const std::vector<Job> jobs = make_jobs(folder, folder.path() / "out", 1);
  fs::resize_file(jobs[0].input, fs::file_size(jobs[0].input) - 30);
  RunOptions options;
  options.memory_bytes = 64 << 20;
  const Outcome outcome = run_all(jobs, options).begin()->second;
  CHECK(outcome.status == Status::failed);
  CHECK_FALSE(fs::exists(outcome.output));
}

TEST_CASE("Lanes on the GPU give the files that lanes on the CPU give", "[gpu]") {
  const Devices devices = find_devices();
  if (devices.cuda.empty() || !devices.cuda.front().problem.empty())
    SKIP("no usable GPU: " + devices.cuda_problem);
  const TemporaryFolder folder;
  const auto on_cpu = run_all(make_jobs(folder, folder.path() / "cpu", 20), quarter_turn(3));
  RunOptions options = quarter_turn(3);
  options.device = choose_device("cuda", Work::other);
  for (const auto& [output, outcome] : run_all(again(on_cpu, folder.path() / "cuda"), options)) {
    INFO(outcome.message);
    REQUIRE(outcome.status == Status::done);
    CHECK(content_of(outcome.output) == content_of(folder.path() / "cpu" / outcome.key));
  }
}

}  // namespace pipeline_test
