// A set of many paths in 8 bytes each: of each only a hash is held, and among a billion of
// them it is unlikely that two have the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace qturn {

class PathSet {
 public:
  void reserve(std::size_t paths) { hashes_.reserve(paths); }
  void add(std::string_view path) { hashes_.push_back(hash_of(path)); }

  /// Sorts the paths. Must be called when all are added, before the set is asked.
  void sort();

  bool empty() const { return hashes_.empty(); }
  bool contains(std::string_view path) const;
  /// The paths that were added more than once.
  PathSet repeated() const;

 private:
  static std::uint64_t hash_of(std::string_view path);

  std::vector<std::uint64_t> hashes_;
};

}  // namespace qturn
