#include "tools/bench/jpeg_bench.hpp"

#include <fmt/format.h>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "src/formats/jpeg/hardware/hardware.hpp"
#include "src/nvjpeg/batches.hpp"
#include "src/nvjpeg/decode_rate.hpp"
#include "src/run/limits.hpp"
#include "src/run/pipeline.hpp"
#include "src/store/safe_file.hpp"
#include "tools/bench/machine.hpp"

namespace qturn::bench {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_each = 3;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::vector<fs::path> photographs_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix == ".jpg" || suffix == ".jpeg") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (files.empty()) throw std::invalid_argument(folder.string() + " has no .jpg files");
  return files;
}

/// Of all threads, the system's work for them included.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What a core does for a photograph that a GPU turns, step by step, with no other work.
void measure_steps(const std::vector<fs::path>& photographs, const fs::path& work) {
  const std::atomic<bool> never = false;
  using Clock = std::chrono::steady_clock;
  std::array<double, 3> seconds{};
  std::size_t step = 0;
  Clock::time_point since;
  const auto lap = [&] {
    const auto now = Clock::now();
    seconds[step++] += std::chrono::duration<double>(now - since).count();
    since = now;
  };
  constexpr int rounds = 5;
  double bytes = 0;
  Bytes file;
  for (int round = 0; round < rounds; ++round) {
    for (const fs::path& photograph : photographs) {
      step = 0;
      since = Clock::now();
      file = read_file(photograph, std::move(file));
      lap();
      const auto jpeg = HardwareJpeg::of(file, never);
      lap();
      write_file(work / "written.jpg", file, photograph, IfExists::replace);
      lap();
      bytes += static_cast<double>(file.size());
    }
  }
  fs::remove(work / "written.jpg");
  const double count = rounds * static_cast<double>(photographs.size());
  say(fmt::format(
      "one core, ms a photograph of {:.2f} MB: read {:.2f}, header and walk {:.2f}, write {:.2f}",
      bytes / 1e6 / count, 1e3 * seconds[0] / count, 1e3 * seconds[1] / count,
      1e3 * seconds[2] / count));
}

struct Rates {
  double images = 0, megabytes = 0, cpu_ms = 0;
  double first_after = 0;  ///< seconds
  double then = 0;         ///< images per second, without those that were begun before the first
  std::uint64_t failed = 0, by_nvjpeg = 0;
};

Rates turn_all(const fs::path& in, const fs::path& out, JpegMode mode, const DeviceChoice& device) {
  PlanOptions planned;
  planned.inputs = {in};
  planned.output = out;
  const Plan plan = qturn::plan(planned);
  RunOptions options;
  options.orientation = Orientation::rotate90;
  options.threads = available_cores();
  options.memory_bytes = available_memory() / 4;
  options.device = device;
  options.jpeg.mode = mode;
  const std::atomic<bool> never = false;
  Rates rates;
  double bytes = 0;
  const double cpu_before = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds_since_start = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const FileSink sink({});
  const RunEnd end =
      run(plan.jobs, FileSource(), sink, options, never, [&](const Outcome& outcome) {
        if (rates.first_after == 0) rates.first_after = seconds_since_start();
        rates.failed += outcome.status == Status::failed;
        rates.by_nvjpeg += outcome.codec == "nvjpeg";
        bytes += static_cast<double>(outcome.file_bytes);
      });
  if (!end.error.empty()) throw std::runtime_error(end.error);
  const double seconds = seconds_since_start();
  rates.images = static_cast<double>(plan.jobs.size()) / seconds;
  // The first picture of a batch is done when the whole batch is decoded.
  const std::size_t begun = rates.by_nvjpeg > 0 ? BatchLimits{}.count * device.cuda.size() : 1;
  rates.then = static_cast<double>(plan.jobs.size() - std::min(begun, plan.jobs.size())) /
               (seconds - rates.first_after);
  rates.megabytes = bytes / 1e6 / seconds;
  rates.cpu_ms = 1e3 * (cpu_seconds() - cpu_before) / static_cast<double>(plan.jobs.size());
  fs::remove_all(out);
  return rates;
}

}  // namespace

void measure_jpeg(const JpegChoice& choice) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // as qturn does
  const std::vector<fs::path> photographs = photographs_in(choice.photographs);
  const DeviceChoice device = choose_device(choice.device, Work::reencodes_jpegs);
  const Machine machine = device.cuda.empty() ? this_cpu() : this_gpu(device.cuda.front());
  say(fmt::format("{}, {}, {} threads; {}, commit {}", machine.device, machine.driver,
                  available_cores(), machine.date, machine.commit));

  double bound = 0;
  const auto wanted = [&](const char* route) {
    return std::ranges::find(choice.routes, route) != choice.routes.end();
  };
  if (wanted("decode") && !device.cuda.empty()) {
    std::vector<Bytes> files;
    for (const fs::path& photograph : photographs) files.push_back(read_file(photograph));
    struct Batch {
      std::size_t count;
      int at_a_time;
    };
    for (const auto [count, at_a_time] : {Batch{64, 1}, {64, 2}, {128, 1}, {256, 1}}) {
      const double rate = nvjpeg_decode_rate(device.cuda, files, count, at_a_time, seconds_each);
      say(fmt::format("decode alone, batches of {}, {} at a time: {:.0f} images/s", count,
                      at_a_time, rate));
      bound = std::max(bound, rate);
    }
  }

  const fs::path in = choice.work / "in", out = choice.work / "out";
  fs::remove_all(out);
  fs::create_directories(in);
  if (wanted("steps")) measure_steps(photographs, choice.work);
  for (int i = 0; i < choice.files; ++i) {
    const fs::path& photograph = photographs[static_cast<std::size_t>(i) % photographs.size()];
    fs::copy_file(photograph, in / fmt::format("{:05}.jpg", i),
                  fs::copy_options::overwrite_existing);
  }
  struct Way {
    const char* name;
    JpegMode mode;
    DeviceChoice device;
  };
  const DeviceChoice cpu{{}, "asked for"};
  for (const Way& way : {Way{"planar", JpegMode::planar, device},
                         {"fastest", JpegMode::fastest, device},
                         {"planar-cpu", JpegMode::planar, cpu},
                         {"lossless", JpegMode::lossless, cpu}}) {
    if (!wanted(way.name)) continue;
    // In the first run files and memory are cold.
    turn_all(in, out, way.mode, way.device);
    const Rates rates = turn_all(in, out, way.mode, way.device);
    std::string line = fmt::format(
        "{}: {:.0f} images/s, {:.0f} MB/s, {:.1f} ms of CPU each; the first after {:.2f} s, {:.0f} "
        "images/s from then on",
        way.name, rates.images, rates.megabytes, rates.cpu_ms, rates.first_after, rates.then);
    if (bound > 0) {
      line += fmt::format("; {:.1f} and {:.1f} % of decoding alone", 100 * rates.images / bound,
                          100 * rates.then / bound);
    }
    if (rates.by_nvjpeg > 0) line += fmt::format(", {} by nvJPEG", rates.by_nvjpeg);
    if (rates.failed > 0) line += fmt::format(", {} FAILED", rates.failed);
    say(line);
  }
  fs::remove_all(in);
}

}  // namespace qturn::bench
