#include "src/sinks/file_sample_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <optional>
#include <span>

#include "src/files/source.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

class StagedFileResult : public StagedResult {
 public:
  StagedFileResult(StagedFiles files, std::vector<ContentHash> hashes, Intent intent,
                   std::vector<Backup> backups, GroupCommit& commits)
      : files_(std::move(files)),
        hashes_(std::move(hashes)),
        intent_(std::move(intent)),
        backups_(std::move(backups)),
        commits_(commits) {}
  std::vector<std::string> warnings() const override { return files_.warnings(); }
  std::vector<ContentHash> hashes() const override { return hashes_; }
  FileBytes read_back(std::size_t index, FileBytes memory) const override {
    return files_.read_back(index, std::move(memory));
  }
  std::vector<std::string> put_in_place() override {
    std::vector<std::string> warnings = commits_.commit(files_, intent_);
    for (Backup& backup : backups_) backup.keep();
    return warnings;
  }
  bool is_whole() const override { return files_.is_whole(); }
  bool has_placed(std::size_t companion) const override {
    return files_.is_in_place(companion + 1);
  }

 private:
  StagedFiles files_;
  std::vector<ContentHash> hashes_;
  Intent intent_;
  std::vector<Backup> backups_;
  GroupCommit& commits_;
};

}  // namespace

FileSampleWriter::FileSampleWriter(const FileWriterOptions& options, Journals* journals)
    : options_(options),
      journals_(journals),
      commits_(std::make_unique<GroupCommit>(options.fsync, journals)) {}

std::unique_ptr<StagedResult> FileSampleWriter::stage(const Result& result,
                                                      const Companions& companions) const {
  std::vector<NewFile> files = {{result.output.path, result.bytes}};
  if (options_.inputs_are_files) {
    files[0].like = result.job.input;
    files[0].like_state = result.input_state;
  }
  const auto refuse_existing = [&](const fs::path& output) {
    if (options_.if_exists != IfExists::replace && fs::exists(fs::symlink_status(output)))
      throw FileError("cannot write " + output.string(), output, system_code(EEXIST));
  };
  // If all these files are there, the error names the picture.
  if (!companions.empty()) refuse_existing(result.output.path);
  for (const Companion& companion : companions) {
    if (companion.is_required) refuse_existing(companion.output);
    files.push_back({companion.output, companion.content()});
    if (!options_.inputs_are_files) continue;
    files.back().like = companion.input;
    files.back().like_state = companion.state;
  }
  for (NewFile& file : files) file.places = options_.places;
  StagedFiles staged(files, options_.if_exists, options_.fsync == Fsync::each);
  std::vector<ContentHash> hashes;
  for (std::size_t i = 0; i < files.size(); ++i) hashes.push_back(staged.hash(i));
  Intent intent;
  std::vector<Backup> backups;
  for (std::size_t i = 0; i < files.size() && journals_; ++i) {
    const fs::path& original = i == 0 ? result.job.input : companions[i - 1].input;
    const fs::path& run = journals_->kept_in();
    fs::path backup;
    if (!run.empty()) {
      backup = i == 0 ? backup_place(run, result.job.key)
                      : backup_place(run, result.job.key, result.job.input, original);
      backups.emplace_back(original, backup, run, options_.fsync == Fsync::each, options_.places);
    }
    intent.push_back({std::move(files[i].target), staged.temporary(i),
                      i == 0 ? result.input_hash : companions[i - 1].source, hashes[i],
                      std::move(backup)});
    if (i == 0 && options_.in_place) intent[0].stored = result.stored;
  }
  return std::make_unique<StagedFileResult>(std::move(staged), std::move(hashes), std::move(intent),
                                            std::move(backups), *commits_);
}

