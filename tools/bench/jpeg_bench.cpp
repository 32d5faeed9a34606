#include "tools/bench/jpeg_bench.hpp"

#include <fmt/format.h>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/gpu/scan_device.hpp"
#include "src/plan/plan.hpp"
#include "src/run/limits.hpp"
#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/turn/picture_turn.hpp"
#include "tools/bench/busy_gpu.hpp"
#include "tools/bench/jpeg_device_bench.hpp"
#include "tools/bench/jpeg_parts_bench.hpp"
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

/// The time of all threads, the system's work for them included.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Measures steps that follow each other.
class Laps {
 public:
  void begin() { since_ = Clock::now(); }
  void lap(double& seconds) {
    const auto now = Clock::now();
    seconds += std::chrono::duration<double>(now - since_).count();
    since_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_;
};

constexpr int rounds = 5;

/// What a core does for a photograph that a GPU turns losslessly, step by step, with no other work.
/// What the GPU makes takes the place of the file: the same data with a turned header.
void measure_lossless_steps(const std::vector<fs::path>& photographs, const fs::path& work) {
  const std::atomic<bool> never = false;
  double read = 0, header = 0, finish = 0, write = 0, bytes = 0;
  FileBytes memory;
  std::size_t count = 0;
  Laps laps;
  for (int round = 0; round < rounds; ++round) {
    for (const fs::path& photograph : photographs) {
      laps.begin();
      Original file = FileSource().read(photograph, std::move(memory));
      laps.lap(read);
      PictureTurn picture(file.bytes, ".jpg", {});
      const auto request = picture.request(std::array{Orientation::rotate90});
      laps.lap(header);
      if (request) {
        JpegMade made{.pictures = {}, .data_bytes = request->data.size()};
        made.pictures.emplace_back(request->head(0, nullptr));
        made.pictures.front().append(request->data);
        laps.begin();
        picture.accept(*request, std::move(made));
        std::vector<std::string> warnings;
        const FileBytes turned = picture.turn(Orientation::rotate90, never, warnings);
        laps.lap(finish);
        write_file(work / "written.jpg", turned, photograph, IfExists::replace);
        laps.lap(write);
        bytes += static_cast<double>(file.bytes.size());
        ++count;
      }
      memory = std::move(file.bytes);
    }
  }
  if (count == 0) return say("no photograph is turned losslessly by a quarter on a GPU");
  fs::remove(work / "written.jpg");
  const auto ms = [&](double seconds) { return 1e3 * seconds / static_cast<double>(count); };
  say(fmt::format(
      "one core, ms a photograph of {:.2f} MB that is turned losslessly: read and hash "
      "{:.2f}, header {:.2f}, metadata {:.2f}, hash and write {:.2f}",
      bytes / 1e6 / static_cast<double>(count), ms(read), ms(header), ms(finish), ms(write)));
}

struct Rates {
  double images = 0, megabytes = 0, cpu_ms = 0;
  double first_after = 0;  ///< seconds
  double then = 0;         ///< images per second after that
  std::uint64_t failed = 0, planar_on_gpu = 0, lossless = 0;
};

Orientation orientation_named(const std::string& wanted) {
  const auto* const found = std::ranges::find(
      all_orientations, wanted, [](Orientation each) { return std::string(name(each)); });
  if (found == std::end(all_orientations)) {
    throw std::invalid_argument(wanted + " is not an operation");
  }
  return *found;
}

/// Puts so many copies of the photographs into `folder`.
void lay_out(const std::vector<fs::path>& photographs, const fs::path& folder, int files) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> copying;
  for (int i = 0; i < available_cores(); ++i) {
    copying.emplace_back([&] {
      for (int n = next++; n < files; n = next++) {
        const fs::path& photograph = photographs[static_cast<std::size_t>(n) % photographs.size()];
        fs::copy_file(photograph, folder / fmt::format("{:05}.jpg", n),
                      fs::copy_options::overwrite_existing);
      }
    });
  }
}

