// Samples of tars or of folders on their way to a tar or a folder: the steps of a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/files/source.hpp"
#include "src/picture/bytes.hpp"
#include "src/plan/plan.hpp"
#include "src/sources/sample_stream.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/sharding.hpp"

namespace qturn {

/// Throws PlanError for options that make no sense with tars as outputs, whatever the inputs are.
void refuse_unfit_for_tars(const CommandLine& line);

/// The share of the memory for files that were read from a tar or a folder and are not turned yet.
inline std::uint64_t bytes_of_reader(const RunOptions& options) { return options.memory_bytes / 4; }

/// A tar, or the pictures of folders, and what they become.
struct SampleInput {
  std::string tar;                          ///< "-": standard input; empty: folders
  std::filesystem::path output;             ///< a tar; a folder with --unpack
  std::shared_ptr<TarRecord> record = {};   ///< of the output; or null
  std::shared_ptr<const Plan> listed = {};  ///< of the folders, or of a tar that is listed; or null
};

/// Turns one input after the other, and counts.
class SampleRun {
 public:
  /// `found` receives what is left out, `tell` each outcome. The arguments must outlive it. Throws
  /// CudaError.
  SampleRun(const CommandLine& line, PlanOptions plan, const RunOptions& options, Plan& found,
            Run::Tell tell);

  /// Turns the samples of an input. Returns false if the run is over. Throws FileError if it cannot
  /// be opened, or if a file of many labels cannot be added to a tar.
  bool turn(const SampleInput& input, const Bytes& head, const SampleWriter& writer);
  /// The next samples go to another output.
  void end_output() { keys_.clear(); }
  /// Puts the output in its place. Nothing if since the last one a tar or a companion has failed.
  /// Throws FileError.
  std::optional<WrittenTar> finish(const std::filesystem::path& place, SampleWriter& writer);
  /// Whether there is a sample for the output that is not finished.
  bool has_samples() const { return written_.samples > 0; }
  /// Prints the summary. Returns the exit status.
  int end(Report& report, bool all_placed, bool whole);

  /// How many failures were not pictures: tars, and files that belong to pictures.
  std::uint64_t other_failures() const { return failed_tars_ + incomplete_; }
  const std::atomic<bool>& stop() const { return run_.stop(); }

 private:
  bool turn(const std::string& name, std::unique_ptr<MemberReader> reader, const SampleInput& input,
            const SampleWriter& writer);
  /// Says why a tar is not turned, or not written.
  void fail(const std::string& problem);
  void write_shared_labels(const Plan& listed, const WrittenPictures& written,
                           const SampleWriter& writer);
  void say_copied() const;

  const CommandLine& line_;
  PlanOptions plan_;  // for the input that is turned
  const RunOptions options_;
  const std::uint64_t reader_bytes_;  // a part of them is for labels of many pictures
  Plan& found_;
  const FileSource files_;
  const Run::Tell tell_;
  Run run_;
  SampleKeys keys_;
  std::map<std::string, std::uint64_t> copied_;
  WrittenTar written_;
  std::uint64_t failed_tars_ = 0, incomplete_ = 0, failures_before_ = 0;
};

/// What a run is given besides its options.
struct SampleWork {
  std::vector<SampleInput> inputs;  ///< the inputs of an output follow each other
  Plan found = {};                  ///< what is left out; the run adds to it
  Bytes head = {};                  ///< the beginning of standard input
  bool replaces = false;            ///< outputs that exist
  TarShard* shard = nullptr;
  Journals* journals = nullptr;  ///< of a folder; or null
};

/// Prints what a run would do. Returns the exit status.
int print_samples(const CommandLine& line, PlanOptions plan, const RunOptions& options,
                  SampleWork& work);

/// Turns the samples, and returns the exit status. `report`: of `work.found`. Throws PlanError,
/// LabelsError, FileError or CudaError if nothing was started, otherwise UnfinishedError.
int turn_samples(const CommandLine& line, PlanOptions plan, const RunOptions& options,
                 SampleWork& work, Report& report);

}  // namespace qturn
