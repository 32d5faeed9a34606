// Threads that share a few seats.
#include "src/run/seats.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <thread>
#include <vector>

using namespace qturn;

TEST_CASE("No more threads work than there are seats, and each gets its turn") {
  Seats seats(3);
  std::atomic<int> seated = 0, too_many = 0, done = 0;
  const auto work = [&] {
    too_many += ++seated > 3;
    std::this_thread::yield();
    --seated;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 100; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          seats.seated([&] {
            work();
            seats.away([] { std::this_thread::yield(); });
            work();
          });
        }
        ++done;
      });
    }
  }
  CHECK(done == 100);
  CHECK(too_many == 0);
}

TEST_CASE("A thread that comes back gets a seat before new ones") {
  Seats seats(1);
  std::latch is_away(1), may_return(1), is_seated(1), may_leave(1);
  std::vector<char> order;  // only touched on the seat
  std::jthread returning([&] {
    seats.seated([&] {
      seats.away([&] {
        is_away.count_down();
        may_return.wait();
      });
      order.push_back('r');
    });
  });
  is_away.wait();
  std::jthread seated([&] {
    seats.seated([&] {
      is_seated.count_down();
      may_leave.wait();
    });
  });
  is_seated.wait();
  std::jthread arriving([&] { seats.seated([&] { order.push_back('a'); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it stands in line first
  may_return.count_down();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  may_leave.count_down();
  for (std::jthread* thread : {&returning, &seated, &arriving}) thread->join();
  CHECK(order == std::vector{'r', 'a'});
}

TEST_CASE("A seat is left even if the work throws") {
  Seats seats(1);
  CHECK_THROWS_AS(seats.seated([&] { throw 1; }), int);
  CHECK_THROWS_AS(seats.seated([&] { seats.away([] { throw 1; }); }), int);
  bool is_free = false;  // if no seat were, this would wait for ever
  seats.seated([&] { is_free = true; });
  CHECK(is_free);
}
