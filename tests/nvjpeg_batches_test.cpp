// Requests of many threads in batches, with a worker that needs no GPU.
#include "src/nvjpeg/batches.hpp"

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "src/formats/image.hpp"

namespace {

using namespace qturn;

const std::atomic<bool> never{false};

/// Gives each request its own width back, as a file of one byte.
void echo(std::span<PlanarWork* const> batch, const std::function<void()>&,
          const std::function<void(std::size_t)>& done) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i]->results = {Bytes{static_cast<std::byte>(batch[i]->request->size.width)}};
    done(i);
  }
}

std::uint64_t hundred_bytes(const PlanarRequest&) { return 100; }

PlanarRequest request_of(int number) {
  PlanarRequest request;
  request.size = {number, 1};
  return request;
}

/// Asks from `count` threads at a time; returns what each got.
std::vector<std::optional<std::vector<Bytes>>> ask(PlanarDevice& device, int count) {
  std::vector<std::optional<std::vector<Bytes>>> results(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(
        [&, i] { results[static_cast<std::size_t>(i)] = device.turn(request_of(i)); });
  }
  threads.clear();
  return results;
}

}  // namespace

TEST_CASE("Each of many threads gets its own result, from batches of at most the limit") {
  std::mutex mutex;
  std::size_t largest = 0, batches = 0;
  const auto worker = [&]() -> Batches::Worker {
    return {[&](auto batch, const auto& decoded, const auto& done) {
      {
        const std::lock_guard lock(mutex);
        largest = std::max(largest, batch.size());
        ++batches;
      }
      echo(batch, decoded, done);
    }};
  };
  Batches device({.count = 8, .patience = std::chrono::seconds(1)}, hundred_bytes,
                 {{0, worker}, {0, worker}, {1, worker}}, never);
  const auto results = ask(device, 64);
  for (std::size_t i = 0; i < results.size(); ++i) {
    REQUIRE(results[i]);
    CHECK(results[i]->front() == Bytes{static_cast<std::byte>(i)});
  }
  CHECK(largest <= 8);
  CHECK(batches >= 8);
}

TEST_CASE("A batch has no more bytes than the device has for it, but one request always fits") {
  std::atomic<std::size_t> largest = 0;
  const auto worker_with = [&](std::uint64_t device_bytes) {
    return [&, device_bytes]() -> Batches::Worker {
      return {[&](auto batch, const auto& decoded, const auto& done) {
                largest = std::max(largest.load(), batch.size());
                echo(batch, decoded, done);
              },
              device_bytes};
    };
  };
  {
    Batches device({.count = 8}, hundred_bytes, {{0, worker_with(250)}}, never);
    ask(device, 16);
    CHECK(largest <= 2);
  }
  Batches device({.count = 8}, hundred_bytes, {{0, worker_with(50)}}, never);
  CHECK(ask(device, 3)[2]->front() == Bytes{std::byte{2}});
}

TEST_CASE("Of the workers of a device one decodes at a time, while others encode") {
  std::array<std::atomic<int>, 2> decoding{};
  std::atomic<int> working = 0, most_working = 0, too_many = 0;
  const auto for_device = [&](std::size_t index) {
    const auto make = [&, index]() -> Batches::Worker {
      return {[&, index](auto batch, const auto& decoded, const auto& done) {
        most_working = std::max(most_working.load(), ++working);
        too_many += ++decoding[index] > 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --decoding[index];
        decoded();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --working;
        echo(batch, decoded, done);
      }};
    };
    return Batches::MakeWorker{static_cast<int>(index), make};
  };
  Batches device({.count = 2}, hundred_bytes,
                 {for_device(0), for_device(0), for_device(0), for_device(1)}, never);
  ask(device, 100);
  CHECK(too_many == 0);
  CHECK(most_working > 2);
}

TEST_CASE("A single request does not wait for a full batch") {
  Batches device({.count = 64, .patience = std::chrono::milliseconds(1)}, hundred_bytes,
                 {{0, [] { return Batches::Worker{echo}; }}}, never);
  CHECK(device.turn(request_of(5))->front() == Bytes{std::byte{5}});
}

TEST_CASE("When a worker throws, those that were done stay done and the others fail") {
  const auto worker = []() -> Batches::Worker {
    return {[](auto batch, const auto&, const auto& done) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (batch[i]->request->size.width % 2 == 1) continue;
        batch[i]->results = std::vector<Bytes>{};
        done(i);
      }
      throw std::runtime_error("broken");
    }};
  };
  Batches device({.count = 4}, hundred_bytes, {{0, worker}}, never);
  std::atomic<int> failed = 0, fine = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      try {
        device.turn(request_of(i));
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

TEST_CASE("A worker that cannot be made fails every request") {
  const auto worker = []() -> Batches::Worker { throw std::runtime_error("no device"); };
  Batches device({.count = 4}, hundred_bytes, {{0, worker}}, never);
  CHECK_THROWS_AS(device.turn(request_of(1)), std::runtime_error);
  CHECK_THROWS_AS(device.turn(request_of(2)), std::runtime_error);
}

TEST_CASE("A run that is given up interrupts those that wait") {
  const std::atomic<bool> stop = true;
  Batches device({.count = 4}, hundred_bytes, {{0, [] { return Batches::Worker{echo}; }}}, stop);
  CHECK_THROWS_AS(device.turn(request_of(1)), Interrupted);
}

TEST_CASE("What the worker leaves without a result is for another way") {
  const auto nothing = [](auto, const auto&, const auto&) {};
  Batches device({.count = 4}, hundred_bytes, {{0, [&] { return Batches::Worker{nothing}; }}},
                 never);
  CHECK_FALSE(device.turn(request_of(1)));
}

TEST_CASE("What no device is of use for is for another way, whenever it was asked") {
  std::atomic<bool> go = false;
  const auto none = [&]() -> Batches::Worker {
    go.wait(false);
    return {};
  };
  Batches device({.count = 4}, hundred_bytes, {{0, none}, {1, none}}, never);
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    go = true;
    go.notify_all();
  });
  CHECK(device.is_of_use());
  for (const auto& result : ask(device, 6)) CHECK_FALSE(result);
  CHECK_FALSE(device.is_of_use());
  CHECK_FALSE(device.turn(request_of(1)));
}

TEST_CASE("One device of use does what is asked of all") {
  const auto none = []() -> Batches::Worker { return {}; };
  Batches device({.count = 4}, hundred_bytes,
                 {{0, none}, {1, [] { return Batches::Worker{echo}; }}}, never);
  for (const auto& result : ask(device, 6)) CHECK(result);
  CHECK(device.is_of_use());
}

TEST_CASE("One picture that cannot be decoded does not spoil its batch") {
  struct Failure {};
  std::vector<std::size_t> calls;
  const auto decode = [&](std::span<const std::size_t> some) {
    calls.push_back(some.size());
    for (const std::size_t i : some) {
      if (i == 2) throw Failure();
    }
  };
  CHECK(decode_those_that_can_be<Failure>(2, decode) == std::vector<std::size_t>{0, 1});
  CHECK(calls == std::vector<std::size_t>{2});
  calls.clear();
  CHECK(decode_those_that_can_be<Failure>(4, decode) == std::vector<std::size_t>{0, 1, 3});
  CHECK(calls == std::vector<std::size_t>{4, 1, 1, 1, 1});
}
