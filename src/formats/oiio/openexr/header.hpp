// The header of an OpenEXR file: attributes of any type, which go from the source to the result
// byte for byte, except for those that depend on how the pixels lie. OpenImageIO keeps the types
// that it knows.
#ifndef QTURN_SRC_FORMATS_OIIO_OPENEXR_HEADER_HPP
#define QTURN_SRC_FORMATS_OIIO_OPENEXR_HEADER_HPP

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "src/formats/codec/file_part.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::openexr {

struct ExrAttribute {
  std::string_view name;             ///< "preview"
  std::span<const std::byte> bytes;  ///< with its name, type and size
  std::span<const std::byte> value;
};

struct ExrHeader {
  std::vector<ExrAttribute> attributes;
  std::size_t end = 0;  ///< where the table of blocks begins

  /// Null: there is none of this name.
  const ExrAttribute* find(std::string_view name) const;
};

/// Reads the header of the first part of the file, which must outlive the result. Throws
/// ImageFileError if the header is cut.
ExrHeader read_exr_header(std::span<const std::byte> file);

/// Implements Codec::check_limits for all parts. What is damaged is left for read_exr_header() to
/// say. So many attributes that the library would take minutes are refused.
void check_exr_limits(std::span<const std::byte> file, const Limits& limits);

/// Throws ImageFileError when a block of pixels has no place in the file, as in one whose writer
/// did not come to its end. A reader may leave such pixels as they are in memory.
void check_blocks(std::span<const std::byte> file, const ExrHeader& header);

/// Implements Codec::parts: the attributes that do not depend on how the pixels lie.
std::vector<FilePart> exr_parts(std::span<const std::byte> file, Orientation applied);

/// `written`, a whole file, with the attributes of `source` that do not depend on how the pixels
/// lie instead of its own; the preview is turned.
Bytes with_attributes(std::span<const std::byte> written, const ExrHeader& source,
                      Orientation applied);

}  // namespace qturn::openexr

#endif  // QTURN_SRC_FORMATS_OIIO_OPENEXR_HEADER_HPP
