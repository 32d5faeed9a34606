// The one thing in a MakerNote that depends on a turn and can be found: Olympus states the size of
// the picture there. The note keeps its place and its length.
#pragma once

#include <cstddef>
#include <span>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

/// Turns the size in the note of an Olympus or OM camera. Any other note stays as it is.
/// `is_little` is the byte order of the Exif block, which old notes have, too.
void turn_maker_note(std::span<std::byte> note, bool is_little, const MetadataTurn& turn);

}  // namespace qturn
