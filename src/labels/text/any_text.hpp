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

  /// Visits the words and numbers in a container that may say where something is, with all that is
  /// further in. `may_enter`: what else may be left out, of a child and its container.
  template <typename MayEnter, typename Visit>
  void for_each_telling(std::size_t container, const MayEnter& may_enter, const Visit& visit) const;

 private:
  friend class AnyTextReader;
  std::string text_;
  std::deque<std::string> decoded_;  // strings that have escapes
  std::vector<AnyNode> nodes_;
  bool is_prose_ = false;
};

/// Whether a word is a number: "-12", "0.5", "1e-3", "12px", "50%".
bool is_any_number(std::string_view word);

/// The numbers in a word, but for an embedding: in one that has nothing else ("12", "1 3 10 5",
/// "(1,2),(3,4)"), or hardly anything ("cat 1 2 3 4"), or within brackets ("at [0.1, 0.2]",
/// "<loc_12><loc_30>").
std::vector<double> numbers_in(std::string_view word);

/// The letters and digits of a name, in lower case.
std::string letters_of(std::string_view name);
/// Whether a list of words, with blanks between, has a word.
bool is_among_words(std::string_view word, std::string_view words);

/// Whether a node says by its name that it is about the whole picture, or about something else than
/// a picture: an id, a class, a score, a time, a place on Earth, a caption.
bool says_no_place(const AnyNode& node);
/// 0, 1 and -1 say whether something is there, not where.
inline bool is_class_number(double value) { return value == 0 || value == 1 || value == -1; }
/// 64 numbers or more are an embedding if many are negative.
inline bool is_embedding(std::size_t numbers, std::size_t negative) {
  return numbers >= 64 && 8 * negative >= numbers;
}

/// How many numbers a text of any form has that may say where something is. Prose has none.
std::size_t numbers_in_text(std::string_view text, std::string_view lower_suffix);
/// The same of a member of JSON.
std::size_t numbers_in_member(std::string_view name, std::string_view json);
/// What to say of a member or a column of this name whose numbers are too many.
std::string why_not_turned(std::string_view name);

template <typename MayEnter, typename Visit>
void AnyText::for_each_telling(std::size_t container, const MayEnter& may_enter,
                               const Visit& visit) const {
  const auto for_each_child = [&](const auto& visit_child) {
    for (std::size_t i = container + 1; i < nodes_[container].end;
         i = nodes_[i].is_container() ? nodes_[i].end : i + 1)
      visit_child(i);
  };
  std::size_t numbers = 0, negative = 0;
  for_each_child([&](std::size_t i) {
    const bool is_number = nodes_[i].kind == AnyNode::number;
    numbers += is_number ? 1 : 0;
    negative += is_number && nodes_[i].text.starts_with('-') ? 1 : 0;
  });
  for_each_child([&](std::size_t i) {
    const AnyNode& node = nodes_[i];
    if (node.kind == AnyNode::number && is_embedding(numbers, negative)) return;
    if (says_no_place(node) || !may_enter(i, container)) return;
    if (node.is_container())
      for_each_telling(i, may_enter, visit);
    else
      visit(i);
  });
}

/// A text in UTF-16 without the zero bytes of its ASCII characters, or any other text; without a
/// byte order mark.
std::string from_utf_16(std::string_view text);
/// Whether a text begins with UTF-16's byte order mark.
bool is_utf_16(std::string_view text);

}  // namespace qturn
