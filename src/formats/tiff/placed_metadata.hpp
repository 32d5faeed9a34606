// What a page of a TIFF says of places, and of the axes: on a map, on a canvas, under a microscope.
//
// GeoTIFF says where on a map the pixels lie, by a matrix, by a scale and a tie point, or by tie
// points alone, satellite pictures by rational polynomials (RPC). A turn is exact algebra in all of
// them: a pixel keeps its place on the map.
//
// A scale means north up, so what was turned gets a matrix instead. With raster coordinates x, y
// and a side of W, a flop makes X = a x + b y + d to X = -a x + b y + (d + a W); of pixels that are
// points, the side is W - 1. Only the last term is rounded, once for each mirrored axis.
#pragma once

#include <qturn/orientation.hpp>

#include <string_view>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {

/// What of the directory a turn leaves as it is, although it depends on where pixels lie: regions,
/// the shape that tifffile states as text, map coordinates and sizes that cannot be turned.
std::vector<PlacedMetadata> placed_metadata(const TiffDirectory& page);

/// Turns what depends on that, of a page that had this size: map coordinates, the place on a
/// canvas, the axes of OME-XML. What is not turned stays as it is.
void turn_placed_metadata(TiffDirectory& page, Size before, Orientation applied);

/// What of a description depends on where pixels lie; nothing if it is not OME-XML.
std::vector<PlacedMetadata> placed_in_ome(std::string_view description);

}  // namespace qturn::tiff
