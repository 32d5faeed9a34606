// The way back: originals that a run in place has kept replace what it made of them. A picture goes
// back with all that belongs to it, and only over files that are still what the run wrote. A backup
// is moved: on one file system the very file is back, with its metadata and its other names. It
// stays where a later run has replaced the same file: to take that back, too, may need it again.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/group_commit.hpp"
#include "src/files/real_places.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

class RestoreWriter final : public SampleWriter {
 public:
  /// Both must outlive it. `journals`: null if nothing is to be written.
  RestoreWriter(const KeptRun& run, Journals* journals);

  /// The job of a result is the number of its picture in the record.
  ///
  /// Throws FileError if a file is not what the run wrote, or its original is not there.
  bool is_done(const Result& result) const override;
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
  /// Of each picture, of each file: what it is, if it is to be replaced.
  mutable std::vector<std::vector<std::optional<FileState>>> found_;
};

}  // namespace qturn
