// Which orientations an augmentation makes of a picture: a pure function of seed and sample. Order,
// threads and shards do not matter, and anybody can compute it again.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace qturn {

/// `count` (1 to 8) different orientations for the picture with this key, in ascending order of
/// their numbers.
///
/// Orientation n (1 to 8) gets the score XXH64(bytes of sample_key(key) followed by the one byte n,
/// seed); the `count` lowest scores are chosen, the lower n first where two are equal. XXH64 as in
/// its specification 0.1.1.
std::vector<Orientation> random_variants(std::string_view key, int count, std::uint64_t seed);

/// "all", "rotations" or a comma-separated list of orientations, in ascending order. Throws
/// std::invalid_argument.
std::vector<Orientation> parse_variants(std::string_view text);

}  // namespace qturn
