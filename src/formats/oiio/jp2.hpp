// JPEG 2000: boxes around a codestream, or a codestream alone. OpenImageIO decodes and encodes the
// codestream. It decodes all of it to tell a size, and keeps no box.
#pragma once

#include <OpenImageIO/imageio.h>
#include <qturn/orientation.hpp>

#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/file_part.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::oiio {

/// What the header of the codestream tells. Throws ImageFileError for damage and for what is not
/// kept, by name.
OIIO::ImageSpec jpeg2000_spec(std::span<const std::byte> file);

/// Says in `header` that a lossy codestream becomes a lossless one, and which boxes hold map
/// coordinates.
void describe_jpeg2000(std::span<const std::byte> file, Header& header);

/// What the channels mean to another format.
Meaning jpeg2000_meaning(std::span<const std::byte> file);

/// The file without its coded pixels: all boxes, or the comments of a codestream.
Bytes jpeg2000_frame(std::span<const std::byte> file);

/// The codestream `written` in the frame of its source.
Bytes in_jpeg2000_frame(std::span<const std::byte> written, std::span<const std::byte> frame,
                        Orientation applied);

/// Implements Codec::finish: Exif and XMP turn with the pixels.
Bytes finish_jpeg2000(Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings);

/// Implements Codec::parts: boxes, and the comments of the codestream.
std::vector<FilePart> jpeg2000_parts(std::span<const std::byte> file, Orientation applied);

}  // namespace qturn::oiio
