#include "src/labels/text/xml_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace qturn {
namespace {

// More than a label of 64 MB has that is not made to take memory.
constexpr std::size_t max_elements = 5'000'000;

/// The bytes of a character in UTF-8.
std::string utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  std::string bytes;
  for (; code >= 0x40U >> bytes.size(); code >>= 6)
    bytes.insert(bytes.begin(), static_cast<char>(0x80 | (code & 0x3f)));
  const std::uint32_t mark = 0xff00U >> (bytes.size() + 1);
  bytes.insert(bytes.begin(), static_cast<char>((mark | code) & 0xff));
  return bytes;
}

/// What a reference such as "amp" or "#100" stands for. Empty if that is not known.
std::string referred(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  for (const auto& [word, text] : known)
    if (name == word) return text;
  if (!name.starts_with('#')) return "";
  const bool is_hexadecimal = name.starts_with("#x");
  name.remove_prefix(is_hexadecimal ? 2 : 1);
  const char* const end = name.data() + name.size();
  std::uint32_t code = 0;
  const auto read = std::from_chars(name.data(), end, code, is_hexadecimal ? 16 : 10);
  const bool is_character = read.ec == std::errc() && read.ptr == end && code > 0 &&
                            code < 0x110000 && code - 0xd800 >= 0x800;
  return is_character ? utf8(code) : "";
}

}  // namespace

std::string xml_escaped(std::string_view text, bool in_quotes) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (in_quotes && c == '"')
      escaped += "&quot;";
    else if (in_quotes && c == '\'')
      escaped += "&apos;";
    else
      escaped += c;
  }
  return escaped;
}

std::string xml_unescaped(std::string_view content) {
  constexpr std::string_view cdata = "<![CDATA[";
  if (content.starts_with(cdata))
    return std::string(content.substr(cdata.size(), content.find("]]>") - cdata.size()));
  content = content.substr(0, content.find('<'));
  std::string text;
  while (!content.empty()) {
    const std::size_t mark = std::min(content.find('&'), content.size());
    const std::size_t end = content.find(';', mark);
    text += content.substr(0, mark);
    content.remove_prefix(mark);
    if (content.empty()) break;
    const std::string meant =
        end == content.npos ? "" : referred(content.substr(1, end - mark - 1));
    text += meant.empty() ? "&" : meant;
    content.remove_prefix(meant.empty() ? 1 : end - mark + 1);
  }
  return text;
}

std::vector<XmlNode> nodes_of_label(const LabelText& text) {
  try {
    std::vector<XmlNode> nodes =
        xml_nodes(text.all(), {.nodes = max_elements, .allows_document_type = true});
    if (nodes.empty()) throw XmlError(0, "is not well-formed XML: it has no element");
    return nodes;
  } catch (const XmlError& error) {
    text.fail(text.all().substr(std::min(error.at(), text.all().size())), error.why());
  }
}

}  // namespace qturn
