// The ways in: a reader gives the samples of a run, one after the other. Only here do a list of
// files, a tar, a folder whose pictures go into a tar, and standard input differ.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/files/source.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/plan/jobs.hpp"
#include "src/tasks/byte_budget.hpp"

namespace qturn {

// The memory that is reserved for a sample: its files, and its results until they are written.

/// One thread at a time.
class SampleMemory {
 public:
  /// `reserved`: memory for the files, and for the results as far as they can be estimated. A
  /// sample that takes more than `largest_bytes` is too large.
  SampleMemory(Reservation reserved, std::uint64_t file_bytes, std::uint64_t largest_bytes)
      : reserved_(std::move(reserved)), file_bytes_(file_bytes), largest_bytes_(largest_bytes) {}

  /// Counts a result that waits to be written. Throws FileError if that makes the sample too large.
  /// Then its other results are not written either, even those that came first.
  void add_result(std::uint64_t bytes);
  bool is_too_large() const { return is_too_large_; }
  Sentence why_too_large() const;
  /// Gives up the memory of the files, and keeps so many bytes for results.
  void keep(std::uint64_t result_bytes) { reserved_.resize(result_bytes); }

 private:
  Reservation reserved_;
  const std::uint64_t file_bytes_, largest_bytes_;
  std::uint64_t result_bytes_ = 0;
  bool is_too_large_ = false;
};

inline void SampleMemory::add_result(std::uint64_t bytes) {
  result_bytes_ += bytes;
  const std::uint64_t needed = file_bytes_ + result_bytes_;
  is_too_large_ = is_too_large_ || needed > largest_bytes_;
  if (is_too_large_) {
    Sentence why = why_too_large();
    throw WithHints<FileError>(std::move(why.hints), why.text, std::filesystem::path(),
                               std::error_code());
  }
  reserved_.resize(std::max(reserved_.bytes(), needed));
}

inline Sentence SampleMemory::why_too_large() const {
  return {fmt::format("its sample needs more than {} MiB of memory with its results",
                      largest_bytes_ >> 20),
          {Hint::more_memory}};
}

/// The pictures of a sample. Their results stand or fall together, variant by variant.
struct SampleJobs {
  std::vector<Job> jobs;                      ///< all with the same variants
  std::shared_ptr<const Source> source;       ///< of their files
  std::unique_ptr<SampleMemory> memory = {};  ///< null: its files are not in memory yet
};

class SampleReader {
 public:
  virtual ~SampleReader() = default;
  /// The next sample; nothing after the last, or when the run is over. One call at a time. May
  /// suspend the calling task.
  virtual std::optional<SampleJobs> next() = 0;
  /// From now on large files are read into memory from `spare`; null: no longer.
  virtual void reuse(SpareBytes* /*spare*/) {}
  /// There are at most so many samples.
  virtual std::size_t size() const { return std::numeric_limits<std::size_t>::max(); }
};

/// Reads a list of known jobs. Each is a sample, and is put together when its turn comes.
template <typename List>
class ListReader : public SampleReader {
 public:
  /// Both must outlive it.
  ListReader(const List& list, const Source& source)
      : list_(list), source_(std::shared_ptr<const Source>(), &source) {}
  std::optional<SampleJobs> next() override {
    if (next_ == list_.size()) return std::nullopt;
    SampleJobs sample{.jobs = {}, .source = source_};
    sample.jobs.push_back(list_[next_++]);
    return sample;
  }
  std::size_t size() const override { return list_.size(); }

 private:
  const List& list_;
  const std::shared_ptr<const Source> source_;  // does not own it
  std::size_t next_ = 0;
};

}  // namespace qturn
