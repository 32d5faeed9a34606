// Work of many threads in batches, with a worker that needs no GPU.
#include "src/gpu/batches.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "src/picture/errors.hpp"

namespace device_batches_test {

namespace {

using namespace qturn;

const std::atomic<bool> never{false};

struct Work : DeviceWork {
  int number = 0;
  std::optional<int> result = {};
};

Work& own(DeviceWork* work) { return *static_cast<Work*>(work); }

/// Gives each its own number back.
void echo(std::span<DeviceWork* const> batch, const std::function<void()>&,
          const std::function<void(std::size_t)>& done) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    own(batch[i]).result = own(batch[i]).number;
    done(i);
  }
}

std::optional<int> ask_for(Batches& device, int number) {
  Work work;
  work.device_bytes = 100;
  work.number = number;
  device.do_work(work);
  return work.result;
}

/// Asks from `count` threads at a time; returns what each got.
std::vector<std::optional<int>> ask(Batches& device, int count) {
  std::vector<std::optional<int>> results(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { results[static_cast<std::size_t>(i)] = ask_for(device, i); });
  }
  threads.clear();
  return results;
}

}  // namespace

TEST_CASE("Each of many threads gets its own result, from batches of at most the limit") {
  std::mutex mutex;
  std::size_t largest = 0, batches = 0;
  const auto worker = [&]() -> Batches::Worker {
    return {[&](auto batch, const auto& enqueued, const auto& done) {
      {
        const std::lock_guard lock(mutex);
        largest = std::max(largest, batch.size());
        ++batches;
      }
      echo(batch, enqueued, done);
    }};
  };
  Batches device({.count = 8, .patience = std::chrono::seconds(1)},
                 {{0, worker}, {0, worker}, {1, worker}}, never);
  const auto results = ask(device, 64);
  for (std::size_t i = 0; i < results.size(); ++i) {
    REQUIRE(results[i]);
    CHECK(*results[i] == static_cast<int>(i));
  }
  CHECK(largest <= 8);
  CHECK(batches >= 8);
}

TEST_CASE(
    "A batch has no more bytes than the device has for it, but a single picture always fits") {
  std::atomic<std::size_t> largest = 0;
  const auto worker_with = [&](std::uint64_t device_bytes) {
    return [&, device_bytes]() -> Batches::Worker {
      return {[&](auto batch, const auto& enqueued, const auto& done) {
                largest = std::max(largest.load(), batch.size());
                echo(batch, enqueued, done);
              },
              device_bytes};
    };
  };
  {
    Batches device({.count = 8}, {{0, worker_with(250)}}, never);
    ask(device, 16);
    CHECK(largest <= 2);
  }
  Batches device({.count = 8}, {{0, worker_with(50)}}, never);
  CHECK(ask(device, 3)[2] == 2);
}

TEST_CASE("Only one worker of a device enqueues at a time, while others finish") {
  std::mutex mutex;
  std::condition_variable begun;
  std::array<int, 2> enqueuing{}, begins{};  // of each device
  bool too_many = false, both_enqueue = true, others_finish = true;
  const auto waits_for = [&](std::unique_lock<std::mutex>& lock, auto condition) {
    return begun.wait_for(lock, std::chrono::minutes(1), condition);
  };
  const auto for_device = [&](int device) {
    const auto make = [&, device]() -> Batches::Worker {
      return {[&, device](auto batch, const auto& enqueued, const auto& done) {
        std::unique_lock lock(mutex);
        const bool is_first = ++begins[device] == 1;
        too_many |= ++enqueuing[device] > 1;
        begun.notify_all();
        if (is_first) both_enqueue &= waits_for(lock, [&] { return begins[1 - device] > 0; });
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        lock.lock();
        --enqueuing[device];
        lock.unlock();
        enqueued();
        lock.lock();
        if (is_first && device == 0) others_finish = waits_for(lock, [&] { return begins[0] > 1; });
        lock.unlock();
        echo(batch, enqueued, done);
      }};
    };
    return Batches::MakeWorker{device, make};
  };
  Batches device({.count = 2}, {for_device(0), for_device(0), for_device(0), for_device(1)}, never);
  ask(device, 100);
  CHECK_FALSE(too_many);
  CHECK(both_enqueue);
  CHECK(others_finish);
}

TEST_CASE("A single piece of work does not wait for a full batch") {
  Batches device({.count = 64, .patience = std::chrono::milliseconds(1)},
                 {{0, [] { return Batches::Worker{echo}; }}}, never);
  CHECK(ask_for(device, 5) == 5);
}

TEST_CASE("When a worker throws, those that were done stay done and the others fail") {
  const auto worker = []() -> Batches::Worker {
    return {[](auto batch, const auto&, const auto& done) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (own(batch[i]).number % 2 == 1) continue;
        done(i);
      }
      throw std::runtime_error("broken");
    }};
  };
  Batches device({.count = 4}, {{0, worker}}, never);
  std::atomic<int> failed = 0, fine = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      try {
        ask_for(device, i);
        fine += i % 2 == 0;
      } catch (const std::runtime_error&) {
        failed += i % 2 == 1;
      }
    });
  }
  threads.clear();
  CHECK(fine == 10);
  CHECK(failed == 10);
}

