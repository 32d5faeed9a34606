#include "src/metadata/xml_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace qturn {
namespace {

// More than any file has. Each prefix is looked up among the declarations.
constexpr std::size_t max_depth = 256, max_declarations = 256;
constexpr std::string_view blanks = " \t\r\n";

struct Declaration {
  std::string_view prefix, space;
  std::size_t depth;
};

struct Open {
  int node;
  std::string_view qualified;
  std::size_t content_at;
  bool has_children = false;
};

class Scanner {
 public:
  Scanner(std::string_view text, XmlLimits limits) : text_(text), limits_(limits) {}

  std::vector<XmlNode> scan() {
    while (true) {
      const std::size_t mark = text_.find('<', at_);
      if (mark == std::string_view::npos) break;
      at_ = mark;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("<?")) {
        skip_past("?>");
      } else if (rest.starts_with("<!--")) {
        skip_past("-->");
      } else if (rest.starts_with("<![CDATA[")) {
        if (!open_.empty()) open_.back().has_children = true;  // its text contains references
        skip_past("]]>");
      } else if (rest.starts_with("</")) {
        close();
      } else if (limits_.allows_document_type && rest.starts_with("<!DOCTYPE")) {
        skip_past(">");
      } else if (rest.starts_with("<!")) {
        fail();
      } else {
        open();
      }
    }
    if (!open_.empty()) fail();
    return std::move(nodes_);
  }

 private:
  [[noreturn]] void fail() const { throw XmlError(at_, "is not well-formed XML"); }

  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail();
    at_ = found + end.size();
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  char here() const {
    if (at_ >= text_.size()) fail();
    return text_[at_];
  }

  std::string_view take_name() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/>\"'<", at_), text_.size());
    if (end == at_) fail();
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  std::string_view space_of(std::string_view prefix) const {
    const auto found = std::find_if(declarations_.rbegin(), declarations_.rend(),
                                    [&](const Declaration& d) { return d.prefix == prefix; });
    return found == declarations_.rend() ? std::string_view() : found->space;
  }

  void add(const XmlNode& node) {
    if (nodes_.size() >= limits_.nodes)
      throw XmlError(at_, fmt::format("has more than {} elements and attributes", limits_.nodes));
    nodes_.push_back(node);
  }

  // The node's name still has its prefix.
  void name_node(XmlNode& node) const {
    const std::string_view qualified = node.name;
    const std::size_t colon = qualified.find(':');
    const bool prefixed = colon != std::string_view::npos;
    node.name = prefixed ? qualified.substr(colon + 1) : qualified;
    // An attribute without a prefix is in no namespace.
    if (prefixed || !node.is_attribute) {
      node.space = space_of(prefixed ? qualified.substr(0, colon) : std::string_view());
    }
  }

  void open() {
    ++at_;
    const std::string_view qualified = take_name();
    if (open_.size() >= max_depth) fail();
    if (!open_.empty()) open_.back().has_children = true;
    const int element = static_cast<int>(nodes_.size());
    add({.name = qualified, .parent = open_.empty() ? -1 : open_.back().node});
    for (skip_blanks(); here() != '>' && here() != '/'; skip_blanks()) {
      const std::string_view attribute = take_name();
      skip_blanks();
      if (here() != '=') fail();
      ++at_;
      skip_blanks();
      const char quote = here();
      if (quote != '"' && quote != '\'') fail();
      const std::size_t begin = at_ + 1, end = text_.find(quote, begin);
      if (end == std::string_view::npos) fail();
      const std::string_view value = text_.substr(begin, end - begin);
      at_ = end + 1;
      if (attribute == "xmlns" || attribute.starts_with("xmlns:")) {
        if (declarations_.size() >= max_declarations) fail();
        const std::size_t prefix = std::min(attribute.size(), std::string_view("xmlns:").size());
        declarations_.push_back({attribute.substr(prefix), value, open_.size()});
      } else {
        add({.name = attribute,
             .parent = element,
             .is_attribute = true,
             .value = value,
             .value_at = begin});
      }
    }
    // All of its declarations are known only now.
    for (auto i = static_cast<std::size_t>(element); i < nodes_.size(); ++i) {
      name_node(nodes_[i]);
    }
    const bool empty = here() == '/';
    if (empty) ++at_;
    if (here() != '>') fail();
    ++at_;
    if (empty) {
      forget_declarations();
    } else {
      open_.push_back({element, qualified, at_});
    }
  }

  void close() {
    const std::size_t content_end = at_;
    at_ += 2;
    const std::string_view qualified = take_name();
    skip_blanks();
    if (here() != '>' || open_.empty() || open_.back().qualified != qualified) fail();
    ++at_;
    const Open& closed = open_.back();
    XmlNode& node = nodes_[static_cast<std::size_t>(closed.node)];
    node.content = text_.substr(closed.content_at, content_end - closed.content_at);
    if (!closed.has_children) {
      node.value = node.content;
      node.value_at = closed.content_at;
    }
    open_.pop_back();
    forget_declarations();
  }

  void forget_declarations() {
    while (!declarations_.empty() && declarations_.back().depth >= open_.size()) {
      declarations_.pop_back();
    }
  }

  std::string_view text_;
  const XmlLimits limits_;
  std::size_t at_ = 0;
  std::vector<XmlNode> nodes_;
  std::vector<Open> open_;
  std::vector<Declaration> declarations_;
};

}  // namespace

std::vector<XmlNode> xml_nodes(std::string_view text, XmlLimits limits) {
  return Scanner(text, limits).scan();
}

}  // namespace qturn
