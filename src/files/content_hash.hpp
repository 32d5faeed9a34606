// Hashes of contents and of paths, all by xxHash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct XXH3_state_s;

namespace qturn {

/// XXH3 with 128 bits: faster than memory is read. It finds accidents, not forgeries.
struct ContentHash {
  std::uint64_t high = 0, low = 0;
  bool operator==(const ContentHash&) const = default;
  bool operator<(const ContentHash& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

ContentHash hash_of(std::span<const std::byte> bytes);

/// The same for bytes that come in parts.
class Hasher {
 public:
  Hasher();
  void add(std::span<const std::byte> part);
  ContentHash hash() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// XXH64, as its reference implementation defines it: where a number is enough.
std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed);

/// The hash of a whole file; nothing if there is no such file. Throws FileError if it cannot be
/// read.
std::optional<ContentHash> hash_of_file(const std::filesystem::path& file);

/// 32 hexadecimal digits, as `xxhsum -H2` prints them.
std::string digits_of(const ContentHash& hash);
std::optional<ContentHash> hash_of_digits(std::string_view digits);

}  // namespace qturn

// A set of many paths in 8 bytes each. It holds only hashes: even among a billion paths it is
// unlikely that two have the same.

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
