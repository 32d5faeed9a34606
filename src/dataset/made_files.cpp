#include "src/dataset/made_files.hpp"

#include <algorithm>
#include <utility>

namespace qturn {

void MadeFiles::add(const Outcome& outcome) {
  const std::size_t first = hashes_.size();
  hashes_.push_back({outcome.source, outcome.result});
  for (const CompanionOutcome& each : outcome.companions)
    hashes_.push_back({each.source, each.result});
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

}  // namespace qturn
