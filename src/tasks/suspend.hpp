// A task of the pipeline that waits, and holds no thread meanwhile.
//
// A picture waits for memory, for a batch on a GPU or for the disk. If it kept its thread, there
// would have to be more threads than cores, and each hand-over between them costs time: with 96
// pictures on their way to an H200, oneTBB's resumable tasks turned 28 % more JPEGs per second than
// threads that slept. A suspended task goes on where it was, perhaps on another thread: no lock, no
// thread_local and no current CUDA device may cross a suspension.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace qturn {

/// Lets one suspended task go on. To be called once, by any thread.
class Resume {
 public:
  struct Waiter;
  explicit Resume(std::shared_ptr<Waiter> waiter = {}) : waiter_(std::move(waiter)) {}
  void operator()();

 private:
  std::shared_ptr<Waiter> waiter_;
};

/// Suspends the calling task until the Resume that `start` receives is called. As soon as another
/// thread may call it, `start` must not touch what lies on the caller's stack. A thread outside of
/// oneTBB blocks instead. `start` must not throw. Throws std::bad_alloc before that if there is no
/// memory for another stack.
void suspend(const std::function<void(Resume)>& start);

/// oneTBB maps a stack for each task that is suspended, and crashes if it gets none. Throws
/// std::bad_alloc if there is no memory for one.
void require_memory_for_a_stack();

/// For a program: where no task can be told that there is no memory, in oneTBB's own threads or
/// because another thread took the last of it, the program says so and exits with status 1. What it
/// has put in its place stays, as after a kill.
void end_by_name_without_memory();

/// For condition_variable::wait_until(). Its wait() would be a symbol of libstdc++ 12 where g++ 12
/// compiles it, and manylinux_2_34 has libstdc++ 11.
inline constexpr auto for_ever = std::chrono::steady_clock::time_point::max();

}  // namespace qturn
