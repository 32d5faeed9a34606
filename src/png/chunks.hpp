// The chunks of a PNG, so that everything beside the pixels can go from the source to the result
// byte for byte.
#ifndef QTURN_SRC_PNG_CHUNKS_HPP
#define QTURN_SRC_PNG_CHUNKS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/image.hpp"

namespace qturn {

struct PngChunk {
  std::string_view type;             ///< "IHDR"
  std::span<const std::byte> data;   ///< without length, type and checksum
  std::span<const std::byte> whole;  ///< with them
};

/// The chunks in their order, IHDR to IEND; the views point into `file`.
///
/// Throws ImageFileError when the file is cut, a checksum is wrong, or it is an animation.
std::vector<PngChunk> png_chunks(std::span<const std::byte> file);

/// What the header chunk says.
struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int bit_depth = 0;
  int colour_type = 0;  ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  bool interlaced = false;
};
PngHeader png_header(const std::vector<PngChunk>& chunks);

/// Samples of a pixel, a palette's index being one, for the colour types that there are.
int channels(const PngHeader& header);
std::size_t bits_per_pixel(const PngHeader& header);

/// The first chunk of that type, or null.
const PngChunk* find_chunk(const std::vector<PngChunk>& chunks, std::string_view type);

/// Where the file says how it is oriented (eXIf). Throws ImageFileError if that is too damaged to
/// tell.
Orientation png_orientation(const std::vector<PngChunk>& chunks);

/// What another format can carry too and is not compressed: Exif and XMP.
Metadata png_metadata(const std::vector<PngChunk>& chunks);

/// The PNG without its pixels: every other chunk is kept, and an empty one stands where they were.
std::vector<std::byte> png_skeleton(const std::vector<PngChunk>& chunks);

/// A PNG with this header and these compressed pixels, and all else as in `skeleton`, but for what
/// an orientation that was `applied` changes: the orientation in eXIf becomes 1, pixel sizes (pHYs,
/// sCAL) are turned with the axes. A place on a page (oFFs) turns only where the page's size does
/// not count; else it is left out, and `warnings` says so.
std::vector<std::byte> assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                                    std::span<const std::byte> skeleton, Orientation applied,
                                    std::vector<std::string>& warnings);

/// The same for a picture that comes from another format.
std::vector<std::byte> assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                                    const Metadata& metadata);

/// Whether the chunk is an XMP packet, and the packet.
bool is_png_xmp(const PngChunk& chunk);
std::string_view png_xmp(const PngChunk& chunk);

/// Appends a chunk with its length and its checksum.
void append_png_chunk(std::vector<std::byte>& to, std::string_view type,
                      std::span<const std::byte> data);

}  // namespace qturn

#endif  // QTURN_SRC_PNG_CHUNKS_HPP
