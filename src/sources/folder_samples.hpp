// The files of folders as the members of samples: the companions that the plan has found follow
// their picture, under names by which readers of tars know that they belong together.
//
//   images/x/a.jpg  labels/x/a.txt  masks/x/a.png    ->    images/x/a.jpg  images/x/a.mask.png
//                                                          images/x/a.txt
#pragma once

#include <cstddef>
#include <vector>

#include "src/files/source.hpp"
#include "src/plan/jobs.hpp"
#include "src/sources/member_reader.hpp"

namespace qturn {

/// Throws PlanError if pictures with different stems would be one sample, because its name ends at
/// the first dot.
void refuse_one_sample_of_two(const FileList& files);

class FolderSamples : public MemberReader {
 public:
  /// Samples come in the order of keys. `jobs` and `files` must outlive it.
  FolderSamples(const JobList& jobs, const Source& files) : jobs_(jobs), files_(files) {}

  std::optional<Member> next() override;
  Bytes content(Bytes memory) override;

 private:
  void gather();
  void add(std::string name, const std::filesystem::path& path,
           std::optional<Companion> companion = {});

  const JobList& jobs_;
  const Source& files_;
  std::size_t next_file_ = 0;
  std::vector<Member> sample_;  // the members that are still to come, the next one last
  std::filesystem::path current_;
};

}  // namespace qturn
