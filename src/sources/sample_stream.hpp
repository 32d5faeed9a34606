// The samples of a tar, or of folders that become a tar: members that follow each other are
// gathered and planned (plan/sample_jobs.hpp).
//
// Memory is bounded by bytes: the files that have been read, the results that wait for an earlier
// sample, and room for results that are still to come. It is reserved in the order of the samples,
// so no sample waits for a later one. A sample that needs more comes alone. Only the order and the
// bytes of the files decide what is written, so threads and memory change no byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/companions/leftovers.hpp"
#include "src/companions/paired_folders.hpp"
#include "src/plan/plan.hpp"
#include "src/plan/sample_jobs.hpp"
#include "src/sample/harmless.hpp"
#include "src/sources/listed_tar.hpp"
#include "src/sources/member_reader.hpp"
#include "src/sources/sample_reader.hpp"
#include "src/tasks/byte_budget.hpp"

namespace qturn {

struct SampleStreamOptions {
  const PlanOptions& plan;          ///< must outlive the stream
  std::string name;                 ///< the tar's, in paths of inputs and in messages; or empty
  std::string output;               ///< begins the paths of outputs; ends with '/'
  std::uint64_t memory_bytes = 0;   ///< for samples under way
  std::uint64_t largest_bytes = 0;  ///< a sample that needs more, with its results, is refused
  std::uint64_t label_bytes = 0;    ///< for labels of many pictures (LabelsInPassing)
  bool strict = false;              ///< a sample with a file that would be copied is refused
  bool is_pipe = false;             ///< a sample with a file that would be left untrue is refused
  /// The plan of the folder; or of the tar, with what belongs to pictures and lies elsewhere in it.
  /// Null: none is needed, or the tar is read once. If it has pictures, the job of a picture in
  /// this list has its number there.
  const Plan* listed = nullptr;
};

/// The hashes of the names of samples: a name may come only once in an output.
using SampleKeys = std::unordered_set<std::uint64_t>;

class SampleStream : public SampleReader {
 public:
  /// `stop` and `keys` must outlive it.
  SampleStream(SampleStreamOptions options, std::unique_ptr<MemberReader> reader,
               const std::atomic<bool>& stop, SampleKeys& keys);

  std::optional<SampleJobs> next() override;
  void reuse(SpareBytes* spare) override { spare_ = spare; }

  /// Why the tar could not be read to its end; empty if it could.
  const std::string& problem() const { return problem_; }
  /// A file that would be left untrue. Once there is one, no more samples are read.
  const std::optional<LeftoverError>& leftover() const { return leftover_; }
  /// Why labels of many pictures cannot be turned, if they are no leftover. Then the same holds.
  const std::optional<LabelsError>& labels_problem() const { return labels_problem_; }
  /// Labels of many pictures in a tar that is read once; null if there can be none.
  LabelsInPassing* labels() const { return labels_.get(); }
  /// Two pictures that may belong together, and would get different variants. Then no more samples
  /// are read, either. Empty if there are none.
  const std::string& pair() const { return pair_; }
  /// A value of --group that gives both the same variants.
  std::string group_of_pair() const { return pairs_.group(); }
  /// The files that were left out, counted by type.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }
  /// How many of these are labels that --labels leaves out.
  std::uint64_t label_files() const { return label_files_; }
  /// The files that were copied with pictures, counted by type.
  const std::map<std::string, std::uint64_t>& copied() const { return copied_; }

 private:
  struct Gathered {
    std::string key;
    std::vector<SampleFile> files = {};
    std::vector<SampleFile> elsewhere = {};  ///< files that lie elsewhere in the tar
    Sentence refusal = {};                   ///< why it is not turned; or empty
    std::string refused = {};                ///< the file to blame
    std::filesystem::path refused_path = {};
    SampleKeys names = {};         ///< of files
    std::uint64_t file_bytes = 0;  ///< with their names
    Reservation memory = {};

    bool is_refused() const { return !refusal.text.empty(); }
    void refuse(const std::string& file, const std::filesystem::path& path, Sentence why) {
      if (is_refused()) return;
      refused = file;
      refused_path = path;
      refusal = std::move(why);
    }
    void refuse(const SampleFile& file, Sentence why) {
      refuse(file.name, file.path, std::move(why));
    }
  };

  /// A file that belongs to no sample, and may be about pictures that come later.
  struct Loose {
    std::filesystem::path path;
    std::string head;
    std::vector<std::uint64_t> stems;  // hashes of the stems that it names
  };

  std::optional<Gathered> gather();
  void take(const Member& member);
  std::optional<SampleJobs> planned(Gathered sample);
  std::vector<Job> jobs_of(Gathered& sample);
  bool is_picture(const SampleFile& file) const;
  void take_labels(Gathered& sample);
  bool lists_tar() const { return options_.listed && !options_.name.empty(); }
  void number(Job& job);
  bool is_listed(const Member& member) const;
  void add_listed(Gathered& sample, std::vector<Job>& jobs) const;
  void refuse_too_large(Gathered& sample, const Member& member, std::uint64_t needed) const;
  void look_for_leftovers(const Gathered& sample);
  void look_for_pairs(const Gathered& sample, const SamplePlan& planned);
  void refuse_untrue(const Loose& file) const;
  void reserve(Gathered& sample, std::uint64_t bytes);
  std::uint64_t memory_of(std::uint64_t file_bytes, std::uint64_t result_bytes) const;
  std::uint64_t expected_results(const std::vector<Job>& jobs,
                                 const std::vector<SampleFile>& files) const;
  std::filesystem::path path_of(const Member& member) const;

  const SampleStreamOptions options_;
  const std::atomic<bool>& stop_;
  const std::uint64_t results_;  // a picture has at most so many
  ByteBudget memory_;
  const std::unique_ptr<MemberReader> reader_;
  SampleKeys& keys_;
  SpareBytes* spare_ = nullptr;
  std::optional<Gathered> current_;
  std::optional<Member> next_member_;  // of the next sample
  bool is_at_end_ = false;
  std::size_t job_count_ = 0;
  std::string problem_;
  PictureNames pictures_;
  std::vector<std::optional<Size>> sizes_;  // of pictures_
  std::vector<Loose> loose_;
  std::vector<std::pair<std::string, std::optional<Size>>> drawn_;  // pictures, with --random
  PairedNames pairs_;
  std::string pair_;
  std::optional<LeftoverError> leftover_;
  std::optional<LabelsError> labels_problem_;
  const std::unique_ptr<LabelsInPassing> labels_;
  std::map<std::string, std::uint64_t> left_out_, copied_;
  std::uint64_t label_files_ = 0;
};

}  // namespace qturn
