// The chunks of a PNG, so that everything besides the pixels can go from the source to the result
// byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/codec/frame_place.hpp"
#include "src/picture/image.hpp"

namespace qturn::png {

struct PngChunk {
  std::string_view type;             ///< "IHDR"
  std::span<const std::byte> data;   ///< without length, type and checksum
  std::span<const std::byte> whole;  ///< with them
};

/// The chunks in their order, IHDR to IEND; the views point into `file`.
///
/// Throws ImageFileError when the file is cut or a checksum is wrong.
std::vector<PngChunk> png_chunks(std::span<const std::byte> file);

/// Implements Codec::check_limits. What is damaged is left for png_chunks() to say.
void check_png_limits(std::span<const std::byte> file, const Limits& limits);

/// The colour type of pixels that are indices into a palette.
inline constexpr int palette_type = 3;

/// What the header chunk says.
struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int bit_depth = 0;
  int colour_type = 0;  ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  bool interlaced = false;
};
PngHeader png_header(const std::vector<PngChunk>& chunks);

/// Samples of a pixel, for the valid colour types. A palette index is one sample.
int channels(const PngHeader& header);
std::size_t bits_per_pixel(const PngHeader& header);

/// The chunks of a damaged file that its pixels need, whatever their checksums, as far as there are
/// chunks; the last one may be cut. Others are there if they are whole. Throws ImageFileError if
/// the header is missing.
std::vector<PngChunk> damaged_png_chunks(std::span<const std::byte> file);

/// How many bytes follow the last chunk of `file`, whose chunks these are.
std::size_t bytes_after_png(const std::vector<PngChunk>& chunks, std::span<const std::byte> file);

/// The first chunk of this type, or null.
const PngChunk* find_chunk(const std::vector<PngChunk>& chunks, std::string_view type);

/// How the file says it is oriented: in eXIf, else in the Exif of a text chunk, else in orNT.
/// Throws ImageFileError if eXIf is too damaged to tell.
Orientation png_orientation(const std::vector<PngChunk>& chunks);

/// What another format can hold too, except for the profile: Exif, XMP and the resolution.
Metadata png_metadata(const std::vector<PngChunk>& chunks);

/// The PNG without its pixels: every other chunk is kept, and an empty one stands where they were.
/// An animation's frames have only their control chunks (fcTL) there.
std::vector<std::byte> png_skeleton(const std::vector<PngChunk>& chunks);

/// A PNG with this header and these compressed pixels, and everything else as in `skeleton`, except
/// for what the orientation `applied` changes: the orientation in eXIf and orNT becomes 1, and
/// pixel sizes (pHYs, sCAL) are turned with the axes. A place on a page (oFFs) is turned if the
/// size of the page does not matter; otherwise it is left out, and `warnings` says so.
/// `frames` are the compressed pixels of the frames of an animation, but for the picture itself.
std::vector<std::byte> assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                                    std::span<const std::span<const std::byte>> frames,
                                    std::span<const std::byte> skeleton, Orientation applied,
                                    std::vector<std::string>& warnings);

/// The same for a picture that comes from another format.
std::vector<std::byte> assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                                    const Metadata& metadata);

/// The orientation of a chunk orNT, as GraphicsMagick writes it; nothing if it is another chunk.
std::optional<Orientation> png_ornt(const PngChunk& chunk);

/// Appends a chunk with its length and its checksum.
void append_png_chunk(std::vector<std::byte>& to, std::string_view type,
                      std::span<const std::byte> data);

// The frames of an animated PNG (PNG, third edition): the picture itself may be the first of them,
// the others are its like, of any place and size within it.

struct PngFrame {
  FramePlace place;
  std::vector<PngChunk> pixels;  ///< as the IDAT chunks of a picture of its own
};

/// Whether there is an animation.
bool is_animated(const std::vector<PngChunk>& chunks);

/// The frames besides the picture itself; none if the PNG is not animated.
///
/// Throws ImageFileError if they are not as many as it says, not in order, without pixels, or do
/// not lie within the picture.
std::vector<PngFrame> png_frames(const std::vector<PngChunk>& chunks);

/// Where the frame lies that a control chunk (fcTL) of a valid animation describes.
FramePlace png_frame_place(const PngChunk& control);

}  // namespace qturn::png
