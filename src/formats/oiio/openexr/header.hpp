// The headers of an OpenEXR file, one for each part: attributes of any type, which go from the
// source to the result byte for byte, except for those that depend on how the pixels lie. And its
// blocks of pixels. OpenImageIO keeps the types that it knows, and writes no file that has both
// parts of rows and parts of tiles, or several parts with smaller copies. So it writes each part
// and each smaller copy into a file of its own, and their blocks are put together here.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/formats/codec/file_part.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::openexr {

struct ExrAttribute {
  std::string_view name;             ///< "preview"
  std::span<const std::byte> bytes;  ///< with its name, type and size
  std::span<const std::byte> value;
};

/// The header of a part.
struct ExrHeader {
  std::vector<ExrAttribute> attributes;
  bool is_tiled = false;

  /// Null: no attribute has this name.
  const ExrAttribute* find(std::string_view name) const;
};

struct ExrFile {
  std::vector<ExrHeader> parts;
  bool is_numbered = false;  ///< each block has the number of its part
  std::size_t end = 0;       ///< of the headers; there the tables of blocks begin
};

/// Reads the headers of the file, which must outlive the result. Throws ImageFileError if they are
/// cut.
ExrFile read_exr_headers(std::span<const std::byte> file);

/// Implements Codec::check_limits for all parts. What is damaged is left for read_exr_headers() to
/// say. So many attributes that the library would take minutes are refused.
void check_exr_limits(std::span<const std::byte> file, const Limits& limits);

/// Throws ImageFileError for what OpenImageIO does not read, by name.
void check_readable(const ExrFile& exr);

/// Throws ImageFileError when a block of pixels has no place in the file, as in one whose writer
/// did not come to its end. A reader may leave its pixels as they are in memory.
void check_blocks(std::span<const std::byte> file, const ExrFile& exr);

/// Nothing: the part has no such window.
std::optional<Size> size_of_window(const ExrHeader& part, std::string_view name);

/// The picture of a part, or a smaller copy of it (mip map).
struct ExrPage {
  int part = 0, level = 0;
  Size size;
};
std::vector<ExrPage> pages_of(const ExrFile& exr);

/// Adds the attributes that no turn keeps true, and those that nobody knows: "OpenEXR abc".
void look_at_attributes(const ExrFile& exr, Header& header);

/// Implements Codec::parts: the attributes that do not depend on how the pixels lie, or that turn.
std::vector<FilePart> exr_parts(std::span<const std::byte> file, Orientation applied);

/// The result of a turn. `source` has at least the headers of the original file. Each of `pages` is
/// a whole file with one turned page of pages_of() the original. The attributes come from `source`,
/// but not what depends on how the pixels lie.
Bytes join_pages(std::span<const std::byte> source, std::vector<Bytes> pages, Orientation applied);

}  // namespace qturn::openexr
