#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/check/check_sink.hpp"
#include "src/plan/find_files.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/resources.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

struct CheckJobs {
  const FileList& files;
  bool quick;

  std::size_t size() const { return files.size(); }
  Job operator[](std::size_t index) const {
    // A file that is taken as it is, is not decoded.
    return {.number = index,
            .input = files.path(files[index]),
            .key = files.key(files[index]),
            .file_bytes = files[index].bytes,
            .outputs = {{}},
            .copy_verbatim = quick};
  }
};

}  // namespace

int check_pictures(const CommandLine& line, const PlanOptions& inputs) {
  FoundFiles found = find_files(inputs);
  found.files.erase_if([&](const FoundFile& file) {
    if (!file.picture && file.is_named) {
      found.unreadable.push_back(not_a_picture(found.files.path(file)));
    }
    return !file.picture;
  });
  if (found.files.empty()) throw PlanError("no pictures to check");
  const JsonPlace json_place(line);
  for (const FoundFile& file : found.files) json_place.refuse(found.files.path(file));
  JsonLines json(line);

  std::uint64_t disagreeing = 0, failed = found.unreadable.size(), checked = 0;
  for (const std::string& reason : found.unreadable) print_message(printable(reason));
  RunOptions options;
  options.decode_only = true;
  options.raw = line.raw;
  set_resources(line, options);
  const auto report = [&](const Outcome& outcome) {
    const std::string name = printable(outcome.input.string());
    const bool is_read = outcome.status == Status::done;
    ++(is_read ? checked : failed);
    if (!is_read) print_message(fmt::format("{}: {}", name, printable(outcome.message)));
    const std::vector<std::string> findings =
        is_read ? outcome.warnings : std::vector<std::string>();
    disagreeing += findings.empty() ? 0 : 1;
    json.put([&] { return json_line_checked(outcome.input, findings, outcome.message); });
    if (json.is_standard_output()) return;
    for (const std::string& finding : findings) {
      fmt::print("{}: {}\n", name, printable(finding));
    }
  };
  const CheckJobs jobs{found.files, line.quick};
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end = run(jobs, FileSource(), CheckSink(line.limits), options, stop, report);
  bool whole = is_whole(end);
  if (!line.quiet) {
    print_message(fmt::format(
        "{} {} checked{}, {} of them with findings{}", checked,
        checked == 1 ? "picture" : "pictures", line.quick ? " without pixels" : "", disagreeing,
        failed > 0 ? fmt::format(", {} damaged or not readable", failed) : ""));
  }
  whole = json.finish() && whole;
  if (stop) return stop_exit_code();
  return !whole || disagreeing + failed > 0 ? 1 : 0;
}

}  // namespace qturn
