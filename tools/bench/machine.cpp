#include "tools/bench/machine.hpp"

#include <commit.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>

namespace qturn::bench {
namespace {

Machine now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::array<char, 16> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d", &utc);
  return {"unknown", "", date.data(), commit_of_build};
}

std::string first_line_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::array<char, 512> line{};
  if (!pipe || !std::fgets(line.data(), static_cast<int>(line.size()), pipe.get())) return {};
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Machine this_cpu() {
  Machine machine = now();
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) {
      machine.device = line.substr(line.find(':') + 2) + ", one core";
      break;
    }
  }
  return machine;
}

Machine this_gpu(int device) {
  Machine machine = now();
  const std::string smi = "nvidia-smi --id=" + std::to_string(device) + " --format=csv,noheader ";
  const std::string name = first_line_of(smi + "--query-gpu=name 2>/dev/null");
  if (!name.empty()) machine.device = name;
  machine.driver =
      first_line_of(smi + "--query-gpu=driver_version,clocks.max.sm,clocks.max.mem 2>/dev/null");
  if (const std::size_t clocks = machine.driver.find(", "); clocks != std::string::npos)
    machine.driver.insert(clocks + 2, "clocks at most ");
  return machine;
}

std::string json_opening(const Machine& machine) {
  return fmt::format(
      "{{\"device\": \"{}\", \"driver\": \"{}\", \"date\": \"{}\", \"commit\": \"{}\", "
      "\"results\": [",
      machine.device, machine.driver, machine.date, machine.commit);
}

}  // namespace qturn::bench
