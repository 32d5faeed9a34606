// The elements and attributes of an XML text, with where their values stand in it, so that a value
// can be replaced and every other byte stays. As much of XML as XMP packets use: namespaces,
// comments, instructions and CDATA; no document types, no entities of its own.
#ifndef QTURN_SRC_METADATA_XML_NODES_HPP
#define QTURN_SRC_METADATA_XML_NODES_HPP

#include <cstddef>
#include <string_view>
#include <vector>

namespace qturn {

struct XmlNode {
  std::string_view space = {};  ///< the address that its prefix stands for; empty without one
  std::string_view name = {};   ///< without its prefix
  int parent = -1;              ///< the element it stands in; -1: the outermost
  bool is_attribute = false;
  /// An attribute's value, or the text of an element that holds no other. As written, with
  /// references such as &amp;.
  std::string_view value = {};
  std::size_t value_at = 0;

  bool is(std::string_view in_space, std::string_view named) const {
    return space == in_space && name == named;
  }
};

/// All nodes in the order of the text, which must outlive them. Throws ImageFileError if it is not
/// well-formed XML, or if it is nested deeper or declares more than any honest packet.
std::vector<XmlNode> xml_nodes(std::string_view text);

}  // namespace qturn

#endif  // QTURN_SRC_METADATA_XML_NODES_HPP
