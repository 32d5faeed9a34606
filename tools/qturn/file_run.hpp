// Files to files, in a folder or in place: the steps of a run, in their order.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/files/standard_streams.hpp"
#include "src/picture/bytes.hpp"
#include "src/plan/plan.hpp"
#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sinks/sample_writer.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/dry_run.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

/// What augment does besides turning pictures: what it refuses and says before the run, and the
/// files about all pictures that it writes after it.
class Augmentation {
 public:
  /// Says what a run must know about labels. Throws PlanError.
  Augmentation(const CommandLine& line, const Plan& plan, const ReportPlace& json);

  /// Writes the manifest, the label files of many pictures and the files of data sets. An
  /// interrupted run writes the manifest alone, so that shorter files do not replace the files of
  /// an earlier run. False if one could not be written: messages say why.
  ///
  /// Writes nothing if no picture was written or is there. So a run that ended before its first
  /// result can be repeated, and no file is replaced by an empty one. `journals`: null if there are
  /// none.
  bool finish(const WrittenPictures& written, const RunOptions& options, const Journals* journals,
              bool is_interrupted) const;

 private:
  /// Writes the files that are not about one picture alone; a shard writes its part of them. Adds
  /// to `listed` what the manifest lists.
  FileResults write_files_of_all(const RunOptions& options, const WrittenPictures& written,
                                 std::vector<ManifestFile>& listed) const;

  const CommandLine& line_;
  const Plan& plan_;
  std::filesystem::path manifest_;
};

class FileRun {
 public:
  /// Plans the run. `head`: the beginning of standard input, if that is the input. `line` must
  /// outlive it. Throws PlanError.
  FileRun(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head);

  /// Throws PlanError if inputs or output belong to other runs. Says which shard this is, if any.
  void check_places();
  /// Whether another run has done all of this shard.
  bool is_done_before() const { return shard_ && shard_->is_complete(); }
  /// Throws PlanError for labels that would not be turned, and says which labels are turned.
  void check_labels();
  /// Prints what the run would do. Returns the exit status.
  int print() const { return print_plan(line_, plan_, source(), options_); }
  /// Locks the output and opens the journals. From here on files are changed. False: another run
  /// has done all of this shard meanwhile.
  bool begin();
  void turn_pictures();
  /// Writes the files about all pictures, prints the summary and ends the journals. Returns whether
  /// nothing is missing.
  bool finish();

 private:
  const Source& source() const {
    return standard_input_ ? static_cast<const Source&>(*standard_input_) : files_;
  }
  FileWriterOptions sink_options(Fsync fsync) const;
  bool write_files_of_all();

  const CommandLine& line_;
  PlanOptions wanted_;
  RunOptions options_;
  std::optional<StandardInput> standard_input_;
  const FileSource files_;
  Plan plan_;
  std::optional<ReportPlace> json_place_;
  std::optional<ShardOfRun> shard_;
  std::optional<Augmentation> augmentation_;
  const std::atomic<bool>* stop_ = nullptr;  // once it has begun
  std::unique_ptr<Journals> journals_;       // null if there are none
  std::optional<FileSampleWriter> sink_;
  std::optional<Report> report_;
  std::optional<WrittenPictures> written_;
  RunEnd end_;
  bool is_interrupted_ = false;  // once it has ended
};

}  // namespace qturn
