// Cuts the elements of some arrays out of a JSON text that is too large for the memory and comes
// part by part: {"info": ..., "images": [{...}, {...}], "annotations": [{...}]}. Everything else
// goes through as it is. Of it only brackets, strings and the members of the outermost object are
// looked at; an element is cut out by its brackets, and is for somebody else to parse.
#ifndef QTURN_SRC_LABELS_JSON_ELEMENTS_HPP
#define QTURN_SRC_LABELS_JSON_ELEMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/label_text.hpp"

namespace qturn {

/// Takes what is cut out, in the order of the text.
class JsonElementsSink {
 public:
  virtual ~JsonElementsSink() = default;
  /// Text that belongs to no element.
  virtual void other(std::string_view text) = 0;
  /// An object in the array of this name. `blanks` are those before it, after a bracket or a comma.
  virtual void element(std::string_view array, std::string_view blanks, std::string_view text,
                       TextPlace place) = 0;
  /// The array ends, after these blanks.
  virtual void end_of_array(std::string_view blanks) = 0;
};

class JsonElements {
 public:
  /// `arrays`: their names. Both must outlive it.
  JsonElements(std::span<const std::string_view> arrays, JsonElementsSink& sink)
      : arrays_(arrays), is_found_(arrays.size()), sink_(sink) {}

  /// Throws LabelError for what is not such JSON, for an array that occurs twice or holds anything
  /// but objects, and for an element that is longer than 8 MiB.
  void take(std::string_view part);
  /// Is called after the last part. Throws LabelError if the text is not complete.
  void finish();

  /// Whether the text has the array of this number.
  bool found(std::size_t array) const { return is_found_[array]; }

 private:
  enum class Expect : std::uint8_t {
    text,
    key_or_end,
    key,
    colon,
    value,
    comma_or_end,
    element_or_end,
    element,
    nothing
  };

  bool is_inside() const { return open_.size() > (array_ == none ? 1 : 2); }
  void put(char c) {
    (is_in_element_ ? element_ : other_) += c;
    if (element_.size() > longest_element) refuse_element();
  }
  [[noreturn]] void refuse_element() const;
  void take_in_string(char c);
  void take_inside(char c);
  void take_in_array(char c);
  void take_member(char c);
  void begin_value(char c);
  void hand_over_other();
  [[noreturn]] void fail(const std::string& why) const;

  /// It is held in the memory, and turned in about 40 times as much.
  static constexpr std::size_t longest_element = std::size_t{8} << 20;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const std::span<const std::string_view> arrays_;
  std::vector<bool> is_found_;
  JsonElementsSink& sink_;

  TextPlace place_;   // of the next byte
  std::string open_;  // the brackets that are open
  Expect expect_ = Expect::text;
  bool is_in_string_ = false, is_escaped_ = false, is_in_word_ = false, is_in_element_ = false;
  std::string key_;           // of a member of the outermost object
  std::size_t array_ = none;  // the one that it is in
  TextPlace element_place_;
  std::string blanks_, element_, other_;
};

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_JSON_ELEMENTS_HPP
