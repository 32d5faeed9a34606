// The way back: the originals that a run in place has kept replace its results. A picture goes back
// with all that belongs to it, and only over files that are still what the run wrote. A backup is
// moved: on one file system the very file is back, with its metadata and its hard links. It is kept
// if a later run has replaced the same file: whoever restores that run, too, may need it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/group_commit.hpp"
#include "src/files/real_places.hpp"
#include "src/files/source.hpp"
#include "src/plan/jobs.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

// The pictures of a run that kept their originals, as the jobs of the run that puts them back.

/// Their files are not read: the way out (restore_writer.hpp) hashes and moves them.
class RecordedPictures : public Source {
 public:
  /// It must outlive this. `are_wanted`: tells whether a picture, by its number, is among them.
  RecordedPictures(const KeptRun& run, const std::function<bool(std::size_t)>& are_wanted)
      : run_(run) {
    for (std::size_t number = 0; number < run.pictures.size(); ++number)
      if (are_wanted(number)) numbers_.push_back(number);
  }
  std::size_t size() const { return numbers_.size(); }
  Job operator[](std::size_t index) const {
    const IntendedFile& picture = run_.pictures[numbers_[index]].front();
    return {.number = numbers_[index],
            .input = picture.backup,
            .key = picture.target.string(),
            .outputs = {{picture.target}},
            .copy_verbatim = true};
  }

  Original read(const std::filesystem::path& name, FileBytes /*memory*/) const override {
    return {.path = name, .lower_suffix = {}, .bytes = {}};
  }
  std::uint64_t size(const std::filesystem::path& /*name*/) const override { return 0; }

 private:
  const KeptRun& run_;
  std::vector<std::size_t> numbers_;
};

class RestoreWriter final : public SampleWriter {
 public:
  /// Both must outlive it. `journals`: null if nothing is to be written.
  RestoreWriter(const KeptRun& run, Journals* journals);

  /// From now on shared files and their pictures are left as they are: `file`, one of them, cannot
  /// be put back. If it is empty, they are not left.
  void leave_shared(const std::filesystem::path& file) { not_restored_ = file; }

  /// The job of a result is the number of its picture in the record.
  ///
  /// Throws FileError if a file is not what the run wrote, or its original is not there.
  bool is_done(const Job& job, const JobOutput& output) const override;
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  int results_on_their_way() const override { return GroupCommit::largest_group; }

 private:
  void forget(const IntendedFile& file) const;

  const KeptRun& run_;
  const std::set<std::filesystem::path> held_later_;
  Journals* const journals_;
  RealPlaces places_;
  const std::unique_ptr<GroupCommit> commits_;
  struct Found {
    FileState state = {};
    std::optional<ContentHash> hash = {};
    bool is_original = false, is_result = false;  ///< both: the turn did not change it
    bool is_kept = false;                         ///< the backup is there, as another file
  };
  static Found look_at(const IntendedFile& file);
  /// By picture and by file.
  mutable std::vector<std::vector<Found>> found_;
  std::filesystem::path not_restored_;  // of a shared file and its pictures; or empty
};

}  // namespace qturn
