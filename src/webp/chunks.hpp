// The chunks of a WebP file, for the same reason as a PNG's: profile, Exif and XMP go from the
// source to the result byte for byte, and damage is seen before the decoder guesses.
#ifndef QTURN_SRC_WEBP_CHUNKS_HPP
#define QTURN_SRC_WEBP_CHUNKS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/image.hpp"

namespace qturn {

struct WebpChunk {
  std::string_view type;            ///< "VP8L"
  std::span<const std::byte> data;  ///< without type, length and padding
};

/// The chunks of the file, which `file` must outlive. Throws ImageFileError when the file is cut or
/// is an animation.
std::vector<WebpChunk> webp_chunks(std::span<const std::byte> file);

/// Whether the pixels are stored losslessly.
bool webp_is_lossless(const std::vector<WebpChunk>& chunks);

/// Where the file says how it is oriented (EXIF). Throws ImageFileError if that is too damaged to
/// tell.
Orientation webp_orientation(const std::vector<WebpChunk>& chunks);

/// What another format can carry too.
Metadata webp_metadata(const std::vector<WebpChunk>& chunks);

/// A WebP with the pixels of `encoded`, which is one too, and the given metadata.
std::vector<std::byte> assemble_webp(std::span<const std::byte> encoded, const Metadata& metadata);

/// The flag of the VP8X chunk, in its first byte, that tells of an EXIF chunk.
inline constexpr unsigned char webp_has_exif = 0x08;

/// A file of these chunks.
std::vector<std::byte> write_webp(
    const std::vector<std::pair<std::string_view, std::vector<std::byte>>>& chunks);

}  // namespace qturn

#endif  // QTURN_SRC_WEBP_CHUNKS_HPP