bool FileSampleWriter::is_done(const Job& job, const JobOutput& output) const {
  if (!journals_) return false;
  journals_->refuse_unfinished(output.path, output.path);
  if (options_.in_place)
    for (const SharedLabel& label : job.shared_labels)
      journals_->refuse_unfinished(label.file, output.path);
  if (!journals_->resumes()) return false;
  std::vector<fs::path> files = {output.path};
  for (const CompanionKind kind :
       {CompanionKind::mask, CompanionKind::sidecar, CompanionKind::label})
    for (const Companion& each : output.companions)
      if (each.kind == kind) files.push_back(each.output);
  for (const Sidecar& sidecar : named_as_sidecars(job.input)) {
    fs::path path = options_.in_place ? sidecar.path : sidecar_of(output.path, sidecar);
    if (journals_->know(path, output.path)) files.push_back(std::move(path));
  }
  // In place, a file that a turn does not change, such as an empty label, tells nothing.
  if (options_.in_place) {
    const auto tells = [&](const fs::path& file) {
      return !journals_->stays_the_same(file, output.path);
    };
    if (std::ranges::any_of(files, tells)) std::erase_if(files, std::not_fn(tells));
  }
  const auto is_done = [&](const fs::path& file) { return journals_->is_done(file, output.path); };
  const bool is_first_done = is_done(files.front());
  const auto differs = std::ranges::find_if(
      files, [&](const fs::path& file) { return is_done(file) != is_first_done; });
  if (differs == files.end()) {
    if (options_.in_place)
      for (const SharedLabel& label : job.shared_labels)
        journals_->refuse_apart(label.file, output.path, is_first_done);
    if (is_first_done) commits_->add_done(files.front());
    return is_first_done;
  }
  if (options_.in_place) {
    const fs::path& done = is_first_done ? files.front() : *differs;
    const fs::path& original = is_first_done ? *differs : files.front();
    throw FileError(fmt::format("of what belongs together, {} is turned and {} is not; restore one "
                                "of them, and resume again",
                                done.string(), original.string()),
                    *differs, {});
  }
  if (options_.if_exists == IfExists::replace) return false;
  throw WithHints<FileError>(
      {Hint::resume_and_replace},
      fmt::format(
          "of {} and {} the interrupted run has written one, and the other is missing; remove "
          "the one and resume again",
          files.front().string(), differs->string()),
      *differs, std::error_code());
}

bool FileSampleWriter::is_left(const Job& job, const JobOutput& output) const {
  const bool updates = options_.existing == Existing::update;
  if (options_.existing != Existing::skip && !updates) return false;
  std::vector<fs::path> files = {output.path};
  for (const Companion& each : output.companions) files.push_back(each.output);
  std::error_code none;
  const auto is_there = [&](const fs::path& file) {
    return fs::exists(fs::symlink_status(file, none));
  };
  const auto there = std::ranges::count_if(files, is_there);
  if (there == 0) return false;
  if (there < std::ssize(files)) {
    if (updates) return false;
    throw FileError(fmt::format("{} exists, but not all that belongs to it",
                                std::ranges::find_if(files, is_there)->string()),
                    output.path, {});
  }
  if (!updates) return true;
  fs::path input = job.input;
  while (!input.empty() && !fs::exists(input, none)) input = input.parent_path();
  return !input.empty() && std::ranges::all_of(files, [&](const fs::path& file) {
    return fs::last_write_time(input, none) <= fs::last_write_time(file, none);
  });
}

std::vector<std::string> FileSampleWriter::replace_shared(
    const NewFile& file, const Job& of, const JournalContent::Hashes& hashes,
    const std::function<void(const StagedFiles&)>& prove) const {
  const bool is_flushed = options_.fsync == Fsync::each;
  StagedFiles staged(std::span(&file, 1), IfExists::replace, is_flushed);
  if (prove) {
    staged.seal(0);
    prove(staged);
  }
  Intent intent = {{file.target, staged.temporary(0), hashes.source, hashes.result}};
  std::optional<Backup> backup;
  if (const fs::path& run = journals_->kept_in(); !run.empty()) {
    const fs::path place = backup_place(run, of.key, of.input, file.target);
    // A run that this one resumes may have kept it, and put a result in its place since.
    if (hash_of_file(place) != journals_->first_content(file.target))
      backup.emplace(file.target, place, run, is_flushed, options_.places);
    intent.front().backup = place;
  }
  std::vector<std::string> warnings = staged.warnings();
  std::ranges::move(commits_->commit_alone(staged, intent), std::back_inserter(warnings));
  if (backup) backup->keep();
  return warnings;
}

std::vector<std::string> FileSampleWriter::finish() { return commits_->flush(); }

// With `each`, a result waits for the disk, and the next one is turned meanwhile.
int FileSampleWriter::results_on_their_way() const {
  return options_.fsync == Fsync::each ? GroupCommit::largest_group : 0;
}

}  // namespace qturn
