// A text of any form as one tree: JSON, JSON Lines, YAML, TOML, XML, CSV, TSV, and plain lines. It
// is read to find out what a file says about pictures, not to edit it, so a text may end anywhere
// and need not be well-formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// So many bytes of a file tell what it is.
inline constexpr std::size_t text_head_bytes = 1 << 16;

struct AnyNode {
  enum Kind : std::uint8_t {
    object,  ///< also an element of XML, and a section of TOML
    array,
    row,  ///< of a table or of plain text: its words have the names of columns, or none
    word,
    number
  };
  Kind kind;
  std::string_view key, text;  ///< of a member; of a word or a number
  std::size_t parent;          ///< of the first one: itself
  std::size_t end = 0;         ///< the node after all that is in it

  bool is_container() const { return kind < word; }
};

class AnyText {
 public:
  AnyText(std::string_view text, std::string_view lower_suffix);
  AnyText(const AnyText&) = delete;
  AnyText& operator=(const AnyText&) = delete;

  /// In the order of the text. The first one holds all others.
  const std::vector<AnyNode>& nodes() const { return nodes_; }
  /// Whether it is plain lines: YAML, TOML, a list.
  bool is_lines() const { return nodes_[0].kind == AnyNode::object; }
  /// Whether it is plain text that people read: it has far more words than numbers.
  bool is_prose() const { return is_prose_; }

 private:
  friend class AnyTextReader;
  std::string text_;
  std::deque<std::string> decoded_;  // strings that have escapes
  std::vector<AnyNode> nodes_;
  bool is_prose_ = false;
};

/// Whether a word is a number: "-12", "0.5", "1e-3", "12px", "50%".
bool is_any_number(std::string_view word);

/// The numbers in a word: in one that has nothing else ("12", "1 3 10 5", "(1,2),(3,4)"), or hardly
/// anything ("cat 1 2 3 4"), or within brackets ("at [0.1, 0.2]", "<loc_12><loc_30>").
std::vector<double> numbers_in(std::string_view word);

/// How many there are in a text of any form, but for prose.
std::size_t numbers_in_text(std::string_view text, std::string_view lower_suffix);

/// A text in UTF-16 without the zero bytes of its ASCII characters, or any other text; without a
/// byte order mark.
std::string from_utf_16(std::string_view text);
/// Whether a text begins with UTF-16's byte order mark.
bool is_utf_16(std::string_view text);

}  // namespace qturn
