#include "src/run/pipeline.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <memory>
#include <thread>

#include "src/gpu/device.hpp"
#include "src/gpu/scan_device.hpp"
#include "src/run/flight.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {
namespace {

/// The memory for files that have been read; the rest is for pixels.
std::uint64_t bytes_for_files(const RunOptions& options) { return options.memory_bytes / 8; }

/// How many JPEGs all GPUs may have at a time.
std::size_t device_requests(const RunOptions& options) {
  return options.device.cuda.size() * scan_requests_per_device;
}

std::vector<std::unique_ptr<Lane>> make_lanes(const RunOptions& options) {
  std::vector<std::unique_ptr<Lane>> lanes;
  const auto& devices = options.device.cuda;
  // Up to half of the budget stays allocated between images.
  const auto count = static_cast<std::size_t>(options.threads);
  const std::size_t keep_bytes = options.memory_bytes / 2 / count;
  for (std::size_t i = 0; i < count; ++i) {
    lanes.push_back(devices.empty() || options.device.only_jpegs
                        ? make_cpu_lane(keep_bytes)
                        : make_cuda_lane(devices[i % devices.size()], keep_bytes));
  }
  return lanes;
}

std::unique_ptr<JpegDevice> make_jpeg_device(const RunOptions& options, SpareBytes& spare,
                                             const std::atomic<bool>& stop) {
  const auto& devices = options.device.cuda;
  if (devices.empty() || options.tag_only || options.plan_only || options.decode_only) return {};
  return make_scan_device(devices, {.page_locked_bytes = options.memory_bytes / 4}, spare, stop);
}

/// With 16, a sample that takes ten times as long as those after it keeps no core idle.
constexpr std::size_t ordered_per_thread = 16;

Sentence reason_of(const std::exception_ptr& error) try {
  std::rethrow_exception(error);
} catch (const std::exception& known) {
  return reason(known);
}

/// Lends the memory of finished files to the reader and the writer while a run lasts.
class SpareBytesLoan {
 public:
  SpareBytesLoan(SampleReader& reader, const SampleWriter& writer, SpareBytes& spare)
      : reader_(reader), writer_(writer) {
    reader_.reuse(&spare);
    writer_.reuse(&spare);
  }
  ~SpareBytesLoan() {
    reader_.reuse(nullptr);
    writer_.reuse(nullptr);
  }
  SpareBytesLoan(const SpareBytesLoan&) = delete;
  SpareBytesLoan& operator=(const SpareBytesLoan&) = delete;

 private:
  SampleReader& reader_;
  const SampleWriter& writer_;
};

/// How many threads the system starts besides the caller's, at most `wanted`. oneTBB ends the
/// program if it is refused one.
int threads_to_be_had(int wanted, std::string& refusal) {
  std::latch asked(1);  // outlives the threads that wait for it
  std::vector<std::jthread> threads;
  try {
    while (std::ssize(threads) < wanted) threads.emplace_back([&] { asked.wait(); });
  } catch (const std::exception& error) {  // also if there is no memory
    refusal = error.what();
  }
  asked.count_down();
  return static_cast<int>(threads.size());
}

}  // namespace

Engine::Engine(const RunOptions& options, const std::atomic<bool>& stop, JpegDevice* jpeg_device)
    : options_(options),
      stop_(stop),
      // Two buffers for each picture that may be in flight: its file and one result.
      spare_(options.memory_bytes / 16,
             2 * (static_cast<std::size_t>(options.threads) + device_requests(options))),
      lanes_(make_lanes(options)),
      files_(bytes_for_files(options)),
      pixels_(options.memory_bytes - bytes_for_files(options),
              [&](std::uint64_t bytes) {
                spare_.keep_at_most(bytes - std::min(bytes, lanes_.keep_at_most(bytes)));
              }),
      time_limit_(stop, options.seconds,
                  [&] {
                    files_.interrupt();
                    pixels_.interrupt();
                  }),
      own_device_(jpeg_device ? nullptr : make_jpeg_device(options, spare_, stop)),
      device_(jpeg_device ? jpeg_device : own_device_.get()) {}

