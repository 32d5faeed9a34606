// The memory and cores that this process may use, and how long the work on a picture may take. A
// container or a cluster's job has less than the machine.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace qturn {

/// Bytes this process could still take without swapping: the system's MemAvailable or, where that
/// is less, what the limits of its control groups (version 1 or 2) and of all groups above leave.
/// Caches that the system gives up on demand count as free. `root` is where /proc and
/// /sys/fs/cgroup are looked for.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// How many processors the calling thread may use: those that it may run on, or fewer if the time
/// limits of its control groups allow fewer, rounded up.
int available_cores(const std::filesystem::path& root = "/");

// Ends the work on a picture that takes too long.
//
// Codecs look at a stop flag, so each picture has its own. A thread that sleeps most of the time
// raises all flags when the run is stopped, and one flag when the time of its picture is over. Time
// in which the picture waits for memory or for a device does not count.

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stop` is the run's. Calls `stopped` once after it was raised, on a thread of its own. If the
  /// system starts no thread, pictures have no limit, and problem() says why.
  TimeLimit(const std::atomic<bool>& stop, double seconds, std::function<void()> stopped = {});
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  double seconds() const { return seconds_; }
  const std::string& problem() const { return problem_; }

  /// The time of one picture. Must not outlive its limit.
  class Picture {
   public:
    explicit Picture(TimeLimit& limit);
    ~Picture();
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;

    /// Raised when the run is stopped, or when the time is over.
    const std::atomic<bool>& stop() const { return limit_.watches() ? stop_ : limit_.stop_; }
    bool is_over() const { return is_over_; }

    /// Calls `wait()`, which does not count as the picture's time.
    template <typename Wait>
    auto while_paused(Wait wait) {
      const Pause paused(*this);
      return wait();
    }

   private:
    friend TimeLimit;
    struct Pause {
      explicit Pause(Picture& its_picture) : picture(its_picture) { picture.pause(); }
      ~Pause() { picture.go_on(); }
      Picture& picture;
    };
    void pause();
    void go_on();

    TimeLimit& limit_;
    std::atomic<bool> stop_{false}, is_over_{false};
    bool is_paused_ = false;
    Clock::time_point since_ = Clock::now();
    Clock::duration before_{};
    std::list<Picture*>::iterator place_;
  };

 private:
  bool watches() const { return watcher_.joinable(); }
  void watch();

  const std::atomic<bool>& stop_;
  const double seconds_;
  std::function<void()> stopped_;  ///< empty once it was called
  std::string problem_;
  std::mutex mutex_;  // guards what follows, and the pictures' times
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::list<Picture*> pictures_;
  std::thread watcher_;
};

}  // namespace qturn
