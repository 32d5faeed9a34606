// Whether a page can be turned and stay stored as it was, and how it is stored if not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/layout.hpp"

namespace qturn::tiff {

struct TiffStorage {
  TiffLayout read;
  TiffLayout written;                ///< except for the turn
  std::vector<std::string> changes;  ///< "JPEG compression becomes deflate"; nothing: all is kept
};

/// How a page or a picture in its sub-directories is read and written. Throws ImageFileError for
/// damage.
TiffStorage tiff_storage(std::span<const std::byte> file, const TiffDirectory& page);

/// Throws ImageFileError for pages that can neither be turned nor become another format, by name:
/// stacks that have one directory for many pictures, colour filter arrays, compressions that
/// nobody here decodes...
void refuse_unsupported_pages(const TiffFile& tiff);

/// The same, also for pictures in sub-directories, which stay with a page that stays a TIFF.
void refuse_what_cannot_turn(const TiffFile& tiff);

/// The directory of the turned page: the source's, except for the size, the resolution, the
/// coordinates, the place of the pixels and what is stored differently. turn_tiff_metadata() sets
/// the orientation.
TiffDirectory turned_directory(const TiffDirectory& source, const TiffStorage& storage,
                               const TiffLayout& turned, Orientation applied);

/// "JPEG compression"
std::string compression_name(std::uint16_t compression);

}  // namespace qturn::tiff
