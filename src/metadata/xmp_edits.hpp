// Replacements in the text of an XMP packet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/metadata/xml_nodes.hpp"
#include "src/picture/text.hpp"

namespace qturn {

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
