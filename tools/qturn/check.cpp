#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/files/safe_file.hpp"
#include "src/formats/check.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/sidecars.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
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

}  // namespace

int check_pictures(const CommandLine& line, const PlanOptions& inputs) {
  const std::atomic<bool>& stop = watch_stop_signals();
  FoundFiles found = find_files(inputs);
  std::erase_if(found.files, [](const FoundFile& file) { return !file.picture; });
  if (found.files.empty()) throw PlanError("no pictures to check");
  for (const FoundFile& file : found.files) refuse_json_in_place_of(file.path, line);
  JsonLines json(line);

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
    json.put([&] { return json_line_checked(file.path, findings, failure); });
    if (json.is_standard_output()) continue;
    for (const std::string& finding : findings) {
      fmt::print("{}: {}\n", name, printable(finding));
    }
  }
  if (!line.quiet) {
    print_message(fmt::format("{} {} checked, {} of them with carriers that disagree{}", checked,
                              checked == 1 ? "picture" : "pictures", disagreeing,
                              failed > 0 ? fmt::format(", {} failed", failed) : ""));
  }
  const bool whole = json.finish();
  if (stop) return stop_exit_code();
  return !whole || disagreeing + failed > 0 ? 1 : 0;
}

}  // namespace qturn
