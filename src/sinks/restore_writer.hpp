// The way back: the originals that a run in place has kept replace its results. A picture goes back
// with all that belongs to it, and only over files that are still what the run wrote. A backup is
// moved: on one file system the very file is back, with its metadata and its hard links. It is kept
// if a later run has replaced the same file: whoever restores that run, too, may need it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
  /// It must outlive this.
  explicit RecordedPictures(const KeptRun& run) : run_(run) {}
  std::size_t size() const { return run_.pictures.size(); }
  Job operator[](std::size_t index) const {
    const IntendedFile& picture = run_.pictures[index].front();
    return {.number = index,
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
};

class RestoreWriter final : public SampleWriter {
 public:
  /// Both must outlive it. `journals`: null if nothing is to be written.
  RestoreWriter(const KeptRun& run, Journals* journals);

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
  /// By picture and by file: the state of the file if it is to be replaced.
  mutable std::vector<std::vector<std::optional<FileState>>> found_;
};

}  // namespace qturn