TEST_CASE("A worker that cannot be made is made later; work goes another way meanwhile") {
  std::atomic<int> starts = 0;
  const auto worker = [&]() -> Batches::Worker {
    if (++starts < 3) throw std::runtime_error("no memory");
    return {echo};
  };
  Batches device({.count = 4, .retry = std::chrono::milliseconds(20)}, {{0, worker}}, never);
  CHECK_FALSE(ask_for(device, 1));
  CHECK_FALSE(device.is_of_use());
  CHECK(device.take_problem() ==
        "a GPU could not start (no memory); without another, JPEGs are turned on the CPU "
        "meanwhile");
  CHECK(device.take_problem().empty());
  while (!device.is_of_use()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(starts == 3);
  CHECK(ask_for(device, 2) == 2);
}

TEST_CASE("A worker that can never be made does not delay the end") {
  const auto worker = []() -> Batches::Worker { throw std::runtime_error("no device"); };
  Batches device({.count = 4, .retry = std::chrono::hours(1)}, {{0, worker}}, never);
  CHECK_FALSE(ask_for(device, 1));
}

TEST_CASE("Without memory for a batch, its halves are done, and what is too large alone is named") {
  struct NoMemory {};
  std::vector<int> sizes = {1, 1, 9, 1, 1, 3, 1};
  std::vector<std::vector<int>> done;
  int released = 0;
  const auto work = [&](std::span<int> some) {
    int sum = 0;
    for (const int size : some) sum += size;
    if (sum > 4) throw NoMemory();
    done.emplace_back(some.begin(), some.end());
  };
  const auto too_large =
      in_halves_without_memory<NoMemory>(std::span(sizes), work, [&] { ++released; });
  CHECK(too_large == std::vector<int*>{&sizes[2]});
  CHECK(done == std::vector<std::vector<int>>{{1}, {1}, {1, 1}, {3, 1}});
  CHECK(released == 5);
}

TEST_CASE("A run that is given up interrupts the work that waits") {
  const std::atomic<bool> stop = true;
  Batches device({.count = 4}, {{0, [] { return Batches::Worker{echo}; }}}, stop);
  CHECK_THROWS_AS(ask_for(device, 1), Interrupted);
}

TEST_CASE("Work that the worker leaves without a result goes another way") {
  const auto nothing = [](auto, const auto&, const auto&) {};
  Batches device({.count = 4}, {{0, [&] { return Batches::Worker{nothing}; }}}, never);
  CHECK_FALSE(ask_for(device, 1));
}

TEST_CASE("Work that no device can take goes another way, whenever it was made") {
  std::atomic<bool> go = false;
  const auto none = [&]() -> Batches::Worker {
    go.wait(false);
    return {};
  };
  Batches device({.count = 4}, {{0, none}, {1, none}}, never);
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    go = true;
    go.notify_all();
  });
  CHECK(device.is_of_use());
  for (const auto& result : ask(device, 6)) CHECK_FALSE(result);
  CHECK_FALSE(device.is_of_use());
  CHECK_FALSE(ask_for(device, 1));
}

TEST_CASE("One usable device does the work of all") {
  const auto none = []() -> Batches::Worker { return {}; };
  Batches device({.count = 4}, {{0, none}, {1, [] { return Batches::Worker{echo}; }}}, never);
  for (const auto& result : ask(device, 6)) CHECK(result);
  CHECK(device.is_of_use());
}

TEST_CASE("Work of a device that is lost is done by another one") {
  std::atomic<int> lost = 0;
  const auto loses = [&](auto batch, const auto&, const auto& done) {
    own(batch.front()).result = own(batch.front()).number;
    done(0);
    ++lost;
    throw DeviceLost("cuda:0 failed");
  };
  std::atomic<bool> go = false;
  const auto later = [&]() -> Batches::Worker {
    go.wait(false);  // all work is the other device's first
    return {echo};
  };
  Batches device({.count = 4}, {{0, [&] { return Batches::Worker{loses}; }}, {1, later}}, never);
  std::jthread starts([&] {
    while (lost == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    go = true;
    go.notify_all();
  });
  const auto results = ask(device, 20);
  for (int i = 0; i < 20; ++i) CHECK(results[static_cast<std::size_t>(i)] == i);
  CHECK(lost == 1);
  CHECK(device.is_of_use());
  CHECK(device.take_problem() == "cuda:0 failed; JPEGs are turned on another GPU, or on the CPU");
}

TEST_CASE("When the last device is lost, work goes another way") {
  const auto loses = [](auto, const auto&, const auto&) { throw DeviceLost("cuda:0 failed"); };
  Batches device({.count = 4}, {{0, [&] { return Batches::Worker{loses}; }}}, never);
  for (const auto& result : ask(device, 6)) CHECK_FALSE(result);
  CHECK_FALSE(device.is_of_use());
}

}  // namespace device_batches_test
