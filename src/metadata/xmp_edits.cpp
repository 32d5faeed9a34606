#include "src/metadata/xmp_edits.hpp"

#include <algorithm>
#include <utility>

namespace qturn {

void XmpEdits::replace(const XmlNode& node, std::string value) {
  if (node.value == value || node.value_at == 0) return;
  edits_.push_back({node.value_at, node.value.size(), std::move(value)});
}

void XmpEdits::exchange(const XmlNode& a, const XmlNode& b) {
  replace(a, std::string(b.value));
  replace(b, std::string(a.value));
}

std::string XmpEdits::apply() {
  std::string edited = qturn::edited(packet_, edits_);
  const std::size_t end = edited.rfind("<?xpacket end");
  if (end == std::string::npos) return edited;
  if (edited.size() < packet_.size()) {
    edited.insert(end, packet_.size() - edited.size(), ' ');
  } else {
    const std::size_t last = std::string_view(edited).substr(0, end).find_last_not_of(" \t\r\n");
    const std::size_t padding = last == std::string::npos ? 0 : end - last - 1;
    const std::size_t less = std::min(padding, edited.size() - packet_.size());
    edited.erase(end - less, less);
  }
  return edited;
}

bool is_below(const std::vector<XmlNode>& nodes, const XmlNode& node, int top) {
  for (int at = node.parent; at >= 0; at = nodes[static_cast<std::size_t>(at)].parent) {
    if (at == top) return true;
  }
  return false;
}

}  // namespace qturn
