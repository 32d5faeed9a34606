// The size of a HEVC picture, of which a HEIC may say nothing else ("ispe" is missing).
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace qturn::heif {

/// As the sequence parameter set in the content of an "hvcC" box says it, without what its
/// conformance window cuts off. Nothing if there is none, or if it is damaged.
std::optional<Size> hevc_size(std::span<const std::byte> configuration);

}  // namespace qturn::heif
