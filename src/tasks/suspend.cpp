#include "src/tasks/suspend.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <semaphore>
#include <string_view>

namespace qturn {

struct Resume::Waiter {
  tbb::task::suspend_point point = nullptr;  ///< null: a thread waits for `resumed`
  std::binary_semaphore resumed{0};
};

namespace {

struct sigaction before = {};

[[noreturn]] void end_without_memory() {
  constexpr std::string_view message = "qturn: error: no memory for a task\n";
  [[maybe_unused]] const ssize_t ignored = ::write(2, message.data(), message.size());
  ::_exit(1);
}

// A thread of oneTBB's own, or one that serves all tasks, found no memory. No task can catch that.
void on_terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {
    // Ends as it would without us.
  }
  std::abort();
}

// oneTBB does not look at what mmap() returned. So it writes to the upper end of a stack of
// megabytes that begins at address -1, and no program has anything there.
void on_crash(int /*number*/, siginfo_t* info, void* /*context*/) {
  constexpr std::uintptr_t low = std::uintptr_t{1} << 16, high = std::uintptr_t{1} << 26;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (low < address && address < high) end_without_memory();
  // The same happens again, and ends as it would without us.
  ::sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace

void end_by_name_without_memory() {
  std::set_terminate(on_terminate);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &before);
}

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
