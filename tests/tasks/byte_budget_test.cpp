#include "src/tasks/byte_budget.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "src/picture/image.hpp"

namespace byte_budget_test {

using namespace std::chrono_literals;
using qturn::ByteBudget;
using qturn::Reservation;

namespace {

/// Asks for bytes in a thread of its own, which gives them back when told to.
class Asker {
 public:
  Asker(ByteBudget& budget, std::uint64_t bytes)
      : budget_(budget), thread_([this, &budget, bytes] {
          try {
            const Reservation reservation = budget.reserve(bytes, stop_);
            has_ = true;
            while (!give_back_) std::this_thread::sleep_for(1ms);
          } catch (const qturn::Interrupted&) {
            interrupted_ = true;
          }
        }) {
    // Time to arrive, so that askers queue in the order in which they are made.
    std::this_thread::sleep_for(200ms);
  }
  ~Asker() {
    stop_ = true;
    budget_.interrupt();
    give_back();
  }

  bool has() const { return has_; }
  bool has_soon() const {
    for (int i = 0; i < 20'000 && !has_; ++i) std::this_thread::sleep_for(1ms);
    return has_;
  }
  void give_back() {
    give_back_ = true;
    if (thread_.joinable()) thread_.join();
  }
  bool is_interrupted() {
    if (thread_.joinable()) thread_.join();
    return interrupted_;
  }

 private:
  ByteBudget& budget_;
  std::atomic<bool> has_ = false, give_back_ = false, interrupted_ = false, stop_ = false;
  std::thread thread_;
};

const std::atomic<bool> never = false;

}  // namespace

TEST_CASE("what fits is given at once, and the sum never passes the budget") {
  ByteBudget budget(100);
  const Reservation first = budget.reserve(60, never);
  const Reservation second = budget.reserve(40, never);
  Asker third(budget, 1);
  CHECK_FALSE(third.has());
}

TEST_CASE("bytes come back when a reservation goes") {
  ByteBudget budget(100);
  std::optional<Reservation> first = budget.reserve(100, never);
  Asker second(budget, 100);
  CHECK_FALSE(second.has());
  first.reset();
  CHECK(second.has_soon());
}

TEST_CASE("a reservation that was moved gives its bytes back once") {
  ByteBudget budget(100);
  {
    Reservation first = budget.reserve(100, never);
    Reservation second = std::move(first);
    Reservation third;
    third = std::move(second);
    Asker other(budget, 1);
    CHECK_FALSE(other.has());
  }
  const Reservation all = budget.reserve(100, never);
  Asker other(budget, 1);
  CHECK_FALSE(other.has());
}

TEST_CASE("small requests do not overtake a large one") {
  ByteBudget budget(100);
  std::optional<Reservation> held = budget.reserve(50, never);
  Asker large(budget, 80);
  Asker small(budget, 10);
  CHECK_FALSE(large.has());
  CHECK_FALSE(small.has());
  held.reset();
  CHECK(large.has_soon());
  CHECK(small.has_soon());
}

TEST_CASE("what is larger than the whole budget runs alone") {
  ByteBudget budget(100);
  std::optional<Reservation> held = budget.reserve(1, never);
  Asker huge(budget, 1000);
  Asker small(budget, 1);
  CHECK_FALSE(huge.has());
  held.reset();
  CHECK(huge.has_soon());
  CHECK_FALSE(small.has());
  huge.give_back();
  CHECK(small.has_soon());
}

TEST_CASE("the largest number of bytes there is does not overflow") {
  ByteBudget budget(100);
  std::optional<Reservation> held = budget.reserve(1, never);
  Asker huge(budget, ~std::uint64_t{0});
  CHECK_FALSE(huge.has());
  held.reset();
  CHECK(huge.has_soon());
}

TEST_CASE("whoever keeps memory is told after each reservation what it leaves") {
  std::vector<std::uint64_t> told;
  ByteBudget budget(100, [&](std::uint64_t bytes) { told.push_back(bytes); });
  std::optional<Reservation> first = budget.reserve(70, never);
  const Reservation second = budget.reserve(20, never);
  first.reset();
  { const Reservation third = budget.reserve(80, never); }
  CHECK(told == std::vector<std::uint64_t>{30, 10, 0});
  ByteBudget small(10, [&](std::uint64_t bytes) { told.push_back(bytes); });
  const Reservation larger = small.reserve(50, never);
  CHECK(told.back() == 0);
}

TEST_CASE("an interruption ends the wait of all, and what is asked for later is given") {
  ByteBudget budget(100);
  const Reservation held = budget.reserve(50, never);
  Asker large(budget, 80);
  Asker small(budget, 10);
  budget.interrupt();
  CHECK(large.is_interrupted());
  CHECK(small.is_interrupted());
  const Reservation other = budget.reserve(50, never);
}

TEST_CASE(
    "a stop flag that was raised meanwhile ends the wait, and its bytes go to the next in line") {
  ByteBudget budget(100);
  std::atomic<bool> stop = false;
  std::optional<Reservation> held = budget.reserve(100, never);
  std::atomic<bool> is_interrupted = false;
  std::thread waits([&] {
    try {
      const Reservation reservation = budget.reserve(80, stop);
    } catch (const qturn::Interrupted&) {
      is_interrupted = true;
    }
  });
  std::this_thread::sleep_for(200ms);
  Asker next(budget, 30);
  stop = true;
  held.reset();
  waits.join();
  CHECK(is_interrupted);
  CHECK(next.has_soon());
}

TEST_CASE("nothing is given once the stop flag is raised") {
  ByteBudget budget(100);
  const std::atomic<bool> raised = true;
  CHECK_THROWS_AS(budget.reserve(1, raised), qturn::Interrupted);
  const Reservation all = budget.reserve(100, never);
}

TEST_CASE("many threads never hold more than the budget") {
  ByteBudget budget(1000);
  std::atomic<std::uint64_t> held = 0;
  std::atomic<bool> too_much = false;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t bytes = (t * 131 + i * 37) % 700 + 1;
        const Reservation reservation = budget.reserve(bytes, never);
        if (held += bytes; held > 1000) too_much = true;
        held -= bytes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(too_much);
  const Reservation all = budget.reserve(1000, never);
}

}  // namespace byte_budget_test
