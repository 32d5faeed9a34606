// Where on a map the pixels of a TIFF lie. GeoTIFF says it by a matrix, by a scale and a tie point,
// or by tie points alone, satellite pictures by rational polynomials (RPC). A turn is exact algebra
// in all of them: a pixel keeps its place on the map.
//
// A scale means north up, so what was turned gets a matrix instead. With raster coordinates x, y
// and a side of W, a flop makes X = a x + b y + d to X = -a x + b y + (d + a W); of pixels that are
// points, the side is W - 1. Only the last term is rounded, once for each mirrored axis.
#pragma once

#include <qturn/orientation.hpp>

#include "src/formats/tiff/directories.hpp"

namespace qturn::tiff {

/// Whether turn_coordinates() turns all that a page says by GeoTIFF, if anything: not a scale with
/// several tie points, a negative scale, the matrix of Intergraph, and what is damaged.
bool turns_map_coordinates(const TiffDirectory& page);

/// The same of rational polynomials.
bool turns_polynomials(const TiffDirectory& page);

/// Turns the coordinates of a page that had this size. What is not turned stays as it is.
void turn_coordinates(TiffDirectory& page, Size before, Orientation applied);

}  // namespace qturn::tiff
