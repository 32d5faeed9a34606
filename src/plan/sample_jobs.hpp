// The jobs of a sample. In a tar, WebDataset's rule says what a sample is: files that follow each
// other and have the same webdataset_key() (file_kind.hpp).
//
//   x/a.jpg x/a.txt x/a.mask.png x/a.cls   ->   x/a__flop.jpg x/a__flop.txt x/a__flop.mask.png ...
//
// No folder is looked into: all that belongs to a picture is in its sample. sample/file_kind.hpp
// decides what kind a file of a tar is. The files of a folder are known already
// (folder_samples.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/plan/jobs.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

struct SampleFile {
  std::string name;            ///< in the tar
  std::filesystem::path path;  ///< its name for messages and for the source
  Bytes bytes = {};
  bool is_known = false;  ///< the folder has told what it is; if not, its name and bytes tell
  std::optional<Companion> companion = {};  ///< if it is known, and is not the picture
};

struct SamplePlan {
  std::vector<Job> jobs;
  std::vector<const SampleFile*> left_out;  ///< files that belong to no picture
  std::vector<const SampleFile*> copied;    ///< unchanged, with each variant of a picture
};

/// Outputs lie below `output`, which ends with '/', under their names in a tar. A sample without a
/// picture has no jobs, unless other files are to be copied. Each picture is a job; all get the
/// variants that the first one gets. A label or other file belongs to the picture of the same stem,
/// or else to the first. `is_listed`: what belongs to pictures of other samples is known, and not
/// among these files.
///
/// Throws PlanError, which names the file, for what a plan of files would refuse: two labels of a
/// picture, two results of one name. Throws LeftoverError for a file that would be left untrue.
SamplePlan plan_sample(const PlanOptions& options, const std::string& output,
                       std::span<const SampleFile> files, bool is_listed = false);

}  // namespace qturn
