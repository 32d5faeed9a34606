// Face regions in XMP: the Metadata Working Group's (mwg-rs), ACDSee's and Microsoft's (MP).
//
// All use fractions of the picture's sides, from its upper left corner. MP gives the corner of a
// region, the others its centre. Programs draw them on the pixels as they are stored, whatever the
// orientation says. Some programs draw them on the upright picture instead. If the tag swaps the
// axes, all but MP show that: their AppliedToDimensions are then those of the upright picture, and
// the regions are moved with the view instead of the pixels.
//
// If an edge was trimmed, the rest is a smaller picture: places are other fractions of its sides,
// and AppliedToDimensions is the new size. A region that reaches into the trimmed edge now reaches
// out of the picture, and its numbers say so.
#pragma once

#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn {

/// Whether there are regions of the Metadata Working Group whose places nobody can read.
bool has_unknown_regions(const std::vector<XmlNode>& nodes);

void move_regions(const std::vector<XmlNode>& nodes, const MetadataTurn& turn, XmpEdits& edits,
                  std::vector<std::string>& warnings);

}  // namespace qturn
