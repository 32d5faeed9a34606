// What `qturn check` does with one file, of any format.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/metadata/metadata_check.hpp"
#include "src/turn/lane.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

/// What of a file's orientation metadata does not agree or is damaged; sidecars may be handed over
/// to what is returned. Reads no pixel. Throws as Codec::check_limits and Codec::read_header.
inline MetadataCheck check_metadata(std::span<const std::byte> file, const Codec& codec,
                                    const Limits& limits) {
  if (codec.check_limits) codec.check_limits(file, limits);
  MetadataCheck check(codec.read_header(file));
  if (codec.check) codec.check(file, check);
  return check;
}

/// The findings of check_metadata() in one picture in memory, which is decoded first unless
/// `quick`. `suffix` counts where the content cannot tell. Throws ImageFileError for any damage.
inline std::vector<std::string> check_picture(std::span<const std::byte> file,
                                              std::string_view suffix, bool quick,
                                              const Limits& limits) {
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
