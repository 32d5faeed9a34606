// Samples from a reader to an output: what a run does for each tar or folder, and what it counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/dataset/shards.hpp"
#include "src/picture/bytes.hpp"
#include "src/run/pipeline.hpp"
#include "src/sources/sample_stream.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

/// Throws PlanError for options that make no sense with tars as outputs, whatever the inputs are.
void refuse_unfit_for_tars(const CommandLine& line);

class TarRun {
 public:
  using Tell = std::function<void(const Outcome&)>;

  /// `found` receives what is left out, `tell` each outcome. The arguments must outlive it. Throws
  /// CudaError.
  TarRun(const CommandLine& line, PlanOptions plan, const RunOptions& options, Plan& found,
         Tell tell);

  /// Turns what the tar of this name has; "-" is standard input, which begins with `head`. Returns
  /// false if the run is over. Throws FileError if it cannot be opened.
  bool turn_tar(const std::string& tar, const Bytes& head, const std::filesystem::path& place,
                const SampleWriter& writer);
  /// Turns the samples of `reader`. `name`: the tar's, or empty. Returns false if the run is over.
  bool turn(const std::string& name, std::unique_ptr<MemberReader> reader,
            const std::filesystem::path& place, const SampleWriter& writer);
  /// The next samples go to another output.
  void end_output() { keys_.clear(); }
  /// Puts the output in its place. Nothing if something else than a picture has failed since the
  /// last one. Throws FileError.
  std::optional<WrittenTar> finish(const std::filesystem::path& place, SampleWriter& writer);
  /// Whether there is a sample for the output that is not finished.
  bool has_samples() const { return written_.samples > 0; }
  /// Prints the summary. Returns the exit status.
  int end(Report& report, bool all_placed, bool whole);

  /// Says why a tar is not turned, or not written.
  void fail(const std::string& problem);
  /// How many failures were not pictures: tars, and files that belong to pictures.
  std::uint64_t other_failures() const { return failed_tars_ + incomplete_; }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  void say_copied() const;

  const CommandLine& line_;
  const PlanOptions plan_;
  const RunOptions options_;
  Plan& found_;
  const Tell tell_;
  const std::atomic<bool>& stop_;
  Engine engine_;
  SampleKeys keys_;
  std::map<std::string, std::uint64_t> copied_;
  WrittenTar written_;
  std::uint64_t failed_tars_ = 0, incomplete_ = 0, failures_before_ = 0;
};

}  // namespace qturn
