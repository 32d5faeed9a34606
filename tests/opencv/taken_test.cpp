// Which of the preload library's calls are left to OpenCV; without a GPU, by faults put in.
#include "plugins/opencv/preload/taken.hpp"

#include <catch2/catch_test_macros.hpp>

namespace qturn::tests::taken_test {
namespace {

TEST_CASE("a call that cannot be enqueued is left to OpenCV") {
  int waits = 0;
  const auto wait = [&] { waits += 1; };
  const auto takes = [&](auto error) {
    return opencv::taken([&]() -> bool { throw error; }, wait);
  };
  CHECK_FALSE(takes(opencv::Refusal(cv::Error::BadDataPtr, "")));
  CHECK_FALSE(takes(CudaError(cudaErrorMemoryAllocation, "")));
  CHECK_FALSE(takes(std::invalid_argument("")));
  CHECK(waits == 0);
}

TEST_CASE("an error after the work was enqueued goes on to the program, never to OpenCV") {
  const auto waits_for = [](auto error) {
    opencv::taken([] { return true; }, [&] { throw error; });
  };
  CHECK_THROWS_AS(waits_for(CudaError(cudaErrorLaunchFailure, "")), CudaError);
  CHECK_THROWS_AS(waits_for(std::invalid_argument("")), std::invalid_argument);
}

TEST_CASE("a call is taken, and waited for if anything was enqueued") {
  int waits = 0;
  const auto wait = [&] { waits += 1; };
  CHECK(opencv::taken([] { return true; }, wait));
  CHECK(waits == 1);
  CHECK(opencv::taken([] { return false; }, wait));
  CHECK(waits == 1);
}

}  // namespace
}  // namespace qturn::tests::taken_test
