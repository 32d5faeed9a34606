// What is made of a sample. In a tar, a sample is what WebDataset takes for one: files that follow
// each other and have the same webdataset_key() (file_kind.hpp).
//
//   x/a.jpg x/a.txt x/a.mask.png x/a.cls   ->   x/a__flop.jpg x/a__flop.txt x/a__flop.mask.png ...
//
// No folder is looked into: all that belongs to a picture is in its sample. What a file of a tar
// is, sample/file_kind.hpp decides. The files of a folder are known already
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
  std::filesystem::path path;  ///< by which messages and the source know it
  Bytes bytes = {};
  bool is_known = false;  ///< from where it lay; else its name and its bytes tell what it is
  std::optional<Companion> companion = {};  ///< of one that is known, and is not the picture
};

struct SamplePlan {
  std::vector<Job> jobs;
  std::vector<const SampleFile*> left_out;  ///< they belong to no picture
  std::vector<const SampleFile*> copied;    ///< with each variant of a picture, as they are
};

/// Outputs lie below `output`, which ends with '/', under their names in a tar. A sample without a
/// picture has no jobs, unless other files are to be copied. Each picture is a job; all get the
/// variants that the first one gets. A label or other file belongs to the picture of the same stem,
/// or else to the first.
///
/// Throws PlanError, which names the file, for what a plan of files would refuse: two labels of a
/// picture, two results of one name; LeftoverError for what would be left untrue.
SamplePlan plan_sample(const PlanOptions& options, const std::string& output,
                       std::span<const SampleFile> files);

}  // namespace qturn
