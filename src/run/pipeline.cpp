#include "src/run/pipeline.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>

#include "src/nvjpeg/device.hpp"
#include "src/run/flight.hpp"

namespace qturn {
namespace {

std::vector<std::unique_ptr<Lane>> make_lanes(const RunOptions& options) {
  std::vector<std::unique_ptr<Lane>> lanes;
  const auto& devices = options.device.cuda;
  // Half of the budget may stay allocated between images.
  const auto count = static_cast<std::size_t>(options.threads);
  const std::size_t keep_bytes = options.memory_bytes / 2 / count;
  for (std::size_t i = 0; i < count; ++i) {
    lanes.push_back(devices.empty() ? make_cpu_lane(keep_bytes)
                                    : make_cuda_lane(devices[i % devices.size()], keep_bytes));
  }
  return lanes;
}

}  // namespace

void run(const std::vector<Job>& jobs, const RunOptions& options, const std::atomic<bool>& stop,
         const std::function<void(const Outcome&)>& report) {
  SpareBytes spare(options.memory_bytes / 16);
  std::unique_ptr<PlanarDevice> device;
  if (options.jpeg.mode != JpegMode::lossless && !options.device.cuda.empty()) {
    device = make_nvjpeg_device(options.device.cuda, spare, stop);
  }
  // Pictures that a device works on wait for it on threads of their own.
  auto in_flight = static_cast<std::size_t>(options.threads);
  if (device) in_flight += nvjpeg_requests_per_device * options.device.cuda.size();
  Seats seats(options.threads);
  LanePool lanes(make_lanes(options));
  Budgets budgets{ByteBudget(options.memory_bytes / 8),
                  ByteBudget(options.memory_bytes - options.memory_bytes / 8)};

  std::size_t next = 0;
  const auto take_job = [&](tbb::flow_control& flow) -> Flight* {
    if (next == jobs.size() || stop) {
      flow.stop();
      return nullptr;
    }
    return new Flight(jobs[next++], options, stop, budgets, spare, seats, lanes, device.get());
  };
  const auto fly = [&](Flight* flight) {
    seats.seated([&] {
      flight->read();
      flight->decode();
      flight->write_outputs();
    });
    return flight;
  };
  const auto finish = [&](Flight* flight) {
    const std::unique_ptr<Flight> owner(flight);
    for (const Outcome& outcome : std::move(*flight).outcomes()) report(outcome);
  };

  using tbb::filter_mode;
  const tbb::global_control as_many_threads(tbb::global_control::max_allowed_parallelism,
                                            in_flight);
  tbb::task_arena arena(static_cast<int>(in_flight));
  arena.execute([&] {
    tbb::parallel_pipeline(
        in_flight, tbb::make_filter<void, Flight*>(filter_mode::serial_in_order, take_job) &
                       tbb::make_filter<Flight*, Flight*>(filter_mode::parallel, fly) &
                       tbb::make_filter<Flight*, void>(filter_mode::serial_out_of_order, finish));
  });
}

}  // namespace qturn
