// Text in labels of XML, escaped and unescaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/labels/text/label_text.hpp"
#include "src/metadata/xml_nodes.hpp"

namespace qturn {

std::string xml_escaped(std::string_view text, bool in_quotes = false);

/// The text of an element or the value of an attribute, unescaped: "cat & dog" of "cat &amp; dog".
/// A CDATA section gives its content.
std::string xml_unescaped(std::string_view content);

/// Throws LabelError.
std::vector<XmlNode> nodes_of_label(const LabelText& text);

}  // namespace qturn
