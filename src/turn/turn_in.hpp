// turn() of <qturn/pictures.hpp> for a caller that has a lane for one picture after the other.
#pragma once

#include <qturn/pictures.hpp>

#include <cstddef>
#include <span>

#include "src/turn/lane.hpp"

namespace qturn {

/// The same, in the memory of `lane`, which afterwards keeps at most `kept_bytes` for the next
/// picture, also where this throws.
Turned turn_in(Lane& lane, std::size_t kept_bytes, std::span<const std::byte> file,
               Orientation orientation, const TurnOptions& options);

}  // namespace qturn
