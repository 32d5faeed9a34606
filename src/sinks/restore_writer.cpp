#include "src/sinks/restore_writer.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "src/picture/errors.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Removes a backup that would be a hard link to the restored file.
void remove(const fs::path& backup, std::vector<std::string>& warnings) {
  if (::unlink(backup.c_str()) == 0 || errno == ENOENT) return;
  warnings.push_back(fmt::format("{} is put back, and could not be removed: {}", backup.string(),
                                 system_code(errno).message()));
}

class RestoredFiles final : public StagedResult {
 public:
  RestoredFiles(StagedFiles files, Intent intent, const std::set<fs::path>& held_later,
                GroupCommit& commits)
      : files_(std::move(files)),
        intent_(std::move(intent)),
        held_later_(held_later),
        commits_(commits) {}
  std::vector<std::string> warnings() const override { return files_.warnings(); }
  std::vector<std::string> put_in_place() override {
    std::vector<std::string> warnings = commits_.commit(files_, intent_);
    for (std::size_t i = 0; i < intent_.size(); ++i)
      if (files_.is_in_place(i) && !held_later_.contains(intent_[i].target))
        remove(intent_[i].backup, warnings);
    return warnings;
  }
  bool is_whole() const override { return files_.is_whole(); }

 private:
  StagedFiles files_;
  Intent intent_;
  const std::set<fs::path>& held_later_;
  GroupCommit& commits_;
};

}  // namespace

RestoreWriter::Found RestoreWriter::look_at(const IntendedFile& file) {
  struct stat status = {};
  if (::stat(file.target.c_str(), &status) != 0 && errno != ENOENT && errno != ENOTDIR)
    throw FileError("cannot look at " + file.target.string(), file.target, system_code(errno));
  const auto hash = hash_of_file(file.target);
  if (!hash) return {};
  std::error_code none;
  return {state_of(status), hash, *hash == file.source,
          *hash == file.result || std::ranges::count(file.earlier, *hash) > 0,
          fs::exists(file.backup, none) && !fs::equivalent(file.target, file.backup, none)};
}

RestoreWriter::RestoreWriter(const KeptRun& run, Journals* journals)
    : run_(run),
      held_later_(held_by_later_runs(run)),
      journals_(journals),
      commits_(std::make_unique<GroupCommit>(Fsync::each, journals)),
      found_(run.pictures.size()) {
  for (const Intent& picture : run.pictures) {
    for (const IntendedFile& file : picture) {
      places_.add_folder(file.target.parent_path());
      places_.add_file(file.target);
    }
  }
}

// Removes a backup that is not needed: a killed run left it for a file that it had not replaced or
// had restored already, or it is a hard link to a file that the turn did not change.
void RestoreWriter::forget(const IntendedFile& file) const {
  if (journals_ && !held_later_.contains(file.target)) ::unlink(file.backup.c_str());
}

// The journal has been finished, so a picture and its companions are all original or all turned.
bool RestoreWriter::is_done(const Job& job, const JobOutput& /*output*/) const {
  const Intent& picture = run_.pictures[job.number];
  std::vector<Found>& files = found_[job.number];
  files.clear();
  for (const IntendedFile& file : picture) files.push_back(look_at(file));
  const auto changed = std::ranges::find(files, false, &Found::is_result);
  const bool is_all_original = std::ranges::all_of(files, &Found::is_original);
  if (is_all_original && (changed != files.end() || std::ranges::none_of(files, &Found::is_kept))) {
    for (const IntendedFile& file : picture) forget(file);
    return true;
  }
  const auto refuse = [&](const IntendedFile& file, const char* why) {
    throw FileError(fmt::format("{}{}, so it was left as it is; its original is {}",
                                &file == &picture.front() ? "" : file.target.string() + " ", why,
                                file.backup.string()),
                    file.target, {});
  };
  if (changed != files.end())
    refuse(picture[static_cast<std::size_t>(changed - files.begin())], "is not what the run wrote");
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].is_kept && !files[i].is_original)
      throw FileError(picture[i].backup.string() + ", its original, is missing", picture[i].backup,
                      {});
  if (!not_restored_.empty() && run_.is_shared(job.number))
    throw FileError(fmt::format("was left as it is, because {} cannot be put back, and files with "
                                "the labels of many pictures go back with all of them",
                                not_restored_.string()),
                    picture.front().target, {});
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].is_kept) forget(picture[i]);
  return false;
}

std::unique_ptr<StagedResult> RestoreWriter::stage(const Result& result,
                                                   const Companions& /*companions*/) const {
  const Intent& picture = run_.pictures[result.job.number];
  std::vector<NewFile> files;
  Intent intent;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const Found& found = found_[result.job.number][i];
    if (!found.is_kept) continue;
    const IntendedFile& file = picture[i];
    files.push_back({.target = file.target,
                     .content = {},
                     .like = file.target,
                     .like_state = found.state,
                     .places = &places_,
                     .same_as = file.backup});
    intent.push_back({file.target, {}, *found.hash, file.source, file.backup, file.stored});
  }
  StagedFiles staged(files, IfExists::replace, true);
  for (std::size_t i = 0; i < intent.size(); ++i) {
    IntendedFile& file = intent[i];
    file.temporary = staged.temporary(i);
    const auto hash = hash_of_file(file.temporary);
    if (hash == file.result) continue;  // it is the original
    if (hash_of_file(file.backup) != file.result) {
      throw FileError(fmt::format("{} is not the original any more, and was not put back",
                                  file.backup.string()),
                      file.backup, {});
    }
    throw ProofError(fmt::format("{} was copied with another hash: {} expected, {} found",
                                 file.backup.string(), digits_of(file.result),
                                 hash ? digits_of(*hash) : "no file"));
  }
  return std::make_unique<RestoredFiles>(std::move(staged), std::move(intent), held_later_,
                                         *commits_);
}

}  // namespace qturn
