#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "src/dataset/merge.hpp"
#include "src/files/journals.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

int merge(const CommandLine& line) try {
  const std::string output = printable(line.output);
  const std::optional<MergedShards> merged = merge_shards(line.output);
  if (!merged) {
    if (!line.quiet) print_message(output + " is already merged");
    return 0;
  }
  say_warnings(merged->warnings);
  if (merged->failed > 0) {
    print_message(fmt::format("{} failed; {}/manifest.jsonl names {}",
                              counted(merged->failed, "picture", "pictures"), output,
                              merged->failed == 1 ? "it" : "them"));
  }
  const int status = merged->failed > 0 ? 1 : 0;
  if (line.quiet) return status;
  const std::string counts =
      merged->dealt == Dealt::samples
          ? fmt::format("samples: {}, pictures: {}", merged->samples, merged->pictures)
          : fmt::format("tars: {}, samples: {}", merged->tars, merged->samples);
  print_message(
      fmt::format("shards: {}, {}; {} is now one output", merged->shards, counts, output));
  return status;
} catch (const UnfinishedError& error) {
  throw UnfinishedError(fmt::format("{}; run 'qturn merge {}' again", error.what(), line.output));
}

}  // namespace qturn
