// A tar whose labels lie in a file of many pictures. It is read once before it is turned, so that
// the pictures are known by then.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "src/inputs/options.hpp"
#include "src/plan/plan.hpp"

namespace qturn {

/// The pictures of the tar, and their labels in the file that `options.labels` names: a member of
/// the tar, or else a file on the disk. `options.output` is the tar or folder of the results. A
/// member has at most `most_bytes`. The jobs have no outputs.
///
/// Throws PlanError if the file is not there, as find_shared_labels() does, and for a tar that
/// cannot be read to its end; FileError; Interrupted.
Plan list_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
              const std::atomic<bool>& stop);

}  // namespace qturn
