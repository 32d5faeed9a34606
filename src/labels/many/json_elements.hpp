// Cuts the elements of some arrays out of a JSON text: {"info": ..., "images": [{...}, {...}],
// "annotations": [{...}]}. Of everything else only brackets, strings and the members of the
// outermost object are looked at; an element is cut out by its brackets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/many/elements.hpp"

namespace qturn {

class JsonElements : public ElementCutter {
 public:
  /// `arrays`: their names; the outermost array's is empty. Both must outlive it.
  JsonElements(std::span<const std::string_view> arrays, ElementsSink& sink)
      : arrays_(arrays), is_found_(arrays.size()), sink_(sink) {}

  /// Throws LabelError also for an array that occurs twice or holds anything but objects.
  void take(std::string_view part) override;
  void finish() override;

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

  bool is_inside() const { return open_.size() > (array_ == none ? 1 : depth_of_array_); }
  std::string name_of(std::size_t array) const;
  void begin_array(std::size_t array, char bracket);
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

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const std::span<const std::string_view> arrays_;
  std::vector<bool> is_found_;
  ElementsSink& sink_;

  TextPlace place_;   // of the next byte
  std::string open_;  // the brackets that are open
  Expect expect_ = Expect::text;
  bool is_in_string_ = false, is_escaped_ = false, is_in_word_ = false, is_in_element_ = false;
  std::string key_;           // of a member of the outermost object
  std::size_t array_ = none;  // the array that it is in
  std::size_t depth_of_array_ = 0;
  TextPlace element_place_;
  std::string blanks_, element_, other_;
};

}  // namespace qturn