/// Reads and writes every file; `threads` at a time. Each thread has `buffers` for the files and
/// takes one after the other: with many, no cache has what was in one before. Returns images and
/// megabytes per second.
Rates copy_all(const fs::path& in, const fs::path& out, int threads, std::size_t buffers) {
  PlanOptions planned;
  planned.inputs = {in};
  planned.output = out;
  const Plan plan = qturn::plan(planned);
  fs::create_directories(out);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> copying;
    for (int i = 0; i < threads; ++i) {
      copying.emplace_back([&] {
        std::vector<Bytes> files(buffers);
        std::size_t turn = 0;
        for (std::size_t n = next++; n < plan.jobs.size(); n = next++) {
          const Job job = plan.jobs[n];
          Bytes& file = files[turn++ % buffers];
          file = read_file(job.input, std::move(file));
          std::ofstream(job.outputs.front().path, std::ios::binary)
              .write(reinterpret_cast<const char*>(file.data()),
                     static_cast<std::streamsize>(file.size()));
          bytes += file.size();
        }
      });
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fs::remove_all(out);
  Rates rates;
  rates.images = static_cast<double>(plan.jobs.size()) / seconds;
  rates.megabytes = static_cast<double>(bytes) / 1e6 / seconds;
  return rates;
}

/// This many photographs do not fit the cores' caches.
constexpr std::size_t uncached_buffers = 16;

/// The fastest copy of the folder that more or fewer threads make.
double measure_copy(const fs::path& in, const fs::path& out) {
  double best = 0;
  const int cores = available_cores();
  copy_all(in, out, cores, 1);  // files and memory are cold
  for (const int threads : {cores / 2, cores, 2 * cores}) {
    const Rates rates = copy_all(in, out, std::max(threads, 1), 1);
    say(fmt::format("copy, {} threads: {:.0f} images/s, {:.0f} MB/s", std::max(threads, 1),
                    rates.images, rates.megabytes));
    best = std::max(best, rates.images);
  }
  // A picture that a GPU turns passes through such memory: as much of it is in use.
  const Rates uncached = copy_all(in, out, cores, uncached_buffers);
  say(
      fmt::format("copy, {} threads, each through {} buffers in turn: {:.0f} images/s, {:.1f} % of "
                  "the fastest copy",
                  cores, uncached_buffers, uncached.images, 100 * uncached.images / best));
  return best;
}

/// `echo` instead of a device turns nothing.
Rates turn_all(const fs::path& in, const fs::path& out, Orientation orientation, JpegMode mode,
               const DeviceChoice& device, JpegDevice* echo) {
  PlanOptions planned;
  planned.inputs = {in};
  planned.output = out;
  const Plan plan = qturn::plan(planned);
  RunOptions options;
  options.orientation = orientation;
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
  const FileSampleWriter writer({.fsync = Fsync::end});
  const FileSource files;
  ListReader reader(plan.jobs, files);
  const auto count = [&](const Outcome& outcome) {
    if (rates.first_after == 0) rates.first_after = seconds_since_start();
    rates.failed += outcome.status == Status::failed;
    rates.lossless += outcome.route == Route::lossless;
    rates.planar_on_gpu += outcome.codec == "qturn";
    bytes += static_cast<double>(outcome.file_bytes);
  };
  const RunEnd end = Engine(options, never, echo).run(reader, writer, count);
  if (!end.error.text.empty()) throw std::runtime_error(end.error.text);
  const double seconds = seconds_since_start();
  rates.images = static_cast<double>(plan.jobs.size()) / seconds;
  rates.then = static_cast<double>(plan.jobs.size() - 1) / (seconds - rates.first_after);
  rates.megabytes = bytes / 1e6 / seconds;
  rates.cpu_ms = 1e3 * (cpu_seconds() - cpu_before) / static_cast<double>(plan.jobs.size());
  fs::remove_all(out);
  return rates;
}

}  // namespace

