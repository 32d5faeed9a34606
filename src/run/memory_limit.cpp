#include "src/run/memory_limit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file that holds nothing else. "max", too, is no number.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a word.
std::optional<std::uint64_t> number_behind(std::string_view word, const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number;
  for (std::string read; in >> read;) {
    if (read == word && in >> number) return number;
  }
  return std::nullopt;
}

/// What one version of control groups calls its files.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cache;  // in memory.stat
};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles version_2 = {"memory.max", "memory.current", "inactive_file"};

std::uint64_t left_in_group(const fs::path& group, const GroupFiles& files) {
  const auto limit = number_in(group / files.limit);
  const auto used = number_in(group / files.used);
  if (!limit || !used) return unlimited;
  const std::uint64_t cache = number_behind(files.cache, group / "memory.stat").value_or(0);
  const std::uint64_t held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

/// The least that this group and those above leave. Inside a container the path may be the host's,
/// with no such folder here: then the topmost folder is the container's own group.
std::uint64_t left_in_groups(const fs::path& mount, const fs::path& group,
                             const GroupFiles& files) {
  std::uint64_t left = left_in_group(mount, files);
  fs::path folder = mount;
  for (const fs::path& part : group.relative_path()) {
    folder /= part;
    left = std::min(left, left_in_group(folder, files));
  }
  return left;
}

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
  const auto kib = number_behind("MemAvailable:", root / "proc/meminfo");
  std::uint64_t least = kib ? *kib * 1024
                            : static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) *
                                  static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

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
      least = std::min(least, left_in_groups(mounts, group, version_2));
    } else if (controllers.find(",memory,") != controllers.npos) {
      least = std::min(least, left_in_groups(mounts / "memory", group, version_1));
    }
  }
  return least;
}

}  // namespace qturn
