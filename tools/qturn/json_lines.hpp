// Where the machine-readable lines go: standard output, or a file.
#ifndef QTURN_TOOLS_QTURN_JSON_LINES_HPP
#define QTURN_TOOLS_QTURN_JSON_LINES_HPP

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Throws PlanError if --json's FILE is one of these files, which the lines would replace.
void refuse_json_in_place_of(const std::vector<std::filesystem::path>& files,
                             const CommandLine& line);

class JsonLines {
 public:
  /// Opens --json's FILE; throws PlanError if it cannot. Without --json lines go nowhere.
  explicit JsonLines(const CommandLine& line);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  void put(const std::string& line);

  bool is_wanted() const { return file_ != nullptr; }
  bool is_standard_output() const { return file_ == stdout; }

  /// False when they could not all be written, which is said on standard error.
  bool finish();

 private:
  std::FILE* file_ = nullptr;
  bool is_whole_ = true;
};

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JSON_LINES_HPP
