// Whether a page can be turned and stay stored as it was, and how it is stored if not.
#ifndef QTURN_SRC_TIFF_STORAGE_HPP
#define QTURN_SRC_TIFF_STORAGE_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/tiff/directories.hpp"
#include "src/tiff/layout.hpp"

namespace qturn {

struct TiffStorage {
  TiffLayout read;
  TiffLayout written;                ///< but for the turn
  std::vector<std::string> changes;  ///< "JPEG compression becomes deflate"; nothing: all is kept
};

/// How a page or a picture in its sub-directories is read and written. Throws ImageFileError for
/// damage.
TiffStorage tiff_storage(std::span<const std::byte> file, const TiffDirectory& page);

/// Throws ImageFileError for what cannot be turned and stay a TIFF however it is stored, by name:
/// stacks that have one directory for many pictures, colour filter arrays, compressions that
/// nobody here decodes...
void refuse_what_cannot_turn(const TiffFile& tiff);

/// The directory of the turned page: what the source said, but for the size, the resolution, where
/// the pixels lie, the orientation, which becomes 1 if there is one, and what is stored
/// differently.
TiffDirectory turned_directory(const TiffDirectory& source, const TiffStorage& storage,
                               const TiffLayout& turned, bool axes_swapped);

/// "JPEG compression"
std::string compression_name(std::uint16_t compression);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_STORAGE_HPP
