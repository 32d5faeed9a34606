#include "src/plan/jobs.hpp"

#include <algorithm>
#include <utility>

#include "src/companions/find_companions.hpp"

namespace qturn {
namespace fs = std::filesystem;

JobList::JobList(FileList files, OutputNames names, CompanionFiles labels,
                 SharedLabels shared_labels, CompanionFiles masks, DataSets data_sets,
                 CompanionFiles sidecars)
    : files_(std::move(files)),
      names_(std::move(names)),
      labels_(std::move(labels)),
      sidecars_(std::move(sidecars)),
      masks_(std::move(masks)),
      shared_labels_(std::move(shared_labels)),
      data_sets_(std::move(data_sets)) {
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const FoundFile& file = files_[number];
    const auto outputs = static_cast<std::uint64_t>(file.to_do.size());
    output_count_ += outputs;
    skipped_count_ += static_cast<std::uint64_t>(file.kept.size());
    work_bytes_ += outputs * file.bytes;
    if (outputs > 0) order_.push_back(number);
  }
  // Files have ascending keys, so their numbers decide ties by key.
  std::ranges::sort(order_, {},
                    [&](std::size_t number) { return std::pair(~files_[number].bytes, number); });
}

Job JobList::job_of(std::size_t number) const {
  const FoundFile& file = files_[number];
  Job job{.number = number,
          .input = files_.path(file),
          .key = files_.key(file),
          .file_bytes = file.bytes,
          .target = file.picture ? names_.target() : nullptr,
          .outputs = {},
          .copy_verbatim = !file.picture};
  job.shared_labels = shared_labels_.of(number);
  job.problem = shared_labels_.problem(number);
  file.to_do.for_each([&](Orientation variant) {
    job.outputs.push_back(
        {names_.path_of(files_, file, variant), variant, companions_of(number, variant)});
  });
  return job;
}

std::vector<Companion> JobList::companions_of(std::size_t number, Orientation variant) const {
  std::vector<Companion> all;
  for (const CompanionFiles* among : companions())
    for (const CompanionFiles::File& each : among->all_of(number))
      all.push_back({among->kind(), among->path(each), output_of(*among, each, variant),
                     among->place_of(each).rule});
  return all;
}

fs::path JobList::output_of(const CompanionFiles& among, const CompanionFiles::File& companion,
                            Orientation variant) const {
  if (names_.in_place()) return among.path(companion);
  const FoundFile& file = files_[companion.picture];
  return names_.folder_of(among.place_of(companion).folder) +
         CompanionFiles::name_of(companion, file.name, names_.name_of(file, variant));
}

Skipped JobList::skipped(const FoundFile& file, Orientation variant) const {
  return {files_.path(file), names_.path_of(files_, file, variant), files_.key(file), variant,
          file.picture != 0};
}

}  // namespace qturn
