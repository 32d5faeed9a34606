// Bounds how many threads compute at a time.
//
// Pictures wait for a GPU or for memory on their threads. So there are more threads than cores if a
// GPU wants many pictures. Each thread takes a seat for its work and leaves it while it waits. A
// thread that comes back gets the first free seat, because a picture that is nearly done frees
// memory. (std::counting_semaphore does not work here: libstdc++'s wakes all of some hundred
// threads for each seat.)
#ifndef QTURN_SRC_RUN_SEATS_HPP
#define QTURN_SRC_RUN_SEATS_HPP

#include <condition_variable>
#include <mutex>

namespace qturn {

class Seats {
 public:
  explicit Seats(int count) : free_(count) {}

  /// Waits for a seat, then calls `work()`.
  template <typename Work>
  void seated(Work work) {
    take(arriving_);
    const Leave leave{*this};
    work();
  }

  /// Calls `wait()` and gives the caller's seat to others until it returns.
  template <typename Wait>
  auto away(Wait wait) {
    leave();
    const Return back{*this};
    return wait();
  }

 private:
  struct Queue {
    std::condition_variable granted_one;
    int waiting = 0, granted = 0;
  };
  struct Leave {
    Seats& seats;
    ~Leave() { seats.leave(); }
  };
  struct Return {
    Seats& seats;
    ~Return() { seats.take(seats.returning_); }
  };

  void take(Queue& queue) {
    std::unique_lock lock(mutex_);
    if (free_ > 0) {
      --free_;
      return;
    }
    ++queue.waiting;
    queue.granted_one.wait(lock, [&] { return queue.granted > 0; });
    --queue.granted;
  }
  // A seat passes from thread to thread: it is free only if nobody waits.
  void leave() {
    const std::lock_guard lock(mutex_);
    Queue& next = returning_.waiting > 0 ? returning_ : arriving_;
    if (next.waiting == 0) {
      ++free_;
      return;
    }
    --next.waiting;
    ++next.granted;
    next.granted_one.notify_one();
  }

  std::mutex mutex_;
  int free_;
  Queue arriving_, returning_;
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_SEATS_HPP
