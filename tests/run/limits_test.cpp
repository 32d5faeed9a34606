#include "src/run/limits.hpp"

#include <sched.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/fixtures/temporary_folder.hpp"

namespace limits_test {

using qturn::available_cores;
using qturn::available_memory;

namespace {

constexpr std::uint64_t mib = 1 << 20;

std::string bytes(std::uint64_t count) { return std::to_string(count) + "\n"; }

}  // namespace

TEST_CASE("this machine has some memory available") { CHECK(available_memory() > mib); }

TEST_CASE("what is available is the least that the system and the control groups leave") {
  struct Case {
    std::string what, groups;  ///< of this process
    std::vector<std::pair<std::string, std::string>> files;
    std::uint64_t available;
  };
  for (const Case& each : {
           Case{"no groups: what the system has", "", {}, 1000 * mib},
           Case{"a limit of version 2, less what is neither used nor cache",
                "0::/user/job\n",
                {{"user/memory.max", "max\n"},
                 {"user/memory.current", bytes(900 * mib)},
                 {"user/job/memory.max", bytes(512 * mib)},
                 {"user/job/memory.current", bytes(200 * mib)},
                 {"user/job/memory.stat",
                  "anon 1\nactive_file 7\ninactive_file " + bytes(50 * mib)}},
                362 * mib},
           Case{"a tighter limit further up",
                "0::/user/job\n",
                {{"user/memory.max", bytes(300 * mib)},
                 {"user/memory.current", bytes(200 * mib)},
                 {"user/job/memory.max", bytes(512 * mib)},
                 {"user/job/memory.current", bytes(10 * mib)}},
                100 * mib},
           Case{"a limit of version 1, also beside an empty tree of version 2",
                "8:pids:/job\n4:cpu,memory:/job\n0::/\n",
                {{"memory/memory.limit_in_bytes", "9223372036854771712\n"},
                 {"memory/memory.usage_in_bytes", bytes(2000 * mib)},
                 {"memory/job/memory.limit_in_bytes", bytes(512 * mib)},
                 {"memory/job/memory.usage_in_bytes", bytes(200 * mib)},
                 {"memory/job/memory.stat",
                  "inactive_file " + bytes(3) + "total_inactive_file " + bytes(100 * mib)}},
                412 * mib},
           Case{"in a container whose group has the host's path, the topmost folder",
                "4:memory:/docker/0123456789\n",
                {{"memory/memory.limit_in_bytes", bytes(256 * mib)},
                 {"memory/memory.usage_in_bytes", bytes(56 * mib)}},
                200 * mib},
           Case{"a limit that is reached",
                "0::/\n",
                {{"memory.max", bytes(100 * mib)}, {"memory.current", bytes(101 * mib)}},
                0},
           Case{"a limit wider than the machine",
                "0::/\n",
                {{"memory.max", bytes(100'000 * mib)}, {"memory.current", bytes(0)}},
                1000 * mib},
       }) {
    CAPTURE(each.what);
    const TemporaryFolder root;  // a machine with 1000 MiB to use, before any limit
    root.add("proc/meminfo",
             "MemTotal:        4096000 kB\nMemFree:          512000 kB\n"
             "MemAvailable:    1024000 kB\nBuffers:           10000 kB\n");
    if (!each.groups.empty()) root.add("proc/self/cgroup", each.groups);
    for (const auto& [name, content] : each.files) root.add("sys/fs/cgroup/" + name, content);
    CHECK(available_memory(root.path()) == each.available);
  }
}

TEST_CASE("a thread that may run on one processor has one core") {
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  CHECK(available_cores("/no/such/folder") == CPU_COUNT(&all));
  int cores = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    if (::sched_setaffinity(0, sizeof one, &one) == 0) cores = available_cores();
  }).join();
  CHECK(cores == 1);
}

TEST_CASE("time that control groups are given counts as cores, rounded up, and no limit as none") {
  const int all = available_cores("/no/such/folder");
  const TemporaryFolder two;
  two.add("proc/self/cgroup", "0::/user/job\n");
  two.add("sys/fs/cgroup/user/cpu.max", "20000 100000\n");
  two.add("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  CHECK(available_cores(two.path()) == 1);
  two.add("sys/fs/cgroup/user/cpu.max", "max 100000\n");
  CHECK(available_cores(two.path()) == all);
  two.add("sys/fs/cgroup/user/cpu.max", std::to_string(100'000 * all - 1) + " 100000\n");
  CHECK(available_cores(two.path()) == all);

  const TemporaryFolder one;
  one.add("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n");
  one.add("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n");
  one.add("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  CHECK(available_cores(one.path()) == 1);
  one.add("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  CHECK(available_cores(one.path()) == all);
}

}  // namespace limits_test
