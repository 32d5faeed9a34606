// The chunks of a PNG, so that everything beside the pixels can go from the source to the result
// byte for byte. The library that encodes the pixels would write its own idea of colour spaces,
// times and texts; its file lends only the header and the pixels.
#ifndef QTURN_SRC_PNG_CHUNKS_HPP
#define QTURN_SRC_PNG_CHUNKS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// Where the file says how it is oriented (eXIf). Throws ImageFileError if that is too damaged to
/// tell.
Orientation png_orientation(const std::vector<PngChunk>& chunks);

/// What another format can carry too: Exif and XMP. (The profile and the texts are compressed;
/// OpenImageIO reads them.)
Metadata png_metadata(const std::vector<PngChunk>& chunks);

/// The PNG without its pixels: every other chunk is kept, and an empty one stands where they were.
std::vector<std::byte> png_skeleton(const std::vector<PngChunk>& chunks);

/// A PNG with the header and the pixels of `encoded`, which is one too, and all else as in
/// `skeleton`, but for the orientation, which is 1, and the density, which is turned with the axes
/// if they are `swapped`. Where `encoded` has another depth or colour type, the chunks that would
/// have another meaning now (PLTE, tRNS, bKGD, sBIT, hIST) are left out.
std::vector<std::byte> assemble_png(std::span<const std::byte> encoded,
                                    std::span<const std::byte> skeleton, bool swapped);

/// The same for a picture that comes from another format.
std::vector<std::byte> assemble_png(std::span<const std::byte> encoded, const Metadata& metadata);

/// As retag_upright.
std::optional<std::vector<std::byte>> retag_png_upright(std::span<const std::byte> file);

}  // namespace qturn

#endif  // QTURN_SRC_PNG_CHUNKS_HPP
