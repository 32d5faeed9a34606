// The elements and attributes of an XML text, with where their values stand in it, so that a value
// can be replaced and every other byte stays. As much of XML as XMP packets and labels use:
// namespaces, comments, instructions and CDATA; no entities of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/picture/errors.hpp"

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
  /// All that stands between the ends of an element. Null if it is written as <a/>.
  std::string_view content = {};

  bool is(std::string_view in_space, std::string_view named) const {
    return space == in_space && name == named;
  }
};

/// The text is not XML. what() is a sentence about "it".
class XmlError : public ImageFileError {
 public:
  XmlError(std::size_t at, const std::string& why) : ImageFileError("it " + why), at_(at) {}
  std::size_t at() const { return at_; }  ///< the byte where that shows
  std::string why() const { return std::string(what()).substr(3); }

 private:
  std::size_t at_;
};

/// More than any honest packet has, and a node takes more memory than its 5 bytes of text.
struct XmlLimits {
  std::size_t nodes = 500'000;
  bool allows_document_type = false;  ///< which is not looked at
};

/// All nodes in the order of the text, which must outlive them. Throws XmlError if it is not
/// well-formed XML, or if it is nested deeper or declares more than any honest file.
std::vector<XmlNode> xml_nodes(std::string_view text, XmlLimits limits = {});

}  // namespace qturn
