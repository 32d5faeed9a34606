#include "tools/qturn/journaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "src/dataset/manifest.hpp"
#include "src/dataset/shards.hpp"
#include "src/plan/journal_roots.hpp"
#include "src/plan/places.hpp"
#include "src/run/flight.hpp"
#include "src/sinks/tar_sample_writer.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run_options.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// If backups lay in the inputs, the next run would turn them.
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

std::optional<JournalContent> known_by_manifest(const CommandLine& line, JpegEdges edges) {
  if (line.command != CommandLine::Command::augment) return std::nullopt;
  return read_manifest(fs::path(line.output) / "manifest.jsonl", result_options(line, edges, "="));
}

void say_nothing_to_resume(const CommandLine& line) {
  if (!line.quiet)
    print_message(
        "there is no interrupted run to resume, and no record of one that is done, so "
        "this one begins");
}

fs::path record_of(const fs::path& tar) {
  return tar.parent_path() / fmt::format("{}-{}", journal_name, tar.filename().string());
}

bool has_record_of_tars(const fs::path& output) {
  std::error_code unknown;
  if (!fs::is_directory(output, unknown)) return fs::exists(record_of(output), unknown);
  for (fs::directory_iterator entry(output, unknown), end; !unknown && entry != end;
       entry.increment(unknown)) {
    const fs::path name = entry->path().filename();
    if (is_journal_name(name.string()) && name.extension() == ".tar") return true;
  }
  return false;
}

/// The folder for records of runs in place; empty if there is no such folder.
fs::path records_folder() {
  // A path that is not absolute counts as not set, says the XDG base directory specification.
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value && *value == '/' ? value : "");
  };
  const fs::path state = absolute("XDG_STATE_HOME"), home = absolute("HOME");
  if (!state.empty()) return state / "qturn";
  return home.empty() ? fs::path() : home / ".local/state/qturn";
}

std::string how_long_since(const std::string& utc) {
  std::tm time = {};
  if (!::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &time)) return "before";
  const auto seconds =
      static_cast<std::uint64_t>(std::max<std::time_t>(std::time(nullptr) - ::timegm(&time), 0));
  if (seconds < 120) return counted(seconds, "second ago", "seconds ago");
  if (seconds < 7200) return counted(seconds / 60, "minute ago", "minutes ago");
  if (seconds < 172800) return counted(seconds / 3600, "hour ago", "hours ago");
  return counted(seconds / 86400, "day ago", "days ago");
}

/// Warns that pictures are turned again. A second `upright` changes nothing, and needs no warning.
void warn_of_done(const CommandLine& line, const DoneBefore& done) {
  if (done.pictures == 0 || line.orientation == Orientation::identity || line.quiet) return;
  print_message(
      fmt::format("{} turned by {} {}, and will be turned again",
                  done.pictures == 1 ? "this picture was"
                                     : fmt::format("these {} pictures were", done.pictures),
                  done.operation.substr(0, done.operation.find(' ')), how_long_since(done.ended)),
      Tone::warning);
}

}  // namespace

bool leaves_record(const CommandLine& line) { return line.resume || line.begins_resumable; }

std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, Fsync fsync) {
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
                         .keep = leaves_record(line) && !line.shard,
                         .flushed = fsync == Fsync::each,
                         .records_flushed = fsync != Fsync::never};
  if (line.in_place) {
    if (!line.no_record) journal.records = records_folder();
    journal.roots = roots_in_place(options);
    journal.originals = [&files = plan.jobs.files()](const JournalOptions::Visit& visit) {
      for (const FoundFile& file : files) {
        const FileId id = files.id(file);
        if (file.picture)
          visit(files.path(file), {id.device, id.inode, file.bytes, file.modified_ns});
      }
    };
    journal.shared = [&jobs = plan.jobs](const JournalOptions::VisitShared& visit) {
      jobs.shared_labels().for_each_replaced([&](const SharedLabels::File& file) {
        for (const auto& picture : file.pictures)
          if (picture) visit(file.input, jobs.place_of(*picture));
      });
    };
  } else {
    journal.roots = {{plan.output_folder, absolute_inputs(options)}};
    if (line.shard)
      journal.roots[0].place = shard_folder(plan.output_folder, *line.shard);
    else
      journal.known = [&] { return known_by_manifest(line, edges); };
  }
  auto journals = std::make_unique<Journals>(std::move(journal), plan.journals);
  warn_of_done(line, journals->done_before());
  if (!line.backup.empty()) {
    journals->keep_originals(line.backup);
    refuse_full_backup(plan.jobs, journals->kept_in());
  }
  if (!line.resume || journals->resumes()) return journals;
  if (!line.shard) say_nothing_to_resume(line);
  return journals;
}

TarRecord::TarRecord(const CommandLine& line, fs::path tar, std::vector<std::string> inputs,
                     const ContentHash& digest, JpegEdges edges)
    : tar_(std::move(tar)),
      file_(record_of(tar_)),
      root_(fs::absolute(tar_).parent_path() / ""),
      are_numbered_(line.tar_bytes > 0),
      flushed_(line.fsync != Fsync::never) {
  header_.operation = operation_of(line, edges);
  header_.inputs = std::move(inputs);
  header_.originals = digits_of(digest);
  header_.root = root_.string();
}

bool TarRecord::is_done() const {
  const auto content = read_journal(file_, root_);
  if (!content || content->files.empty() || !content->header.is_of_same_run(header_) ||
      content->header.originals != header_.originals || (are_numbered_ && !content->is_complete))
    return false;
  const auto is_there = [&](const fs::path& tar) {
    const JournalContent::Hashes* known = content->of(tar, root_);
    return known && hash_of_file(tar) == known->result;
  };
  if (!are_numbered_) return is_there(tar_);
  for (std::size_t i = 0; i < content->files.size(); ++i)
    if (!is_there(numbered_tar(tar_, i))) return false;
  return true;
}

Journal* TarRecord::begin() {
  std::error_code absent;
  fs::remove(file_, absent);
  fs::create_directories(root_);
  journal_.emplace(file_, root_, header_, std::nullopt, flushed_);
  return &*journal_;
}

bool is_merged(const CommandLine& line, JpegEdges edges) {
  return line.resume && line.shard && !fs::exists(shards_folder(line.output)) &&
         known_by_manifest(line, edges);
}

void rethrow_unfinished(const std::exception& error, const Journals* journals) {
  if (!journals || !journals->have_changed()) throw;
  const Sentence why = reason(error);
  throw WithHints<UnfinishedError>(why.hints, why.text);
}

void begin_if_nothing_to_resume(CommandLine& line, JpegEdges edges) {
  if (!line.resume || line.shard || line.in_place) return;
  const fs::path journal = fs::path(line.output) / journal_name;
  std::error_code error;
  const auto bytes = fs::file_size(journal, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw FileError("cannot look at " + journal.string(), journal, error);
  if ((!error && bytes > 0) || known_by_manifest(line, edges) || has_record_of_tars(line.output))
    return;
  refuse_unmerged_shards(line.output);
  line.resume = false;
  line.begins_resumable = true;
  say_nothing_to_resume(line);
}

}  // namespace qturn
