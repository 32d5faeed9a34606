// The part of a file that OpenImageIO gets to see: the pixels and how they are stored.
//
// Metadata are read by our own code, which believes no length it has not checked. OpenImageIO 2.4
// reads beyond the end of a damaged colour profile, so profiles, texts and Exif are kept from it.
#ifndef QTURN_SRC_OIIO_VISIBLE_PART_HPP
#define QTURN_SRC_OIIO_VISIBLE_PART_HPP

#include <cstddef>
#include <span>
#include <vector>

#include "src/formats/format.hpp"

namespace qturn {

/// Views that together are a file. They point into the original and into `made`.
struct VisiblePart {
  std::vector<std::span<const std::byte>> pieces;
  std::vector<std::vector<std::byte>> made;
};

/// `file`, which must outlive the result and have passed read_structure.
VisiblePart visible_part(std::span<const std::byte> file, Format format);

}  // namespace qturn

#endif  // QTURN_SRC_OIIO_VISIBLE_PART_HPP
