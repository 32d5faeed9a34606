// How many threads compute at a time.
//
// Pictures that wait, for a GPU or for memory, wait on their threads. So there are more threads
// than cores where a GPU wants many pictures, and each takes a seat for its work and leaves it
// while it waits.
#ifndef QTURN_SRC_RUN_SEATS_HPP
#define QTURN_SRC_RUN_SEATS_HPP

#include <semaphore>

namespace qturn {

class Seats {
 public:
  explicit Seats(int count) : free_(count) {}

  /// `work()` on a seat, for which this may wait.
  template <typename Work>
  void seated(Work work) {
    free_.acquire();
    const Leave leave{free_};
    work();
  }

  /// What `wait()` gives, with the caller's seat left to others meanwhile.
  template <typename Wait>
  auto away(Wait wait) {
    free_.release();
    const Return back{free_};
    return wait();
  }

 private:
  using Free = std::counting_semaphore<>;
  struct Leave {
    Free& free;
    ~Leave() { free.release(); }
  };
  struct Return {
    Free& free;
    ~Return() { free.acquire(); }
  };

  Free free_;
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_SEATS_HPP
