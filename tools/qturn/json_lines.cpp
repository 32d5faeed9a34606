#include "tools/qturn/json_lines.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "src/plan/jobs.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

namespace fs = std::filesystem;

void refuse_json_in_place_of(const fs::path& file, const CommandLine& line) {
  if (line.json_file.empty()) return;
  const fs::path wanted = fs::absolute(line.json_file).lexically_normal();
  std::error_code ignored;
  if (fs::equivalent(wanted, file, ignored) || fs::absolute(file).lexically_normal() == wanted) {
    throw PlanError(fmt::format("--json would write in the place of {}; name another file",
                                printable(file.string())));
  }
}

JsonLines::JsonLines(const CommandLine& line) {
  if (!line.json) return;
  file_ = line.json_file.empty() ? stdout : std::fopen(line.json_file.c_str(), "w");
  if (!file_) {
    throw PlanError(
        fmt::format("cannot write {}: {}", printable(line.json_file), std::strerror(errno)));
  }
}

JsonLines::~JsonLines() {
  if (file_ && file_ != stdout) std::fclose(file_);
}

void JsonLines::write(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 || std::fflush(file_) != 0) is_whole_ = false;
}

bool JsonLines::finish() {
  if (!is_whole_) print_message("the JSON lines could not all be written");
  return is_whole_;
}

}  // namespace qturn