void measure_jpeg(const JpegChoice& choice) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // as qturn does
  const std::vector<fs::path> photographs = photographs_in(choice.photographs);
  const DeviceChoice device = choose_device(choice.device, Work::many_jpegs);
  const Machine machine = device.cuda.empty() ? this_cpu() : this_gpu(device.cuda.front());
  say(fmt::format("{}, {}, {} threads; {}, commit {}", machine.device, machine.driver,
                  available_cores(), machine.date, machine.commit));

  const auto wanted = [&](const char* route) {
    return std::ranges::find(choice.routes, route) != choice.routes.end();
  };
  if (!device.cuda.empty() && (wanted("gpu") || wanted("gpu-parts"))) {
    std::vector<Bytes> files;
    for (const fs::path& photograph : photographs) files.push_back(read_file(photograph));
    for (const std::string& operation : choice.operations) {
      const Orientation orientation = orientation_named(operation);
      if (wanted("gpu")) measure_jpeg_on_device(files, orientation, device.cuda.front());
      if (wanted("gpu-parts")) measure_jpeg_parts(files, orientation, device.cuda.front());
    }
  }

  const fs::path in = choice.work / "in", out = choice.work / "out";
  fs::remove_all(out);
  fs::create_directories(in);
  if (wanted("steps")) {
    measure_lossless_steps(photographs, choice.work);
  }
  lay_out(photographs, in, choice.files);
  const double copies = wanted("copy") ? measure_copy(in, out) : 0;
  struct Way {
    const char* name;
    JpegMode mode;
    DeviceChoice device;
    JpegDevice* echo = nullptr;
  };
  const std::atomic<bool> never = false;
  SpareBytes spare(available_memory() / 64, 2 * scan_requests_per_device);
  std::unique_ptr<JpegDevice> echo;
  if (wanted("echo") && !device.cuda.empty()) {
    echo = make_scan_device(device.cuda,
                            {.page_locked_bytes = available_memory() / 16, .runs_kernels = false},
                            spare, never);
  }
  const DeviceChoice cpu{{}, "asked for"};
  for (const std::string& operation : choice.operations) {
    const Orientation orientation = orientation_named(operation);
    for (const Way& way :
         {Way{"echo", JpegMode::lossless, device, echo.get()},
          Way{"lossless", JpegMode::lossless, device}, Way{"lossless-cpu", JpegMode::lossless, cpu},
          Way{"planar", JpegMode::planar, device}, Way{"planar-cpu", JpegMode::planar, cpu}}) {
      if (!wanted(way.name)) continue;
      // In the first run files and memory are cold.
      turn_all(in, out, orientation, way.mode, way.device, way.echo);
      const BusyGpu busy(way.device.cuda);
      const Rates rates = turn_all(in, out, orientation, way.mode, way.device, way.echo);
      std::string line = fmt::format(
          "{} {}: {:.0f} images/s, {:.0f} MB/s, {:.1f} ms of CPU each; the first after {:.2f} s, "
          "{:.0f} images/s from then on",
          way.name, operation, rates.images, rates.megabytes, rates.cpu_ms, rates.first_after,
          rates.then);
      if (copies > 0) {
        line += fmt::format("; {:.1f} and {:.1f} % of the copy", 100 * rates.images / copies,
                            100 * rates.then / copies);
      }
      if (const std::string how = busy.sentence(); !how.empty()) line += "; " + how;
      if (way.mode == JpegMode::lossless) line += fmt::format(", {} lossless", rates.lossless);
      if (way.mode == JpegMode::planar)
        line += fmt::format(", {} by planes on the GPU", rates.planar_on_gpu);
      if (rates.failed > 0) line += fmt::format(", {} FAILED", rates.failed);
      say(line);
    }
  }
  fs::remove_all(in);
}

}  // namespace qturn::bench
