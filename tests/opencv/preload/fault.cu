#include "fault.hpp"

namespace {

__global__ void work_and_fail() {
  for (int i = 0; i < 1000; ++i) __nanosleep(1'000'000);
  __trap();
}

}  // namespace

void fail_later() { work_and_fail<<<1, 1>>>(); }
