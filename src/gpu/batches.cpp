#include "src/gpu/batches.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/picture/errors.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {

Batches::Batches(const BatchLimits& limits, std::vector<MakeWorker> workers,
                 const std::atomic<bool>& stop)
    : limits_(limits), stop_(stop), workers_(workers.size()) {
  for (const MakeWorker& worker : workers) enqueuing_[worker.device];
  for (MakeWorker& make : workers) {
    threads_.emplace_back([this, make = std::move(make)] { run(make); });
  }
}

Batches::~Batches() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  arrived_.notify_all();
  ended_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Batches::do_work(DeviceWork& work) {
  Waiting own{.work = work, .since = std::chrono::steady_clock::now()};
  suspend([this, &own](Resume resume) {
    const std::lock_guard lock(mutex_);
    if (workers_ == 0) return resume();
    own.resume = std::move(resume);
    waiting_.push_back(&own);
    arrived_.notify_one();
  });
  if (work.error) std::rethrow_exception(work.error);
}

bool Batches::is_of_use() {
  const std::lock_guard lock(mutex_);
  return workers_ > 0;
}

std::string Batches::take_problem() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problem_, {});
}

// The last worker without a usable device releases all that wait.
void Batches::resign(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  if (!problem.empty()) problem_ = problem;
  if (--workers_ > 0) return;
  for (Waiting* waiting : std::exchange(waiting_, {})) Resume(waiting->resume)();
}

// Puts them before all others, in their order.
void Batches::give_back(std::span<Waiting* const> undone) {
  const std::lock_guard lock(mutex_);
  waiting_.insert(waiting_.begin(), undone.begin(), undone.end());
}

// Empty when there is nothing more to do.
std::vector<Batches::Waiting*> Batches::take(std::uint64_t device_bytes) {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait_until(lock, for_ever, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    // Another worker may take them in the meantime.
    const auto until = waiting_.front()->since + limits_.patience;
    arrived_.wait_until(lock, until, [&] {
      return over_ || stop_ || under_way_ == 0 || waiting_.empty() ||
             waiting_.size() >= limits_.count;
    });
    if (!waiting_.empty()) break;
  }
  std::vector<Waiting*> batch;
  std::uint64_t bytes = 0;
  while (!waiting_.empty() && batch.size() < limits_.count) {
    Waiting* next = waiting_.front();
    if (!batch.empty() && bytes + next->work.device_bytes > device_bytes) break;
    bytes += next->work.device_bytes;
    batch.push_back(next);
    waiting_.pop_front();
  }
  if (!waiting_.empty()) arrived_.notify_one();
  ++under_way_;
  return batch;
}

// Returns a worker without a function if the device cannot be used, or if all is over before.
Batches::Worker Batches::start(const MakeWorker& make) {
  auto pause = limits_.retry;
  for (bool is_first = true;; is_first = false, pause *= 2) {
    try {
      Worker worker = make.make();
      if (!worker.work) {
        if (is_first) resign({});
        return {};
      }
      const std::lock_guard lock(mutex_);
      if (!is_first) ++workers_;
      return worker;
    } catch (const std::exception& error) {
      if (is_first) {
        resign(fmt::format(
            "a GPU could not start ({}); without another, JPEGs are turned on the CPU meanwhile",
            error.what()));
      }
    }
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, pause, [&] { return over_; })) return {};
  }
}

void Batches::run(const MakeWorker& make) {
  const Worker worker = start(make);
  if (!worker.work) return;
  std::mutex& enqueuing = enqueuing_.at(make.device);
  while (true) {
    std::unique_lock turn_to_enqueue(enqueuing);
    const std::vector<Waiting*> batch = take(worker.device_bytes);
    if (batch.empty()) return;
    std::vector<DeviceWork*> works;
    for (Waiting* waiting : batch) works.push_back(&waiting->work);
    std::vector<std::atomic<bool>> done(batch.size());
    const auto finish_one = [&](std::size_t i) {
      if (!done[i].exchange(true)) Resume(batch[i]->resume)();
    };
    const auto end_batch = [&] {
      {
        const std::lock_guard lock(mutex_);
        --under_way_;
      }
      arrived_.notify_all();
    };
    try {
      if (stop_) throw Interrupted();
      worker.work(
          works, [&] { turn_to_enqueue.unlock(); }, finish_one);
    } catch (const DeviceLost& error) {
      std::vector<Waiting*> undone;
      for (std::size_t i = 0; i < batch.size(); ++i)
        if (!done[i]) undone.push_back(batch[i]);
      give_back(undone);
      end_batch();
      return resign(
          fmt::format("{}; JPEGs are turned on another GPU, or on the CPU", error.what()));
    } catch (...) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (done[i]) continue;
        batch[i]->work.error = std::current_exception();
        finish_one(i);
      }
    }
    for (std::size_t i = 0; i < batch.size(); ++i) finish_one(i);
    end_batch();
  }
}

}  // namespace qturn
