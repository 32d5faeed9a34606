// What a turn changes in an XMP packet: tiff:Orientation, the sizes, the resolution, the subject's
// place and the regions that programs draw around faces. The text is edited in place. The padding
// at the end of a packet absorbs the change of length, so that the packet keeps its length if
// possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/metadata/metadata_turn.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/picture/image.hpp"
#include "src/picture/text.hpp"

namespace qturn {

/// The packet after the turn. If it is not XML it stays as it was, and `warnings` says so.
std::string turn_xmp(std::string_view packet, const MetadataTurn& turn,
                     std::vector<std::string>& warnings);

/// What a packet says about orientation.
struct XmpSays {
  std::optional<std::string> orientation, width, height;  ///< as written
  std::optional<std::string> depth_width, depth_height;  ///< of the picture of a depth map (GDepth)
  std::string extended;              ///< the name of the extended packet that belongs to it
  bool has_unknown_regions = false;  ///< face regions whose places nobody can read
};
/// Throws ImageFileError if it is not XML.
XmpSays read_xmp(std::string_view packet);

/// What a packet says; nothing if it says no orientation, or is not XML.
std::optional<Orientation> orientation_of_xmp(std::string_view packet);

/// What of a packet no turn changes: all but its numbers and blanks, what it says of the size and
/// the orientation, and the pictures in it.
std::string without_numbers(std::string_view packet);

/// Warns of a packet that says another one of the picture than `stored`. XMP never counts: it
/// repeats what Exif says, and is often left over from before a turn.
void warn_of_other_orientation(std::string_view packet, Orientation stored,
                               std::vector<std::string>& warnings);

/// Whether a packet contradicts a picture that is stored upright: some programs turn it as XMP says
/// where Exif says nothing. So even a picture that needs no turn is not just copied.
inline bool turns_upright_picture(std::string_view packet, Orientation stored) {
  return stored == Orientation::identity &&
         orientation_of_xmp(packet).value_or(stored) != Orientation::identity;
}

/// Whether the pictures that a packet's directory lists (Google's Container) turn with the first.
enum class ListedPictures : bool { stay, are_turned };

/// Adds what a packet says that no turn keeps true.
void add_placed_in_xmp(std::string_view packet, Header& header,
                       ListedPictures listed = ListedPictures::stay);

/// The same, and whether it contradicts the orientation in the header.
inline void look_at_xmp(std::string_view packet, Header& header,
                        ListedPictures listed = ListedPictures::stay) {
  header.has_ignored_tag |= turns_upright_picture(packet, header.stored);
  add_placed_in_xmp(packet, header, listed);
}

/// A picture in the text of a packet (GDepth, GImage), which turns with the first one.
struct XmpPicture {
  std::string name;  ///< "its depth map (GDepth)"
  Bytes bytes;       ///< a JPEG or a PNG
};
/// Those that could be turned. None if the packet is not XML.
std::vector<XmpPicture> pictures_in_xmp(std::string_view packet);

/// For a packet beside the picture.
void warn_of_placed_in_xmp(std::string_view packet, const MetadataTurn& turn,
                           std::vector<std::string>& warnings);

/// An item that a file's directory (Google's Container, also that of Dynamic Depth) lists: a
/// picture, or something else.
struct ContainerItem {
  std::string mime, semantic;
  std::uint64_t length = 0, padding = 0;
};
std::vector<ContainerItem> container_items(std::string_view packet);

/// Whether a packet may have a directory (Container). It is not parsed.
bool has_container(std::string_view packet);

/// The packet with these lengths, one per item, and with this name of its extended packet, if it is
/// not empty.
std::string with_container_lengths(std::string_view packet,
                                   const std::vector<std::uint64_t>& lengths);
std::string with_extended_name(std::string_view packet, std::string_view name);

// Replacements in the text of an XMP packet.

class XmpEdits {
 public:
  explicit XmpEdits(std::string_view packet) : packet_(packet) {}

  /// Sets the node to another value. Blanks around the old value are replaced too.
  void replace(const XmlNode& node, std::string value);
  void exchange(const XmlNode& a, const XmlNode& b);

  /// The packet with all values replaced, and with as many blanks fewer or more before its closing
  /// <?xpacket end?> as it takes to keep its length.
  std::string apply();

 private:
  std::string_view packet_;
  std::vector<TextEdit> edits_;
};

/// Whether the element `top` holds the node, at any depth.
bool is_below(const std::vector<XmlNode>& nodes, const XmlNode& node, int top);

}  // namespace qturn
