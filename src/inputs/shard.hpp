// One of several runs that divide a data set among them. The key of a sample alone decides which
// run takes it, so runs on different machines need not communicate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qturn {

/// The folder in the output where shards keep what they know of each other, until they are merged.
inline constexpr std::string_view shards_name = ".qturn-shards";

struct Shard {
  std::uint64_t index = 0, count = 1;  ///< 0 <= index < count

  /// Whether XXH64(sample_key(key), seed 0) mod count is the index.
  bool takes(std::string_view key) const;
  bool operator==(const Shard&) const = default;
};

/// "3/8". Throws std::invalid_argument.
Shard parse_shard(const std::string& text);

}  // namespace qturn
