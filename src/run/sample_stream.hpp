// Samples on their way from tars or folders to where they go: jobs as they are read, their files as
// a Source, and their results back in the order of the samples, whatever the order in which they
// are done.
//
// Memory is bounded by bytes: what has been read and what waits for an earlier sample, with room
// for the results that are still to come. A sample that needs more comes alone. Nothing but the
// order and the bytes of the files decides what is written, so threads and memory change no byte.
#ifndef QTURN_SRC_RUN_SAMPLE_STREAM_HPP
#define QTURN_SRC_RUN_SAMPLE_STREAM_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/plan/sample_jobs.hpp"
#include "src/plan/suspected_label.hpp"
#include "src/run/outcome.hpp"
#include "src/run/pipeline.hpp"
#include "src/store/sink.hpp"
#include "src/store/source.hpp"
#include "src/store/tar/reader.hpp"
#include "src/store/tar/writer.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {

struct SampleStreamOptions {
  const PlanOptions& plan;          ///< must outlive the stream
  std::string name;                 ///< of the tar, in paths of inputs and in messages; or empty
  std::string output;               ///< what goes before names in paths of outputs; ends with '/'
  std::uint64_t memory_bytes = 0;   ///< for samples under way
  std::uint64_t largest_bytes = 0;  ///< a sample that needs more, with its results, is refused
  bool strict = false;              ///< so is one of which a file would be copied
};

/// The names of samples, as hashes: in one output none comes twice.
using SampleKeys = std::unordered_set<std::uint64_t>;

class SampleStream : public JobStream, public Source {
 public:
  /// Writes a variant of a sample, in its order. Returns why it is not written; or empty.
  using Write = std::function<std::string(std::span<const NewMember> members)>;

  /// `stop` and `keys` must outlive it.
  SampleStream(SampleStreamOptions options, std::unique_ptr<MemberReader> reader,
               const std::atomic<bool>& stop, SampleKeys& keys, Write write);

  bool has(std::size_t index) override;
  Job operator[](std::size_t index) override;
  void give_up() override;

  /// A picture or a mask is handed over: it is read once.
  Original read(const std::filesystem::path& name, FileBytes memory) const override;
  std::uint64_t size(const std::filesystem::path& name) const override;

  /// A file of a result, and what it is made of.
  struct Made {
    std::filesystem::path input, output;
    Bytes content;
  };
  /// Counts what a result takes. Throws FileError if its sample would take too much with it, which
  /// is left out then, whichever of its results came first.
  void count_result(std::size_t job, std::uint64_t bytes);
  /// It was given up.
  void forget_result(std::size_t job, std::uint64_t bytes);
  /// Keeps a result that was counted, the picture first, until its sample is written.
  void keep(std::size_t job, std::vector<Made> files);
  /// To be called for each outcome. Writes the samples that are complete, in their order, and gives
  /// their outcomes to `report`. A variant of a sample is whole or left out: if one of its pictures
  /// is not there, the others become outcomes alike. Throws what `write` throws; the run cannot go
  /// on then.
  void settle(Outcome outcome, const std::function<void(const Outcome&)>& report);

  /// Why the tar could not be read to its end; empty if it could.
  const std::string& problem() const { return problem_; }
  /// A label that would not be turned. Once there is one, no more samples are read.
  const std::optional<ForeignLabelError>& foreign_label() const { return foreign_label_; }
  /// What was left out, counted by type.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }
  /// What was copied with pictures, counted by type.
  const std::map<std::string, std::uint64_t>& copied() const { return copied_; }

 private:
  struct Kept {
    std::size_t variant, file;  ///< its order in the sample
    NewMember member;
  };
  struct Sample {
    std::string key;
    std::vector<SampleFile> files = {};
    bool is_too_large = false;  ///< with its results
    std::string refusal = {};   ///< why it is not turned; or empty
    std::string refused = {};   ///< the file to blame
    std::filesystem::path refused_path = {};
    std::vector<Job> jobs = {};
    std::size_t outputs_left = 0;
    std::vector<Kept> kept = {};
    std::vector<Outcome> outcomes = {};
    SampleKeys names = {};                               ///< of files
    std::uint64_t file_bytes = 0;                        ///< with their names
    std::uint64_t result_bytes = 0, expected_bytes = 0;  ///< of results; expected: 0 if not known

    void refuse(const std::string& file, const std::filesystem::path& path, std::string why) {
      if (!refusal.empty()) return;
      refused = file;
      refused_path = path;
      refusal = std::move(why);
    }
    void refuse(const SampleFile& file, std::string why) {
      refuse(file.name, file.path, std::move(why));
    }
  };

  bool read_sample();
  bool take(const Member& member);
  bool wait_for_memory(std::uint64_t more);
  bool has_memory(std::uint64_t more) const;
  void wake_reader();
  void publish();
  void plan(Sample& sample);
  void look_for_labels(const Sample& sample);
  std::uint64_t memory_of(std::uint64_t file_bytes, std::uint64_t result_bytes) const;
  std::uint64_t memory_of(const Sample& sample) const;
  std::uint64_t expected_results(const Sample& sample) const;
  std::uint64_t in_use() const;
  Sample& sample_of(std::size_t job);
  static std::size_t variant_of(const Sample& sample, std::size_t job,
                                const std::filesystem::path& output);
  std::string why_too_large() const;
  void leave_out_parts(Sample& sample) const;
  void write(Sample& sample) const;
  std::filesystem::path path_of(const Member& member) const;

  const SampleStreamOptions options_;
  const std::atomic<bool>& stop_;
  const Write write_;
  const std::uint64_t results_;  // of a picture, at most

  // Of whoever calls has().
  const std::unique_ptr<MemberReader> reader_;
  SampleKeys& keys_;
  std::optional<Sample> current_;
  std::optional<Member> next_member_;  // of the next sample
  bool is_at_end_ = false;
  std::string problem_;
  LabelSuspicion suspicion_{false};
  std::optional<ForeignLabelError> foreign_label_;
  std::map<std::string, std::uint64_t> left_out_, copied_;

  mutable std::mutex mutex_;               // guards what follows
  std::optional<Resume> reader_waits_;     // for memory; there is one task that reads
  std::map<std::size_t, Sample> samples_;  // that are not written, by the number of the first job
  mutable std::unordered_map<std::string, SampleFile*> files_;  // of those, by path
  std::size_t job_count_ = 0;
  std::uint64_t writing_bytes_ = 0;  // of the sample that is being written
  bool is_given_up_ = false;
};

/// Gives results to a SampleStream.
class SampleSink : public Sink {
 public:
  explicit SampleSink(SampleStream& samples) : samples_(samples) {}
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  bool is_done(const Result&) const override { return false; }
  int results_on_their_way() const override { return 0; }

 private:
  SampleStream& samples_;
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_SAMPLE_STREAM_HPP
