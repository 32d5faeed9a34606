// What a file's own structure says beside its pixels, and the same structure put around new pixels.
//
// OpenImageIO's readers pass over damage (a missing end, a wrong checksum, a lost page) and its
// writers keep only the metadata they understand. So the chunks of a file are walked here before
// they see it, and again after they have written one.
#ifndef QTURN_SRC_OIIO_FILE_STRUCTURE_HPP
#define QTURN_SRC_OIIO_FILE_STRUCTURE_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/format.hpp"
#include "src/formats/image.hpp"

namespace qturn {

struct FileStructure {
  std::optional<Orientation> orientation;  ///< where the structure holds it, not OpenImageIO
  std::optional<std::size_t> pages;        ///< where the structure tells
  std::string storage_change;              ///< as Header's
  bool whole_pages = false;  ///< its reader decodes a page whole, in memory of its own
  std::vector<std::string> warnings;
  Metadata metadata;
  std::vector<std::byte> skeleton;  ///< HDR: the lines before the pixels; BMP: its resolution
  bool lossless = true;             ///< WebP: how its pixels are stored
  bool reserved_bytes = false;      ///< BMP: a fourth byte in each pixel that means nothing
  bool alpha_mask = false;          ///< BMP: a fourth byte that is alpha
};

/// Walks the file. Throws ImageFileError for damage and for what is not supported.
FileStructure read_structure(std::span<const std::byte> file, Format format);

/// The file made of what OpenImageIO wrote for the pages of `turned`, a file each, with the
/// metadata that belongs to it.
///
/// `source`: what was read of the file that the picture comes from, if it has the same format;
/// `applied` is what was done to its pixels.
std::vector<std::byte> finish_file(std::vector<std::vector<std::byte>> encoded, const Image& turned,
                                   const FileStructure* source, Format target, Orientation applied);

}  // namespace qturn

#endif  // QTURN_SRC_OIIO_FILE_STRUCTURE_HPP
