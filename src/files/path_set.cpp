#include "src/files/path_set.hpp"

#include <algorithm>

#include "src/files/content_hash.hpp"

namespace qturn {

std::uint64_t PathSet::hash_of(std::string_view path) { return xxh64(path, 0); }

void PathSet::sort() { std::ranges::sort(hashes_); }

bool PathSet::contains(std::string_view path) const {
  return std::ranges::binary_search(hashes_, hash_of(path));
}

PathSet PathSet::repeated() const {
  PathSet found;
  for (std::size_t i = 1; i < hashes_.size(); ++i)
    if (hashes_[i] == hashes_[i - 1]) found.hashes_.push_back(hashes_[i]);
  return found;
}

}  // namespace qturn
