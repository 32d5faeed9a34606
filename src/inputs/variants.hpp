// The orientations that an augmentation makes of a picture: a pure function of seed and sample.
// Order, threads and shards do not matter, and anybody can compute it again.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// Which pictures get the same random variants: those with the same key of the draw.
class DrawGroup {
 public:
  /// Each sample_key() by itself.
  DrawGroup() = default;
  /// "path", or a regular expression of ECMAScript. If it matches a whole sample_key(), its first
  /// group is the key of the draw; if it has no group, the whole match is. Other paths stay by
  /// themselves. Throws std::invalid_argument.
  explicit DrawGroup(const std::string& text);

  bool is_given() const { return !text_.empty(); }
  const std::string& text() const { return text_; }
  std::string key_of(std::string_view path) const;

 private:
  struct Expression;  // <regex> takes long to compile
  std::string text_;
  std::shared_ptr<const Expression> expression_;
};

/// `count` (1 to 8) different orientations for the picture of this path, in ascending order of
/// their numbers.
///
/// Orientation n (1 to 8) gets the score XXH64(bytes of group.key_of(path) followed by the one byte
/// n, seed); the `count` lowest scores are chosen, the lower n first where two are equal. XXH64 as
/// in its specification 0.1.1.
std::vector<Orientation> random_variants(std::string_view path, int count, std::uint64_t seed,
                                         const DrawGroup& group = {});

/// "all", "rotations" or a comma-separated list of orientations, in ascending order. Throws
/// std::invalid_argument.
std::vector<Orientation> parse_variants(std::string_view text);

}  // namespace qturn
