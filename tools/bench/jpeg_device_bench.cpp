#include "tools/bench/jpeg_device_bench.hpp"

#include <fmt/format.h>
#include <qturn/jpeg_cuda.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/jpeg/src/enqueue.hpp"
#include "kernels/jpeg/src/plan.hpp"
#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/jpeg_batch.hpp"

namespace qturn::bench {
namespace {

constexpr int rounds = 7;
constexpr std::array stages = {"clear", "unstuff", "synchronise", "read", "write", "stuff"};

/// Pictures in device memory, and what turning them takes.
class Batch {
 public:
  Batch(std::span<const AskedJpeg> asked, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const JpegRequest& request = asked[i % asked.size()].request;
      JpegScanTurn turn = request.lossless.front();
      turn.data = pictures_.copy(request.data);
      turn.bytes = request.data.size();
      turn.capacity = turned_capacity(turn.bytes);
      turn.out = pictures_.take(turn.capacity);
      turns_.push_back(turn);
      bytes_ += static_cast<double>(turn.bytes);
    }
    workspace_.emplace(jpeg_workspace(turns_.data(), count), count);
  }

  void enqueue() {
    turn_jpegs(turns_.data(), turns_.size(), workspace_->device(), workspace_->host(),
               workspace_->results(), stream_);
  }

  /// Throws if the GPU gave a picture up.
  void wait() {
    must(cudaStreamSynchronize(stream_));
    for (std::size_t i = 0; i < turns_.size(); ++i)
      must_have_no_faults(workspace_->results()[i].faults);
  }

  /// The milliseconds of each stage, and of all of them.
  std::vector<double> milliseconds_of_stages() {
    std::vector<cudaEvent_t> events(stages.size() + 1);
    for (cudaEvent_t& event : events) must(cudaEventCreate(&event));
    std::byte* const device = workspace_->device();
    jpeg::Plan plan =
        jpeg::plan(turns_.data(), turns_.size(), workspace_->results(), device, workspace_->host());
    plan.batch.stream = stream_;
    must(cudaEventRecord(events[0], stream_));
    jpeg::enqueue_plan(plan.batch, plan, device, workspace_->host());
    must(cudaEventRecord(events[1], stream_));
    jpeg::unstuff(plan.batch);
    must(cudaEventRecord(events[2], stream_));
    jpeg::synchronise(plan.batch);
    must(cudaEventRecord(events[3], stream_));
    jpeg::read_coefficients(plan.batch, jpeg::shared_bytes_for_reading());
    must(cudaEventRecord(events[4], stream_));
    jpeg::write_codes(plan.batch);
    must(cudaEventRecord(events[5], stream_));
    jpeg::stuff(plan.batch);
    must(cudaEventRecord(events[6], stream_));
    wait();
    std::vector<double> milliseconds;
    float passed = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      must(cudaEventElapsedTime(&passed, events[i], events[i + 1]));
      milliseconds.push_back(passed);
    }
    must(cudaEventElapsedTime(&passed, events.front(), events.back()));
    milliseconds.push_back(passed);
    for (cudaEvent_t event : events) cudaEventDestroy(event);
    return milliseconds;
  }

  double megabytes_of_a_picture() const {
    return bytes_ / 1e6 / static_cast<double>(turns_.size());
  }

 private:
  Pieces pictures_;
  std::optional<Workspace<JpegResult>> workspace_;
  std::vector<JpegScanTurn> turns_;
  GpuStream stream_;
  double bytes_ = 0;
};

void measure_stages(std::span<const AskedJpeg> asked, std::size_t count) {
  Batch batch(asked, count);
  std::vector<std::vector<double>> each(stages.size() + 1);
  for (int round = -2; round < rounds; ++round) {
    const std::vector<double> milliseconds = batch.milliseconds_of_stages();
    for (std::size_t i = 0; round >= 0 && i < each.size(); ++i) each[i].push_back(milliseconds[i]);
  }
  std::string line =
      fmt::format("on the GPU, {} of {:.2f} MB, ms:", count, batch.megabytes_of_a_picture());
  for (std::size_t i = 0; i < stages.size(); ++i)
    line += fmt::format(" {} {:.2f},", stages[i], median(each[i]));
  const double all = median(each.back());
  fmt::print("{} all {:.2f}; {:.0f} images/s\n", line, all, 1e3 * static_cast<double>(count) / all);
  std::fflush(stdout);
}

// Batches follow each other on each stream, so that the host's work for one passes during another.
void measure_streams(std::span<const AskedJpeg> asked, std::size_t count, std::size_t streams) {
  using Clock = std::chrono::steady_clock;
  constexpr int batches = 3;
  std::vector<std::unique_ptr<Batch>> all;
  for (std::size_t i = 0; i < streams; ++i) all.push_back(std::make_unique<Batch>(asked, count));
  std::vector<double> rates, enqueuing;
  for (int round = -1; round < rounds; ++round) {
    const auto start = Clock::now();
    double host = 0;
    for (int i = 0; i < batches; ++i) {
      for (const auto& batch : all) {
        // Its tables are in use until it is done.
        batch->wait();
        const auto since = Clock::now();
        batch->enqueue();
        host += std::chrono::duration<double, std::milli>(Clock::now() - since).count();
      }
    }
    for (const auto& batch : all) batch->wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const auto turned = static_cast<double>(batches * streams * count);
    if (round < 0) continue;
    rates.push_back(turned / seconds);
    enqueuing.push_back(host / static_cast<double>(batches * streams));
  }
  fmt::print(
      "on the GPU, batches of {}, {} at a time: {:.0f} images/s; {:.2f} ms of a core to "
      "enqueue a batch\n",
      count, streams, median(rates), median(enqueuing));
  std::fflush(stdout);
}

}  // namespace

void measure_jpeg_on_device(std::span<const Bytes> photographs, Orientation orientation,
                            int device) {
  must(cudaSetDevice(device));
  const auto asked = asked_jpegs(photographs, orientation, JpegMode::lossless);
  for (const std::size_t count : {std::size_t{64}, std::size_t{16}, std::size_t{1}})
    measure_stages(asked, count);
  for (const std::size_t count : {std::size_t{64}, std::size_t{32}, std::size_t{16}})
    for (const std::size_t streams : {std::size_t{1}, std::size_t{2}, std::size_t{4}})
      measure_streams(asked, count, streams);
  measure_streams(asked, 8, 6);  // as a run does it
}

}  // namespace qturn::bench
