#include "src/run/limits.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <limits>
#include <thread>

namespace time_limit_test {

using namespace std::chrono_literals;
using qturn::TimeLimit;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

bool is_raised_soon(const std::atomic<bool>& flag) {
  for (int i = 0; i < 20'000 && !flag; ++i) std::this_thread::sleep_for(1ms);
  return flag;
}

}  // namespace

TEST_CASE("a picture's flag is raised once its time is over, and no other's") {
  const std::atomic<bool> never = false;
  TimeLimit limit(never, 2);
  TimeLimit::Picture slow(limit);
  CHECK_FALSE(slow.stop());
  REQUIRE(is_raised_soon(slow.stop()));
  CHECK(slow.is_over());
  const TimeLimit::Picture next(limit);
  std::this_thread::sleep_for(80ms);
  CHECK_FALSE(next.stop());
}

TEST_CASE("a pause does not count") {
  const std::atomic<bool> never = false;
  TimeLimit limit(never, 1);
  TimeLimit::Picture picture(limit);
  CHECK(picture.while_paused([] {
    std::this_thread::sleep_for(1500ms);
    return 7;
  }) == 7);
  CHECK_FALSE(picture.stop());
  CHECK(is_raised_soon(picture.stop()));
}

TEST_CASE("the end of the run raises every flag, and no time is over") {
  std::atomic<bool> stop = false;
  TimeLimit limit(stop, no_limit);
  const TimeLimit::Picture one(limit), other(limit);
  std::this_thread::sleep_for(80ms);
  CHECK_FALSE(one.stop());
  stop = true;
  CHECK(is_raised_soon(one.stop()));
  CHECK(is_raised_soon(other.stop()));
  CHECK_FALSE(one.is_over());
  const TimeLimit::Picture late(limit);
  CHECK(late.stop());
}

}  // namespace time_limit_test
