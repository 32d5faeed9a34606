// Face regions in XMP: the Metadata Working Group's (mwg-rs) and Microsoft's (MP).
//
// Both measure in fractions of the picture's sides from its upper left corner; mwg-rs names a
// region's centre, MP its corner. Programs draw them on the pixels as they are stored, whatever the
// orientation says. Some, though, have drawn them on the upright picture; then mwg-rs tells, where
// the axes are exchanged: its AppliedToDimensions are then those of the upright picture, and the
// regions are moved with the view instead of the pixels.
//
// Where an edge was trimmed, what is left is another picture: places in it are other fractions of
// its sides, and AppliedToDimensions are its own. A region that reaches into what was trimmed then
// reaches out of the picture, and its numbers say so.
#ifndef QTURN_SRC_CARRIERS_XMP_REGIONS_HPP
#define QTURN_SRC_CARRIERS_XMP_REGIONS_HPP

#include <string>
#include <vector>

#include "src/carriers/turn.hpp"
#include "src/carriers/xml_nodes.hpp"
#include "src/carriers/xmp_edits.hpp"

namespace qturn {

void move_regions(const std::vector<XmlNode>& nodes, const CarrierTurn& turn, XmpEdits& edits,
                  std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_XMP_REGIONS_HPP
