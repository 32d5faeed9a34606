// A tar that is a file is listed before it is turned, as a folder is: what belongs to a picture may
// lie in another folder of the tar, or in a file of many pictures, and what would be left untrue is
// known before anything is written. Contents are passed over; a text is read where it lies.
//
// What a sample holds beside its picture is left to the sample (plan/sample_jobs.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"
#include "src/plan/plan.hpp"

namespace qturn {

/// Whether a tar is listed: it can be read twice. If it is compressed, it is only listed where the
/// options name a file of labels, because it would be decompressed twice.
bool is_listed(const PlanOptions& options, const std::string& tar);

/// The files of a tar, also those of the samples of pictures. One that is stored with holes is kept
/// in memory and has at most `most_bytes`. Throws PlanError if the tar is damaged; FileError;
/// Interrupted.
FoundFiles find_in_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
                       const std::atomic<bool>& stop);

/// Of a tar: the pictures with what belongs to them outside of their samples, or no jobs if
/// nothing does; and the leftovers. The jobs have no outputs. Folders and files that the options
/// name for labels and masks are those in the tar, or else on the disk. `options.output` is the tar
/// or folder of the results. Of a compressed tar, a file of labels has at most `most_bytes`.
///
/// Throws PlanError if a file that is named is not there, as find_label_files() and its like do,
/// and for a tar that is damaged if anything in it belongs to pictures elsewhere; FileError;
/// Interrupted.
Plan list_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
              const std::atomic<bool>& stop);

}  // namespace qturn
