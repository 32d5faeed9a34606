#include "src/dataset/written_pictures.hpp"

#include <algorithm>
#include <utility>

namespace qturn {

void MadeFiles::add(const Outcome& outcome) {
  const std::size_t first = hashes_.size();
  hashes_.push_back({outcome.source, outcome.result});
  for (const Companion& each : outcome.companions) hashes_.push_back({each.source, each.result});
  entries_.push_back({static_cast<std::uint32_t>(outcome.job),
                      static_cast<std::uint16_t>(hashes_.size() - first), outcome.variant,
                      outcome.route, first});
}

void MadeFiles::finish() {
  std::ranges::sort(entries_, {},
                    [](const Entry& entry) { return std::pair(entry.file, entry.variant); });
}

std::optional<MadeFiles::Made> MadeFiles::of(std::size_t file, Orientation variant) const {
  const std::pair wanted(static_cast<std::uint32_t>(file), variant);
  const auto place = [](const Entry& entry) { return std::pair(entry.file, entry.variant); };
  const auto found = std::ranges::lower_bound(entries_, wanted, {}, place);
  if (found == entries_.end() || place(*found) != wanted) return std::nullopt;
  return Made{found->route, std::span(hashes_).subspan(found->first, found->count)};
}

WrittenPictures::WrittenPictures(const JobList& jobs)
    : has_variants_(jobs.names().has_variants()),
      asks_for_bytes_(std::ranges::any_of(
          jobs.shared_labels().files(),
          [](const SharedLabels::File& file) { return file.format->says_file_sizes; })),
      grows_(false),
      variants_(jobs.files().size()),
      stored_(jobs.shared_labels().empty() ? 0 : jobs.files().size()) {}

void WrittenPictures::resize(std::size_t files) {
  variants_.resize(files);
  stored_.resize(files);
}

void WrittenPictures::add(const Outcome& outcome) {
  if (outcome.job == Job::unnumbered) return;
  if (grows_ && outcome.job >= variants_.size()) resize(outcome.job + 1);
  const bool is_written = outcome.status == Status::done || outcome.status == Status::salvaged;
  if (is_written || outcome.status == Status::done_before || outcome.output_exists)
    variants_[outcome.job].add(outcome.variant);
  if (has_variants_ && outcome.status == Status::done) made_.add(outcome);
  if (asks_for_bytes_ && is_written)
    bytes_.emplace(std::pair(outcome.job, outcome.variant), outcome.result_bytes);
  if (has_failed(outcome.status)) failures_.emplace(outcome.key, outcome.message);
  if (!stored_.empty() && outcome.stored) stored_[outcome.job] = outcome.stored;
}

std::optional<std::uint64_t> WrittenPictures::bytes(std::size_t file, Orientation variant) const {
  const auto found = bytes_.find({file, variant});
  return found == bytes_.end() ? std::nullopt : std::optional(found->second);
}

bool WrittenPictures::empty() const {
  return std::ranges::all_of(variants_, [](OrientationSet each) { return each.empty(); });
}

}  // namespace qturn
