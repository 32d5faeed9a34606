#include "src/tasks/suspend.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>

#include <semaphore>

namespace qturn {

struct Resume::Waiter {
  tbb::task::suspend_point point = nullptr;  ///< null: a thread waits for `resumed`
  std::binary_semaphore resumed{0};
};

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
  tbb::task::suspend([&](tbb::task::suspend_point point) {
    waiter->point = point;
    start(Resume(waiter));
  });
}

}  // namespace qturn
