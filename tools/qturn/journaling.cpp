#include "tools/qturn/journaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "src/dataset/shards.hpp"
#include "src/plan/backup_space.hpp"
#include "src/plan/journal_roots.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/result_options.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The next run would turn what is kept there.
void refuse_backup_in_inputs(const fs::path& backup, const PlanOptions& options) {
  const fs::path place = fs::weakly_canonical(fs::absolute(backup));
  for (const fs::path& input : options.inputs) {
    if (!fs::is_directory(input)) continue;
    const fs::path folder = fs::canonical(input);
    if (std::ranges::mismatch(folder, place).in1 == folder.end()) {
      throw PlanError(fmt::format(
          "--backup {} lies inside the input {}, where the next run would read it; choose a folder "
          "elsewhere",
          backup.string(), input.string()));
    }
  }
}

void say_nothing_to_resume(const CommandLine& line) {
  if (!line.quiet) print_message("there is no interrupted run to resume, so this one begins");
}

}  // namespace

std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, bool flushed) {
  using Start = JournalOptions::Start;
  if (!line.backup.empty()) refuse_backup_in_inputs(line.backup, options);
  if (!line.in_place && plan.output_folder.empty()) return nullptr;
  JournalOptions journal{.roots = {},
                         .operation = operation_of(line, edges),
                         .start = line.resume    ? Start::resume
                                  : line.restart ? Start::restart
                                                 : Start::anew,
                         .in_place = line.in_place,
                         .overwrite = line.existing == Existing::overwrite,
                         .keep = line.in_place && line.resume,
                         .flushed = flushed};
  if (line.in_place) {
    journal.roots = roots_in_place(options);
    journal.originals = [&files = plan.jobs.files()](const JournalOptions::Visit& visit) {
      for (const FoundFile& file : files) {
        const FileId id = files.id(file);
        if (file.picture)
          visit(files.path(file), {id.device, id.inode, file.bytes, file.modified_ns});
      }
    };
  } else {
    journal.roots = {{plan.output_folder, absolute_inputs(options)}};
    if (line.shard) journal.roots[0].place = shard_folder(plan.output_folder, *line.shard);
  }
  auto journals = std::make_unique<Journals>(std::move(journal), plan.journals);
  if (!line.backup.empty()) {
    journals->keep_originals(line.backup);
    refuse_full_backup(plan, journals->kept_in());
  }
  if (!line.resume || journals->resumes()) return journals;
  if (!line.shard) say_nothing_to_resume(line);
  return journals;
}

void begin_if_nothing_to_resume(CommandLine& line) {
  if (!line.resume || line.shard || line.in_place) return;
  const fs::path journal = fs::path(line.output) / journal_name;
  std::error_code error;
  const auto bytes = fs::file_size(journal, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw FileError("cannot look at " + journal.string(), journal, error);
  if (!error && bytes > 0) return;
  refuse_unmerged_shards(line.output);
  line.resume = false;
  say_nothing_to_resume(line);
}

}  // namespace qturn
