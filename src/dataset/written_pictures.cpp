#include "src/dataset/written_pictures.hpp"

#include <algorithm>

namespace qturn {

WrittenPictures::WrittenPictures(const JobList& jobs)
    : has_variants_(jobs.names().has_variants()),
      variants_(jobs.files().size()),
      stored_(jobs.shared_labels().empty() ? 0 : jobs.files().size()) {}

void WrittenPictures::add(const Outcome& outcome) {
  const bool is_written = outcome.status == Status::done || outcome.status == Status::salvaged;
  if (is_written || outcome.status == Status::done_before)
    variants_[outcome.job].add(outcome.variant);
  if (has_variants_ && outcome.status == Status::done) made_.add(outcome);
  if (!stored_.empty() && is_written && outcome.is_picture)
    stored_[outcome.job] =
        StoredPicture{compose(outcome.applied, inverse(outcome.variant)),
                      turned_size(inverse(outcome.applied), {outcome.width, outcome.height})};
}

bool WrittenPictures::empty() const {
  return std::ranges::all_of(variants_, [](OrientationSet each) { return each.empty(); });
}

}  // namespace qturn
