// The one place that joins files, threads and kernels.
//
//   job -> read -> decode -> turn on a lane, encode, write (each output) -> outcome
//
// It is a pipeline of oneTBB: jobs are taken in order, pictures are turned in parallel, and
// outcomes are reported one at a time. A thread takes a picture from one end to the other, so its
// bytes stay in the cache of one core. A picture that waits for memory, for a batch on a GPU or for
// the disk is a suspended task without a thread (tasks/suspend.hpp), so more pictures than threads
// may be in flight. Two budgets bound the memory: one for compressed files that have been read, one
// for pixels, reserved from the dimensions in the header before anything is decoded. They are
// always reserved in this order, first come, first served, so that nothing waits for ever. Memory
// that is kept for later pictures goes back to the system where a reservation needs it. A failing
// file is an outcome; the others go on. An error of the pipeline itself ends the run after the
// images in flight, and what was done until then has its outcomes.
#ifndef QTURN_SRC_RUN_PIPELINE_HPP
#define QTURN_SRC_RUN_PIPELINE_HPP

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>

#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "src/store/sink.hpp"
#include "src/store/source.hpp"

namespace qturn {

/// Jobs that become known while others are done.
class JobStream {
 public:
  virtual ~JobStream() = default;
  /// Whether there is a job of this number. They are asked about in ascending order, one call at a
  /// time. May suspend the calling task, and until jobs before it are reported.
  virtual bool has(std::size_t index) = 0;
  /// One that there is. On any thread.
  virtual Job operator[](std::size_t index) = 0;
  /// No more is reported. A call of has() that waits for that returns false.
  virtual void give_up() = 0;
};

/// A list of jobs, which may put each of them together when it is asked for it, or a stream. Must
/// not outlive that.
class JobView {
 public:
  template <typename List>
  JobView(const List& list)  // NOLINT(google-explicit-constructor): as std::span of a vector
      : size_(list.size()), at_([&list](std::size_t index) -> Job { return list[index]; }) {}
  JobView(JobStream& stream)  // NOLINT(google-explicit-constructor)
      : size_(std::numeric_limits<std::size_t>::max()),
        at_([&stream](std::size_t index) -> Job { return stream[index]; }),
        stream_(&stream) {}

  /// At most so many.
  std::size_t size() const { return size_; }
  bool has(std::size_t index) const { return stream_ ? stream_->has(index) : index < size_; }
  Job operator[](std::size_t index) const { return at_(index); }
  void give_up() const {
    if (stream_) stream_->give_up();
  }

 private:
  std::size_t size_;
  std::function<Job(std::size_t)> at_;
  JobStream* stream_ = nullptr;
};

/// What is to be said of a run as a whole; both are sentences, or empty.
struct RunEnd {
  std::string error;    ///< why it ended before all jobs were done
  std::string warning;  ///< threads that could not be started
};

/// Does the jobs in their order, from `source` to `sink`, and calls `report` once for every output,
/// one call at a time, in the order of completion. Blocks until all are done or, when `stop` is
/// raised, until those in flight have been given up; jobs that were not done then have no outcome.
/// Throws before the first job is started, CudaError when a lane cannot be made; never later.
RunEnd run(const JobView& jobs, const Source& source, const Sink& sink, const RunOptions& options,
           const std::atomic<bool>& stop, const std::function<void(const Outcome&)>& report);

}  // namespace qturn

#endif  // QTURN_SRC_RUN_PIPELINE_HPP
