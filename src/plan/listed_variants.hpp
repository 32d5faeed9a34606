// Which variants of which files are written, where a list says it (augment --replay).
#ifndef QTURN_SRC_PLAN_LISTED_VARIANTS_HPP
#define QTURN_SRC_PLAN_LISTED_VARIANTS_HPP

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "src/plan/file_list.hpp"
#include "src/store/content_hash.hpp"

namespace qturn {

/// By the hashes of keys, so that millions of them fit.
class ListedVariants {
 public:
  void add(std::string_view key, Orientation variant) { by_key_[xxh64(key, 0)].add(variant); }

  /// None if the key is not listed.
  OrientationSet of(std::string_view key) const {
    const auto found = by_key_.find(xxh64(key, 0));
    return found == by_key_.end() ? OrientationSet() : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, OrientationSet> by_key_;
};

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LISTED_VARIANTS_HPP
