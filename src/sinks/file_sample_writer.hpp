// The way out to files: into a folder, or in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/group_commit.hpp"
#include "src/files/journals.hpp"
#include "src/files/real_places.hpp"
#include "src/files/safe_file.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

struct FileWriterOptions {
  bool in_place = false;
  bool inputs_are_files = true;  ///< results get the modes and times of their inputs
  bool is_ordered = false;       ///< so the earlier one of two results with one name stays
  IfExists if_exists = IfExists::fail;
  /// Which existing results stay: with `skip` all, with `update` what is not older than the file of
  /// its input, which may be a tar. A plan of files has left them out already.
  Existing existing = Existing::refuse;
  Fsync fsync = Fsync::each;
  const RealPlaces* places = nullptr;  ///< of results; it must outlive the writer
};

/// Names are paths of files. In place, a result and its companions replace their inputs.
class FileSampleWriter : public SampleWriter {
 public:
  /// `journals`: null if there are none. They must outlive the writer.
  explicit FileSampleWriter(const FileWriterOptions& options, Journals* journals = nullptr);
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  bool is_done(const Job& job, const JobOutput& output) const override;
  bool is_left(const Job& job, const JobOutput& output) const override;
  bool is_ordered() const override { return options_.is_ordered; }
  /// In place: puts a shared file in its place, with a line of the journal and a backup, as a
  /// picture. `hashes` is read when `file` is written, `of` is a picture whose labels it has.
  /// `prove` looks at it before, and its exceptions are passed on; may be null. Returns warnings;
  /// throws FileError.
  std::vector<std::string> replace_shared(
      const NewFile& file, const Job& of, const JournalContent::Hashes& hashes,
      const std::function<void(const StagedFiles&)>& prove) const;
  int results_on_their_way() const override;
  std::vector<std::string> finish() override;

 private:
  const FileWriterOptions options_;
  Journals* const journals_;
  const std::unique_ptr<GroupCommit> commits_;
};

}  // namespace qturn
