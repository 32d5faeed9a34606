#include "src/check/check.hpp"

#include <atomic>
#include <memory>

#include "src/turn/lane.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

MetadataCheck check_metadata(std::span<const std::byte> file, const Codec& codec,
                             const Limits& limits) {
  if (codec.check_limits) codec.check_limits(file, limits);
  MetadataCheck check(codec.read_header(file));
  if (codec.check) codec.check(file, check);
  return check;
}

std::vector<std::string> check_picture(std::span<const std::byte> file, std::string_view suffix,
                                       bool quick, const Limits& limits) {
  PictureTurn picture = opened_in_memory(file, suffix, {.jpeg = {}, .limits = limits});
  if (!quick) {
    // The turn that moves pixels least.
    const Orientation as_stored = inverse(picture.header().stored);
    const std::atomic<bool> never{false};
    const std::unique_ptr<Lane> lane = make_cpu_lane(0);
    picture.read(std::span(&as_stored, 1), *lane, never);
  }
  return check_metadata(file, picture.format(), limits).findings();
}

}  // namespace qturn
