#include "src/tasks/suspend.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <semaphore>

namespace qturn {

struct Resume::Waiter {
  tbb::task::suspend_point point = nullptr;  ///< null: a thread waits for `resumed`
  std::binary_semaphore resumed{0};
};

void require_memory_for_a_stack() {
  constexpr std::size_t bytes = std::size_t{8} << 20;  // twice a stack's
  void* const stack = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  munmap(stack, bytes);
}

void Resume::operator()() {
  const std::shared_ptr<Waiter> waiter = std::move(waiter_);
  if (waiter->point) {
    tbb::task::resume(waiter->point);
  } else {
    waiter->resumed.release();
  }
}

void suspend(const std::function<void(Resume)>& start) {
  const auto waiter = std::make_shared<Resume::Waiter>();
  if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) {
    start(Resume(waiter));
    waiter->resumed.acquire();
    return;
  }
  require_memory_for_a_stack();
  // After an exception oneTBB would still call this, when the caller's stack is gone.
  [&]() noexcept {
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      waiter->point = point;
      start(Resume(waiter));
    });
  }();
}

}  // namespace qturn
