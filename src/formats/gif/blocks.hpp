// The blocks of a GIF, so that everything besides the pixels goes from the source to the result
// byte for byte: palettes, delays, disposal, loops, comments. giflib would give them as its own
// structures, drop some of them, and trust sizes that a damaged file states.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec/frame_place.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::gif {

/// A frame, or an extension: a comment, the delay of the next frame...
struct GifBlock {
  std::span<const std::byte> whole;

  // These members describe a frame.
  bool is_frame = false;
  FramePlace place;
  bool interlaced = false;
  std::span<const std::byte> palette;  ///< its own one; may be empty
  std::span<const std::byte> lzw;      ///< the size of its codes, then the compressed indices

  /// 0xF9, 0xFE, 0xFF...; of a frame 0.
  unsigned label = 0;
};

struct GifBlocks {
  Size canvas;
  std::span<const std::byte> head;     ///< signature, screen descriptor, global palette
  std::span<const std::byte> palette;  ///< the global one; may be empty
  std::vector<GifBlock> blocks;
  std::size_t end = 0;              ///< what follows in the file is trailing data
  bool has_trailer = true;          ///< the byte that says that the GIF ends
  bool canvas_is_enlarged = false;  ///< to hold the first frame, as viewers do

  std::size_t frames() const;
};

/// The blocks of the file, which must outlive them.
///
/// Throws ImageFileError when the file is cut, a frame after the first does not lie within the
/// canvas, there is no frame, or a text is to be drawn over the picture, which nothing can turn.
GifBlocks gif_blocks(std::span<const std::byte> file);

/// What is unusual about the file, in sentences.
std::vector<std::string> gif_faults(const GifBlocks& gif);

/// Implements Codec::check_limits. What is damaged is left for gif_blocks() to say.
void check_gif_limits(std::span<const std::byte> file, const Limits& limits);

/// Which index is transparent in the frame that this graphic control extension belongs to; -1:
/// none.
int gif_transparent_index(const GifBlock& control);

/// The data of an extension: its parts, joined, without the lengths between them. An application's
/// begins with its 11 bytes.
Bytes gif_data(const GifBlock& extension);

/// Whether the extension is an XMP packet, and the packet.
bool is_gif_xmp(const GifBlock& extension);
std::string_view gif_xmp(const GifBlock& extension);

/// The extension that holds this packet.
Bytes gif_xmp_extension(std::string_view packet);

/// What another format can hold too.
Metadata gif_metadata(const GifBlocks& gif);

}  // namespace qturn::gif
