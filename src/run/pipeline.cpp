#include "src/run/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "src/jpeg_cuda/scan_device.hpp"
#include "src/run/flight.hpp"

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

/// Runs `work` on this thread and on `others` more, and waits for all of them. The system may
/// refuse threads (no memory, a limit). Then those that there are do the work, and a warning is
/// returned.
template <typename Work>
std::string run_on_threads(std::size_t others, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(others);
  std::exception_ptr refusal;
  try {
    while (threads.size() < others) threads.emplace_back(work);
  } catch (...) {
    refusal = std::current_exception();
  }
  work();
  if (!refusal) return {};
  return fmt::format("only {} of {} threads could be started: {}", threads.size() + 1, others + 1,
                     sentence_of(refusal));
}

}  // namespace

RunEnd run(const JobView& jobs, const Source& source, const Sink& sink, const RunOptions& options,
           const std::atomic<bool>& stop, const std::function<void(const Outcome&)>& report) {
  TimeLimit time_limit(stop, options.seconds);
  const std::size_t requests = options.device.cuda.size() * scan_requests_per_device;
  // The file and a result of each picture that may be in flight.
  SpareBytes spare(options.memory_bytes / 16,
                   2 * (static_cast<std::size_t>(options.threads) + requests));
  const std::unique_ptr<JpegDevice> device = make_jpeg_device(options, spare, stop);
  // Pictures wait for a device, and results for the disk, on threads of their own.
  auto in_flight = static_cast<std::size_t>(options.threads + sink.results_on_their_way());
  if (device) in_flight += requests;
  Shared shared{.source = source,
                .sink = sink,
                .options = options,
                .stop = stop,
                .time_limit = time_limit,
                .spare = spare,
                .device = device.get(),
                .files = ByteBudget(options.memory_bytes / 8),
                .pixels = ByteBudget(options.memory_bytes - options.memory_bytes / 8,
                                     [&](std::uint64_t bytes) {
                                       const std::uint64_t lanes = shared.lanes.keep_at_most(bytes);
                                       spare.keep_at_most(bytes - std::min(bytes, lanes));
                                     }),
                .seats = Seats(options.threads),
                .lanes = LanePool(make_lanes(options))};

  std::mutex mutex;  // guards the calls of `report`, and `error`
  std::exception_ptr error;
  std::mutex taking;  // guards `next`. A stream may wait for calls of `report`
  std::size_t next = 0;
  const auto take_job = [&]() -> std::optional<std::size_t> {
    const auto is_over = [&] {
      const std::lock_guard lock(mutex);
      return stop || error;
    };
    const std::lock_guard lock(taking);
    return is_over() || !jobs.has(next) ? std::nullopt : std::optional(next++);
  };
  const auto work = [&] {
    try {
      for (;;) {
        std::optional<Flight> flight;
        shared.seats.seated([&] {
          // A stream may wait for pictures that need the seat.
          const auto taken = jobs.is_stream() ? shared.seats.away(take_job) : take_job();
          if (!taken) return;
          flight.emplace(jobs[*taken], shared);
          flight->read();
          flight->decode();
          flight->write_outputs();
        });
        if (!flight) return;
        flight->put_in_place();
        const std::lock_guard lock(mutex);
        for (const Outcome& outcome : std::move(*flight).outcomes()) report(outcome);
      }
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      jobs.give_up();
    }
  };

  RunEnd end{.error = {}, .warning = time_limit.problem()};
  // No more than there are pictures: a thread that finds nothing to do is started in vain.
  const std::string fewer =
      run_on_threads(std::min(in_flight, std::max<std::size_t>(jobs.size(), 1)) - 1, work);
  if (!fewer.empty()) end.warning = fewer;
  if (error) end.error = sentence_of(error);
  return end;
}

}  // namespace qturn
