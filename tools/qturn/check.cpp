#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "src/files/safe_file.hpp"
#include "src/formats/check.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/sidecars.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

std::vector<std::string> findings_of(const std::filesystem::path& path) {
  const Bytes file = read_file(path);
  const auto head = std::span(file).first(std::min(file.size(), format_signature_bytes));
  const auto format = format_of_content(head, lower_suffix(path));
  if (!format) throw ImageFileError("not a picture in a format that qturn reads");
  std::vector<std::string> findings = check_carriers(file, *format);
  for (const Sidecar& sidecar : find_sidecars(path, findings)) {
    const auto more = check_xmp(sidecar.packet, read_header(file, *format),
                                sidecar.path.filename().string() + " beside it");
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_json(const CommandLine& line) {
  if (!line.json || line.json_file.empty()) return {nullptr, std::fclose};
  File file(std::fopen(line.json_file.c_str(), "w"), std::fclose);
  if (!file) {
    throw PlanError(
        fmt::format("cannot write {}: {}", printable(line.json_file), std::strerror(errno)));
  }
  return file;
}

}  // namespace

int check_pictures(const CommandLine& line, const PlanOptions& inputs) {
  const std::atomic<bool>& stop = watch_stop_signals();
  FoundFiles found = find_files(inputs);
  std::erase_if(found.files, [](const FoundFile& file) { return !file.picture; });
  if (found.files.empty()) throw PlanError("no pictures to check");
  const File json_file = open_json(line);
  std::FILE* json = json_file ? json_file.get() : stdout;

  std::size_t disagreeing = 0, failed = found.unreadable.size(), checked = 0;
  for (const std::string& reason : found.unreadable) print_message(printable(reason));
  for (const FoundFile& file : found.files) {
    if (stop) break;
    const std::string name = printable(file.path.string());
    std::vector<std::string> findings;
    std::string failure;
    try {
      findings = findings_of(file.path);
      ++checked;
      disagreeing += !findings.empty();
    } catch (const std::exception& error) {
      failure = error.what();
      ++failed;
      print_message(fmt::format("{}: {}", name, printable(failure)));
    }
    if (line.json) fmt::print(json, "{}\n", json_line_checked(file.path, findings, failure));
    if (line.json && json == stdout) continue;
    for (const std::string& finding : findings) {
      fmt::print("{}: {}\n", name, printable(finding));
    }
  }
  if (!line.quiet) {
    print_message(fmt::format("{} {} checked, {} of them with carriers that disagree{}", checked,
                              checked == 1 ? "picture" : "pictures", disagreeing,
                              failed > 0 ? fmt::format(", {} failed", failed) : ""));
  }
  if (stop) return stop_exit_code();
  return disagreeing + failed > 0 ? 1 : 0;
}

}  // namespace qturn
