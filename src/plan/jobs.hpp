// The jobs of a plan: each input file with its outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/companions/companion_files.hpp"
#include "src/companions/data_sets.hpp"
#include "src/companions/leftovers.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/files/real_places.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"

namespace qturn {

/// One output of a job. For a plain operation there is one, and `variant` is unused (identity).
struct JobOutput {
  std::filesystem::path path;
  Orientation variant = Orientation::identity;
  std::vector<Companion> companions = {};  ///< the same for each output, in the order of kinds
};

/// One input file and its outputs.
struct Job {
  /// Of a file of a tar that is no picture.
  static constexpr std::size_t unnumbered = std::numeric_limits<std::size_t>::max();

  std::size_t number = 0;  ///< of its file in the list of files; outcomes refer to it
  std::filesystem::path input;
  std::string key;        ///< relative path with '/' between parts, the bytes of the file system
  Sentence problem = {};  ///< why it cannot be done, for its outcomes; or empty
  std::uint64_t file_bytes = 0;
  const Codec* target = nullptr;  ///< the format to write; null: the input's own
  std::vector<JobOutput> outputs;
  bool copy_verbatim = false;  ///< not a picture; --others copy
  std::vector<SharedLabel> shared_labels = {};
  /// How the picture is stored is told though its results are left alone: it cannot be read again.
  bool tells_stored = false;

  const std::vector<Companion>& companions() const { return outputs.front().companions; }
};

/// An output that exists and is left alone (--skip-existing, --update).
struct Skipped {
  std::filesystem::path input, output;
  std::string key;
  Orientation variant = Orientation::identity;
  bool is_picture = true;
};

/// Calls `visit(input, output)` for the files that are made once for all pictures.
template <typename Visit>
void for_each_made_once(const SharedLabels& labels, const DataSets& data_sets, Visit visit) {
  for (const SharedLabels::File& file : labels.files())
    if (file.found > 0) visit(file.input, file.output);
  for (const DataSets::File& file : data_sets.files()) visit(file.input, file.output);
}

/// All jobs of a plan. A job is put together when it is asked for, so a plan takes about a hundred
/// bytes for each picture.
class JobList {
 public:
  JobList() = default;
  JobList(FileList files, OutputNames names, CompanionFiles labels = {},
          SharedLabels shared_labels = {}, CompanionFiles masks = {}, DataSets data_sets = {},
          CompanionFiles sidecars = {});

  /// Largest file first, ties by key.
  std::size_t size() const { return order_.size(); }
  bool empty() const { return order_.empty(); }
  Job operator[](std::size_t index) const { return job_of(order_[index]); }
  /// The job of the file with this number.
  Job job_of(std::size_t number) const;

  struct Iterator {
    const JobList* list;
    std::size_t index;
    Job operator*() const { return (*list)[index]; }
    Iterator& operator++() { return ++index, *this; }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// Calls `visit(Skipped)`, ascending by key and variant.
  template <typename Visit>
  void for_each_skipped(Visit visit) const {
    for (const FoundFile& file : files_)
      file.kept.for_each([&](Orientation variant) { visit(skipped(file, variant)); });
  }

  std::uint64_t output_count() const { return output_count_; }
  std::uint64_t skipped_count() const { return skipped_count_; }
  /// The sum of input sizes: each input counts once for each of its outputs.
  std::uint64_t work_bytes() const { return work_bytes_; }

  /// Ascending by key. A file that is neither to do nor kept belongs to no job.
  const FileList& files() const { return files_; }
  const OutputNames& names() const { return names_; }
  const CompanionFiles& labels() const { return labels_; }
  const SharedLabels& shared_labels() const { return shared_labels_; }
  const CompanionFiles& masks() const { return masks_; }
  /// Without the sidecars of --sidecars, which are found while their pictures are turned.
  const CompanionFiles& sidecars() const { return sidecars_; }
  CompanionFiles::All companions() const { return {&labels_, &sidecars_, &masks_}; }
  const DataSets& data_sets() const { return data_sets_; }
  template <typename Visit>
  void for_each_made_once(Visit visit) const {
    qturn::for_each_made_once(shared_labels_, data_sets_, visit);
  }
  /// Where the result of the file with this number goes, if it has one.
  std::filesystem::path place_of(std::size_t number) const {
    return names_.path_of(files_, files_[number], Orientation::identity);
  }
  /// The companions of the file with this number.
  std::vector<Companion> companions_of(std::size_t number, Orientation variant) const;
  /// Where the turned companion goes.
  std::filesystem::path output_of(const CompanionFiles& among,
                                  const CompanionFiles::File& companion, Orientation variant) const;

 private:
  Skipped skipped(const FoundFile& file, Orientation variant) const;

  FileList files_;
  OutputNames names_;
  CompanionFiles labels_, sidecars_, masks_;
  SharedLabels shared_labels_;
  DataSets data_sets_;
  std::vector<std::size_t> order_;  // the jobs in their order, as numbers of files
  std::uint64_t output_count_ = 0, skipped_count_ = 0, work_bytes_ = 0;
};

}  // namespace qturn