std::size_t Engine::most_in_flight(const SampleReader& reader, const SampleWriter& writer) const {
  const auto threads = static_cast<std::size_t>(options_.threads);
  // Pictures that wait for a device or for the disk hold no thread.
  std::size_t count = threads + static_cast<std::size_t>(writer.results_on_their_way());
  if (device_) count += device_requests(options_);
  // Samples that are turned and wait for an earlier one hold no thread, either.
  if (writer.is_ordered()) count += ordered_per_thread * threads;
  return std::min(count, std::max<std::size_t>(reader.size(), 1));
}

RunEnd Engine::run(SampleReader& reader, const SampleWriter& writer,
                   const std::function<void(const Outcome&)>& report) {
  require_memory_for_a_stack();
  const SpareBytesLoan loan(reader, writer, spare_);
  SharedStems stems;
  Shared shared{.writer = writer,
                .options = options_,
                .stop = stop_,
                .time_limit = time_limit_,
                .spare = spare_,
                .device = device_,
                .files = files_,
                .pixels = pixels_,
                .lanes = lanes_,
                .stems = options_.shared_stems ? *options_.shared_stems : stems};
  const std::size_t in_flight = most_in_flight(reader, writer);
  RunEnd end{.error = {}, .warning = time_limit_.problem()};
  const int wanted = static_cast<int>(std::min<std::size_t>(options_.threads, in_flight)) - 1;
  std::string refusal;
  const int more = threads_to_be_had(wanted, refusal);
  if (more < wanted)
    end.warning =
        fmt::format("only {} of {} threads could be started: {}", more + 1, wanted + 1, refusal);

  // An exception in a filter would end the pictures that are in flight. So it becomes a value.
  std::atomic<bool> is_broken = false;
  std::exception_ptr error;  // written once, by whoever breaks it
  const auto break_off = [&] {
    if (!is_broken.exchange(true)) error = std::current_exception();
  };
  using Sample = std::shared_ptr<SampleFlight>;
  const auto take = [&](tbb::flow_control& control) -> Sample {
    try {
      if (!stop_ && !is_broken)
        if (auto sample = reader.next(); sample && !is_broken)
          return std::make_shared<SampleFlight>(std::move(*sample), shared);
    } catch (...) {
      break_off();
    }
    control.stop();
    return {};
  };
  std::atomic<std::uint64_t> variants = 0;
  const auto turn = [&](Sample sample) -> Sample {
    try {
      sample->turn();
      if (!writer.is_ordered()) variants += sample->put_in_place();
    } catch (...) {
      break_off();
    }
    return sample;
  };
  bool has_gap = false;
  const auto tell = [&](const Sample& sample) {
    try {
      has_gap = has_gap || is_broken || sample->is_interrupted();
      if (writer.is_ordered() && has_gap) return;
      if (writer.is_ordered()) variants += sample->put_in_place();
      for (const Outcome& outcome : std::move(*sample).outcomes()) report(outcome);
    } catch (...) {
      break_off();
    }
  };
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(more) + 1);
  try {
    tbb::task_arena(more + 1).execute([&] {
      using tbb::filter_mode;
      tbb::parallel_pipeline(
          in_flight,
          tbb::make_filter<void, Sample>(filter_mode::serial_in_order, take) &
              tbb::make_filter<Sample, Sample>(filter_mode::parallel, turn) &
              tbb::make_filter<Sample, void>(writer.is_ordered() ? filter_mode::serial_in_order
                                                                 : filter_mode::serial_out_of_order,
                                             tell));
    });
  } catch (const std::exception&) {  // oneTBB was refused a thread that was available before
    break_off();
  }
  end.variants = variants;
  if (error) end.error = reason_of(error);
  return end;
}

}  // namespace qturn
