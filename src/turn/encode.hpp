// Makes a file of any format from decoded pixels and their metadata.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"

namespace qturn {

/// Turns a thumbnail or a preview with the codec of its own format. Throws ImageFileError if it is
/// damaged, or in a format that is not expected there.
Bytes turn_embedded(std::span<const std::byte> file, Orientation orientation);

/// Encodes `image`, whose pages were turned by `applied`, in the format `target`, with metadata
/// that agree with the pages.
///
/// Throws ImageFileError when the format cannot hold the picture (`--format` from four channels of
/// float to jpeg, say); Interrupted.
Bytes encode(const Image& image, Orientation applied, const Codec& target,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Why a format whose row has no retag() cannot be turned by a tag.
std::string no_place_for_orientation(const Codec& codec);

/// The same file with another orientation in every place and the same pixels. Throws ImageFileError
/// if the format, which it names, has no place for an orientation, or if a place is damaged.
Bytes retag(std::span<const std::byte> file, const Codec& codec, Orientation tag,
            MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn
