// The last step of turning a JPEG: everything in the file that says how it is oriented, or depends
// on it, is made to agree with its pixels. Exif and XMP, JFIF's density and thumbnails, and the
// pictures behind the first one (previews, a gain map) with the places that point to them. Every
// other byte of the markers stays, in order.
#ifndef QTURN_SRC_JPEG_CARRIERS_HPP
#define QTURN_SRC_JPEG_CARRIERS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/exif_turn.hpp"
#include "src/carriers/turn.hpp"

namespace qturn {

/// Finishes a JPEG that was turned.
///
/// `turned` has the markers of `source` as they were and the pixels of `source` after `applied`;
/// `size` is its size, perhaps without what was trimmed off the right or lower edge; `end` is where
/// the picture ends in `source`. `turn_jpeg` turns thumbnails and previews. What follows the
/// picture in `source` follows it again, turned where it is known. The result is tagged upright.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when the
/// orientation can neither be set nor proved absent, and for what cannot be turned along, by name.
std::vector<std::byte> finish_jpeg(std::span<const std::byte> source, std::size_t end,
                                   std::vector<std::byte> turned, Orientation applied, Size size,
                                   const TurnJpeg& turn_jpeg, std::vector<std::string>& warnings);

/// The same JPEG with another orientation in every carrier, none of its pixels touched; `turn_jpeg`
/// is for a thumbnail that was upright beside a picture that was not. Where the file has no
/// orientation and `missing` asks for it, Exif with one is added.
std::vector<std::byte> retag_jpeg(std::span<const std::byte> file, Orientation tag,
                                  MissingTag missing, const TurnJpeg& turn_jpeg,
                                  std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_CARRIERS_HPP
