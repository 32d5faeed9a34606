// This is the one place that joins files, threads and kernels.
//
//   SampleReader -> read, decode -> for each output: turn, encode, stage
//                -> SampleWriter puts them in place -> outcomes
//
// It is a pipeline of oneTBB. The reader gives samples in order, and samples are turned in
// parallel. Results for a folder are put in place in parallel, too. Results for a tar are put in
// place in the order of the samples, by the last filter. A thread takes a sample from one end to
// the other, so its bytes stay in the cache of one core. A picture that waits for memory, for a
// batch on a GPU or for the disk is a suspended task without a thread (tasks/suspend.hpp), so more
// pictures than threads may be in flight.
//
// Two budgets bound the memory: one is for compressed files that have been read, the other for
// pixels, whose dimensions the header tells before anything is decoded. A picture reserves from
// the first and then from the second, first come, first served, so that nothing waits for ever. A
// reader that has files in memory before they are turned has a budget of its own
// (sample_stream.hpp). Memory that is kept for later pictures goes back to the system where a
// reservation needs it.
//
// A file that fails is an outcome; the others go on. An error of the pipeline itself ends the run
// after the pictures in flight, and all that was done before is reported.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/run/flight.hpp"
#include "src/run/limits.hpp"
#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "src/sinks/sample_writer.hpp"
#include "src/sources/sample_reader.hpp"
#include "src/tasks/byte_budget.hpp"

namespace qturn {

/// How a run ended as a whole. The texts are sentences, or empty.
struct RunEnd {
  Sentence error;              ///< why it ended before all jobs were done
  std::string warning;         ///< threads that could not be started
  std::uint64_t variants = 0;  ///< how many variants of samples were put in their places
};

/// The lanes, the memory and the GPUs. They serve one run after the other, such as one for each
/// tar.
class Engine {
 public:
  /// `stop` must outlive it. `jpeg_device` turns JPEGs; null: one is made as `options` say.
  /// Throws CudaError when a lane cannot be made.
  Engine(const RunOptions& options, const std::atomic<bool>& stop,
         JpegDevice* jpeg_device = nullptr);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Turns the samples of `reader` into `writer`, and calls `report` once for each output, one call
  /// at a time: in the order of completion, or of the samples if the writer is ordered. Blocks
  /// until all are done or, when `stop` is raised, until those in flight are given up; jobs that
  /// were not done then have no outcome. Throws only before the first job is started.
  RunEnd run(SampleReader& reader, const SampleWriter& writer,
             const std::function<void(const Outcome&)>& report);

 private:
  std::size_t most_in_flight(const SampleReader& reader, const SampleWriter& writer) const;

  const RunOptions options_;
  const std::atomic<bool>& stop_;
  SpareBytes spare_;
  LanePool lanes_;
  ByteBudget files_, pixels_;
  TimeLimit time_limit_;
  const std::unique_ptr<JpegDevice> own_device_;
  JpegDevice* const device_;  ///< null: there is none
};

}  // namespace qturn
