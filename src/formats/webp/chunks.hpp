// The chunks of a WebP file, for the same reason as a PNG's: profile, Exif and XMP go from the
// source to the result byte for byte, and damage is found before the decoder guesses.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/codec/frame_place.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::webp {

struct WebpChunk {
  std::string_view type;            ///< "VP8L"
  std::span<const std::byte> data;  ///< without type, length and padding
};

/// The chunks of the file, which `file` must outlive. Throws ImageFileError when the file is cut.
std::vector<WebpChunk> webp_chunks(std::span<const std::byte> file);

/// Where the file that its header describes ends; what follows is trailing data.
std::size_t webp_end(std::span<const std::byte> file);

/// Implements Codec::check_limits. What is damaged is left for webp_chunks() to say.
void check_webp_limits(std::span<const std::byte> file, const Limits& limits);

/// A frame of an animation.
struct WebpFrame {
  FramePlace place;
  bool blends = false;    ///< it is drawn over what the canvas shows, else it takes its place
  bool disposed = false;  ///< after it the canvas is transparent there
  std::span<const std::byte> described;  ///< all this and the delay, as it is stored
  std::vector<WebpChunk> chunks;
};

/// The size of the canvas of an animation; nothing if it is not one.
std::optional<Size> webp_canvas(const std::vector<WebpChunk>& chunks);

/// The frames of an animation. Throws ImageFileError if one is cut, or does not lie within the
/// canvas.
std::vector<WebpFrame> webp_frames(const std::vector<WebpChunk>& chunks);

/// Whether the chunk is a part of the pixels: of a still picture, or a frame.
bool is_webp_pixels(const WebpChunk& chunk);

/// Whether all pixels are stored losslessly.
bool webp_is_lossless(const std::vector<WebpChunk>& chunks);

/// Where the file says how it is oriented (EXIF). Throws ImageFileError if that is too damaged to
/// tell.
Orientation webp_orientation(const std::vector<WebpChunk>& chunks);

/// What another format can carry too.
Metadata webp_metadata(const std::vector<WebpChunk>& chunks);

/// A WebP of one picture: the chunks that are its pixels, and the given metadata.
Bytes assemble_webp(const std::vector<WebpChunk>& chunks, const Metadata& metadata);

/// A chunk that has memory of its own.
struct OwnedWebpChunk {
  std::string type;
  Bytes data;
};

/// The frame of an animation with the pixels of `encoded`. `described` and what else is in the
/// frame stay, except for the place.
Bytes webp_frame(std::span<const std::byte> encoded, std::span<const std::byte> described,
                 const FramePlace& place, std::span<const OwnedWebpChunk> others);

/// A WebP of the chunks in `skeleton`, with `pixels` where the one without a type is. The VP8X
/// chunk, if there is one, says this size, and that there is alpha if `alpha`.
Bytes assemble_webp(std::span<const OwnedWebpChunk> skeleton,
                    std::span<const OwnedWebpChunk> pixels, Size canvas, bool alpha);

/// The flags of a frame that replaces what is there, and stays.
inline constexpr unsigned char webp_takes_place = 0x02;

/// The flag for an EXIF chunk, in the first byte of the VP8X chunk.
inline constexpr unsigned char webp_has_exif = 0x08;

/// A file with these chunks.
Bytes write_webp(const std::vector<std::pair<std::string_view, Bytes>>& chunks);

// The orientation metadata of a WebP: its EXIF and XMP chunks.

/// The WebP with its metadata after the turn. Every other chunk is as it was. If it has no
/// orientation and `missing` asks for one, an EXIF chunk is added.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError if the
/// orientation can neither be set nor proved missing.
std::vector<std::byte> turn_webp_metadata(std::vector<std::byte> file, const MetadataTurn& turn,
                                          MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn::webp
