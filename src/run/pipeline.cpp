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

#include "src/jpeg_cuda/scan_device.hpp"
#include "src/run/flight.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {
namespace {

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

std::string sentence_of(const std::exception_ptr& error) try {
  std::rethrow_exception(error);
} catch (const std::exception& known) {
  return reason(known);
}

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

RunEnd run(const JobView& jobs, const Source& source, const Sink& sink, const RunOptions& options,
           const std::atomic<bool>& stop, const std::function<void(const Outcome&)>& report) {
  require_memory_for_a_stack();
  const std::size_t requests = options.device.cuda.size() * scan_requests_per_device;
  // The file and a result of each picture that may be in flight.
  SpareBytes spare(options.memory_bytes / 16,
                   2 * (static_cast<std::size_t>(options.threads) + requests));
  LanePool lanes(make_lanes(options));
  ByteBudget files(options.memory_bytes / 8);
  ByteBudget pixels(options.memory_bytes - options.memory_bytes / 8, [&](std::uint64_t bytes) {
    spare.keep_at_most(bytes - std::min(bytes, lanes.keep_at_most(bytes)));
  });
  TimeLimit time_limit(stop, options.seconds, [&] {
    files.interrupt();
    pixels.interrupt();
  });
  const std::unique_ptr<JpegDevice> device = make_jpeg_device(options, spare, stop);
  Shared shared{.source = source,
                .sink = sink,
                .options = options,
                .stop = stop,
                .time_limit = time_limit,
                .spare = spare,
                .device = device.get(),
                .files = files,
                .pixels = pixels,
                .lanes = lanes};
  // Pictures that wait for a device or for the disk hold no thread.
  auto in_flight = static_cast<std::size_t>(options.threads + sink.results_on_their_way());
  if (device) in_flight += requests;
  in_flight = std::min(in_flight, std::max<std::size_t>(jobs.size(), 1));

  RunEnd end{.error = {}, .warning = time_limit.problem()};
  const int wanted = static_cast<int>(std::min<std::size_t>(options.threads, in_flight)) - 1;
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
    jobs.give_up();
  };
  using Picture = std::shared_ptr<Flight>;
  std::size_t next = 0;
  const auto take = [&](tbb::flow_control& control) -> Picture {
    try {
      if (!stop && !is_broken && jobs.has(next))
        return std::make_shared<Flight>(jobs[next++], shared);
    } catch (...) {
      break_off();
    }
    control.stop();
    return {};
  };
  const auto turn = [&](Picture picture) -> Picture {
    try {
      picture->read();
      picture->decode();
      picture->write_outputs();
      picture->put_in_place();
    } catch (...) {
      break_off();
    }
    return picture;
  };
  const auto tell = [&](const Picture& picture) {
    try {
      for (const Outcome& outcome : std::move(*picture).outcomes()) report(outcome);
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
          in_flight, tbb::make_filter<void, Picture>(filter_mode::serial_in_order, take) &
                         tbb::make_filter<Picture, Picture>(filter_mode::parallel, turn) &
                         tbb::make_filter<Picture, void>(filter_mode::serial_out_of_order, tell));
    });
  } catch (const std::exception&) {  // oneTBB was refused a thread that was to be had before
    break_off();
  }
  if (error) end.error = sentence_of(error);
  return end;
}

}  // namespace qturn
