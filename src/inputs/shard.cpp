#include "src/inputs/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "src/files/content_hash.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {

bool Shard::takes(std::string_view key) const { return xxh64(sample_key(key), 0) % count == index; }

Shard parse_shard(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000;
  Shard shard{0, 0};
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec != std::errc() || count.ptr != end || shard.count > most) shard.count = 0;
  }
  if (shard.count == 0) {
    throw std::invalid_argument(fmt::format(
        "'{}' is not I/N, such as 0/8 for the first of eight; N is at most {}", text, most));
  }
  if (shard.index >= shard.count) {
    throw std::invalid_argument(fmt::format("'{}': the shards of {} have the numbers 0 to {}", text,
                                            shard.count, shard.count - 1));
  }
  return shard;
}

}  // namespace qturn
