#include "src/run/limits.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file that holds one number. Nothing if it holds "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The number after a word.
std::optional<std::uint64_t> number_after(std::string_view word, const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number;
  for (std::string read; in >> read;) {
    if (read == word && in >> number) return number;
  }
  return std::nullopt;
}

enum class Version { one, two };

/// Calls `look(folder, version)` for each control group that limits `controller` for this process.
/// Inside a container the path may be the host's and not exist here. Then the topmost folder is the
/// container's own group.
template <typename Look>
void look_at_groups(const fs::path& root, std::string_view controller, Look look) {
  const auto look_down = [&](const fs::path& mount, const fs::path& group, Version version) {
    look(mount, version);
    fs::path folder = mount;
    for (const fs::path& part : group.relative_path()) look(folder /= part, version);
  };
  // Lines of "NUMBER:CONTROLLER,CONTROLLER:/GROUP"; version 2 has number 0 and no controllers.
  std::ifstream groups(root / "proc/self/cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      look_down(mounts, group, Version::two);
    } else if (controllers.find(fmt::format(",{},", controller)) != controllers.npos) {
      look_down(mounts / controller, group, Version::one);
    }
  }
}

std::uint64_t memory_left(const fs::path& group, Version version) {
  const bool one = version == Version::one;
  const auto limit = number_in(group / (one ? "memory.limit_in_bytes" : "memory.max"));
  const auto used = number_in(group / (one ? "memory.usage_in_bytes" : "memory.current"));
  if (!limit || !used) return unlimited;
  const std::uint64_t cache =
      number_after(one ? "total_inactive_file" : "inactive_file", group / "memory.stat")
          .value_or(0);
  const std::uint64_t held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

/// The time limit in processors; nothing if there is no limit.
std::optional<double> processors(const fs::path& group, Version version) {
  std::optional<std::uint64_t> quota, period;
  if (version == Version::one) {
    quota = number_in(group / "cpu.cfs_quota_us");  // no limit is -1, a huge number here
    period = number_in(group / "cpu.cfs_period_us");
  } else {
    std::ifstream in(group / "cpu.max");  // "QUOTA PERIOD" or "max PERIOD"
    std::uint64_t first, second;
    if (in >> first >> second) {
      quota = first;
      period = second;
    }
  }
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
  const auto kib = number_after("MemAvailable:", root / "proc/meminfo");
  std::uint64_t least = kib ? *kib * 1024
                            : static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) *
                                  static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

  look_at_groups(root, "memory", [&](const fs::path& group, Version version) {
    least = std::min(least, memory_left(group, version));
  });
  return least;
}

int available_cores(const fs::path& root) {
  cpu_set_t set;
  int cores = ::sched_getaffinity(0, sizeof set, &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(std::thread::hardware_concurrency());  // over 1024 of them
  look_at_groups(root, "cpu", [&](const fs::path& group, Version version) {
    if (const auto given = processors(group, version); given && *given < cores) {
      cores = static_cast<int>(std::ceil(*given));
    }
  });
  return std::max(cores, 1);
}

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
      if (picture->is_paused_ || picture->stop_) continue;
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
  is_paused_ = true;
  before_ += Clock::now() - since_;
}

void TimeLimit::Picture::go_on() {
  const std::lock_guard lock(limit_.mutex_);
  is_paused_ = false;
  since_ = Clock::now();
}

}  // namespace qturn
