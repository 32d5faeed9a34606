// The one place that joins files, threads and kernels.
//
//   job -> read -> decode -> turn on a lane, encode, write (each output) -> outcome
//
// Every worker thread takes one image from one end to the other, so an image's bytes stay in that
// core's cache, and as many images are in flight as there are threads; more, on threads that wait,
// where a GPU takes JPEGs in batches (seats.hpp). Two budgets bound the memory:
// one for compressed files that have been read, one for pixels, taken from the header's dimensions
// before anything is decoded. They are always taken in that order, and served first come first
// served, so that nothing waits for ever. A failing file is an outcome; the rest go on.
#ifndef QTURN_SRC_RUN_PIPELINE_HPP
#define QTURN_SRC_RUN_PIPELINE_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/jpeg/route.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/device.hpp"
#include "src/run/outcome.hpp"

namespace qturn {

/// What becomes of XMP files beside pictures that hold an orientation.
enum class Sidecars : std::uint8_t { ignore, report, turn };

struct RunOptions {
  /// What is applied to each picture as a viewer shows it; `upright` is identity. An output's own
  /// variant comes on top.
  Orientation orientation = Orientation::identity;
  bool in_place = false;
  bool replace_existing = false;      ///< outputs that exist are replaced, otherwise they fail
  bool tag_only = false;              ///< the orientation goes into the tag, no pixel is turned
  bool strict = false;                ///< what would be a warning is a failure
  bool allow_storage_change = false;  ///< of a TIFF; never in place
  Sidecars sidecars = Sidecars::ignore;
  int threads = 1;
  std::uint64_t memory_bytes = 0;  ///< for files and pixels in flight
  DeviceChoice device;
  JpegOptions jpeg;  ///< for JPEGs that stay JPEGs
};

/// Does the jobs in their order and calls `report` once for every output, one call at a time, in
/// the order of completion. Blocks until all are done or, when `stop` is raised, until those in
/// flight have been given up; jobs that were not done then have no outcome. Throws CudaError when a
/// lane cannot be made; never for what is wrong with a file.
void run(const std::vector<Job>& jobs, const RunOptions& options, const std::atomic<bool>& stop,
         const std::function<void(const Outcome&)>& report);

}  // namespace qturn

#endif  // QTURN_SRC_RUN_PIPELINE_HPP
