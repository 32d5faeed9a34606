// Elements of a text that is too large for the memory and comes part by part: lines, objects of
// JSON, elements of XML. They are cut out, each for somebody else to parse; everything else goes
// through as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/labels/labelled_images.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

/// Takes what is cut out, in the order of the text.
class ElementsSink {
 public:
  virtual ~ElementsSink() = default;
  /// Text that belongs to no element.
  virtual void other(std::string_view text) = 0;
  /// An element of the array of this name. `blanks` are those before it, after a bracket or a
  /// comma.
  virtual void element(std::string_view array, std::string_view blanks, std::string_view text,
                       TextPlace place) = 0;
  /// The array ends, after these blanks.
  virtual void end_of_array(std::string_view blanks) = 0;
};

class ElementCutter {
 public:
  virtual ~ElementCutter() = default;
  /// Throws LabelError for a text of another kind, and for an element that is longer than 8 MiB.
  virtual void take(std::string_view part) = 0;
  /// Is called after the last part. Throws LabelError if the text is not complete.
  virtual void finish() = 0;

 protected:
  /// It is held in the memory, and turned in about 40 times as much.
  static constexpr std::size_t longest_element = std::size_t{8} << 20;
  [[noreturn]] static void refuse_length(TextPlace place, std::string_view element);
};

/// Each line that is not blank is an element; a UTF-8 byte order mark is not a part of the first.
class LineElements : public ElementCutter {
 public:
  /// `sink` must outlive it.
  explicit LineElements(ElementsSink& sink) : sink_(sink) {}
  void take(std::string_view part) override;
  void finish() override;

 private:
  void hand_over();

  ElementsSink& sink_;
  TextPlace place_;
  std::string blanks_, line_;
};

/// The elements of one name in the outermost element of an XML text. Blanks before them are handed
/// over as in an array. Their content is not looked at: markup is told from text, no more.
class XmlElements : public ElementCutter {
 public:
  /// `outermost`, `name`: of elements. All must outlive it.
  XmlElements(std::string_view outermost, std::string_view name, ElementsSink& sink)
      : outermost_(outermost), name_(name), sink_(sink) {}
  void take(std::string_view part) override;
  void finish() override;

 private:
  bool is_markup_complete(char c);
  void take_markup();
  void open(std::string_view tag);
  void hand_over_other();
  void hand_over_element();
  [[noreturn]] void fail(const std::string& why) const;

  const std::string_view outermost_, name_;
  ElementsSink& sink_;
  TextPlace next_, markup_place_, element_place_;
  std::size_t depth_ = 0;
  bool is_begun_ = false, is_in_element_ = false, is_in_markup_ = false;
  char quote_ = 0;             // open in a tag; 0: none
  std::string text_;           // not handed over yet
  std::size_t markup_at_ = 0;  // in it
  std::string blanks_;         // before the element
};

/// Puts turned elements in the place of the original ones.
class ElementCopies {
 public:
  /// `comma`: what stands between two of them, beside blanks.
  ElementCopies(AppendText append, std::string_view comma)
      : append_(std::move(append)), comma_(comma) {}

  /// Is called for each element, be it put or not.
  void begin(std::string_view blanks);
  void put(std::string_view blanks, std::string_view text);
  void end_of_array(std::string_view blanks);

 private:
  const AppendText append_;
  const std::string_view comma_;
  // These are about the array that the text is in.
  bool is_seen_ = false, is_written_ = false;  // one of its elements
  std::string first_blanks_;                   // before the first one, whether it is written or not
};

}  // namespace qturn
