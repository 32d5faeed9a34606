// Where the machine-readable lines go: standard output, or a file.
#ifndef QTURN_TOOLS_QTURN_JSON_LINES_HPP
#define QTURN_TOOLS_QTURN_JSON_LINES_HPP

#include <cstdio>
#include <filesystem>
#include <string>

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Throws PlanError if --json's FILE is this file, which the lines would replace.
void refuse_json_in_place_of(const std::filesystem::path& file, const CommandLine& line);

class JsonLines {
 public:
  /// Opens --json's FILE; throws PlanError if it cannot. Without --json lines go nowhere.
  explicit JsonLines(const CommandLine& line);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// `make()` is the line; it is made only where it is wanted.
  template <typename Make>
  void put(Make make) {
    if (file_) write(make());
  }

  bool is_standard_output() const { return file_ == stdout; }

  /// False when they could not all be written, which is said on standard error.
  bool finish();

 private:
  void write(const std::string& line);

  std::FILE* file_ = nullptr;
  bool is_whole_ = true;
};

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JSON_LINES_HPP
