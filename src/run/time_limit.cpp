#include "src/run/time_limit.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace qturn {

TimeLimit::TimeLimit(const std::atomic<bool>& stop, double seconds, std::function<void()> stopped)
    : stop_(stop), seconds_(seconds), stopped_(std::move(stopped)) {
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    problem_ = fmt::format(
        "the time of a picture is not limited: no thread for that could be "
        "started ({})",
        error.what());
  }
}

TimeLimit::~TimeLimit() {
  if (!watches()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_one();
  watcher_.join();
}

// The run's flag is raised by a signal handler, which cannot wake anybody.
void TimeLimit::watch() {
  constexpr std::chrono::milliseconds nap{50};
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, nap, [&] { return is_ended_; })) {
    if (const auto stopped = stop_ ? std::exchange(stopped_, {}) : nullptr) stopped();
    const Clock::time_point now = Clock::now();
    for (Picture* picture : pictures_) {
      if (stop_) picture->stop_ = true;
      if (picture->is_away_ || picture->stop_) continue;
      const std::chrono::duration<double> worked = picture->before_ + (now - picture->since_);
      if (worked.count() <= seconds_) continue;
      picture->is_over_ = true;
      picture->stop_ = true;
    }
  }
}

TimeLimit::Picture::Picture(TimeLimit& limit) : limit_(limit) {
  const std::lock_guard lock(limit_.mutex_);
  stop_ = limit_.stop_.load();
  place_ = limit_.pictures_.insert(limit_.pictures_.end(), this);
}

TimeLimit::Picture::~Picture() {
  const std::lock_guard lock(limit_.mutex_);
  limit_.pictures_.erase(place_);
}

void TimeLimit::Picture::pause() {
  const std::lock_guard lock(limit_.mutex_);
  is_away_ = true;
  before_ += Clock::now() - since_;
}

void TimeLimit::Picture::go_on() {
  const std::lock_guard lock(limit_.mutex_);
  is_away_ = false;
  since_ = Clock::now();
}

}  // namespace qturn
