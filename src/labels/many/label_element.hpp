// Formats in which one element of a file says all of one picture: a line of JSON Lines, an object
// of a JSON array, an element of XML. A format is a class of an element and a row; element_file.hpp
// reads and turns whole files of any of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/labels/geometry.hpp"
#include "src/labels/label_shapes.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

/// Why several points of one object are not mirrored.
inline constexpr const char* points_may_have_sides =
    "points may be left and right, which change places in a mirror";

/// The turn of an element. The same code reads what it says.
class ElementTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems.
  ElementTurn(std::string_view text, TextPlace place, const LabelledVariant& of_variant,
              const ClassSwap& of_classes, LabelContent* content)
      : edits(text, place), variant(of_variant), swap(of_classes), content_(content) {}

  LabelText edits;
  const LabelledVariant& variant;
  const ClassSwap& swap;

  Orientation orientation() const { return variant.turn.orientation; }
  /// The turn of coordinates in pixels.
  CoordinateTurn pixels() const { return {orientation(), variant.size.width, variant.size.height}; }
  void put(const LabelPoint& point, std::string_view x, std::string_view y) {
    qturn::put(edits, point, x, y);
  }
  /// What cannot be turned is a problem when reading, and is thrown otherwise.
  template <typename Work>
  void attempt(Work work) {
    qturn::attempt(content_, work);
  }
  /// `fail` throws why mirrors, or turns that do not keep percentages (geometry.hpp), cannot be
  /// followed. When reading, it is a problem of these turns alone.
  template <typename Fail>
  void fail_mirrored(Fail fail) {
    fail_if(mirrors(orientation()), mirrored, fail);
  }
  template <typename Fail>
  void fail_in_percent(Fail fail) {
    fail_if(!keeps_percentages(orientation()), in_percent, fail);
  }
  LabelContent mirrored = {}, in_percent = {};  ///< their problems

  bool reads_shapes() const { return content_ != nullptr; }
  void add(LabelShape shape, std::string_view at) {
    if (!content_) return;
    shape.place = edits.place_of(at);
    content_->shapes.push_back(std::move(shape));
  }

 private:
  template <typename Fail>
  void fail_if(bool is_turned_so, LabelContent& problems, Fail fail) {
    if (content_ || is_turned_so) qturn::attempt(content_ ? &problems : nullptr, fail);
  }

  LabelContent* const content_;
};

/// What one element says. The text that it was read from must outlive it.
class LabelElement {
 public:
  virtual ~LabelElement() = default;
  const std::string& file_name() const { return file_name_; }
  /// The full name of the picture, if its file_name is only the last part.
  const std::string& path() const { return path_; }
  const std::optional<Size>& size() const { return size_; }  ///< of the picture, if it says it

  /// Throws LabelError if it cannot be turned.
  virtual void turn(ElementTurn& turn) const = 0;

 protected:
  std::string file_name_, path_;
  std::optional<Size> size_;
};

/// The `read` of a format whose elements are of this class.
template <typename Element>
std::unique_ptr<LabelElement> read_element(std::string_view text, TextPlace place) {
  return std::make_unique<Element>(text, place);
}

struct ElementFormat {
  enum class In : std::uint8_t { lines, json, xml, via };
  In in = In::lines;
  /// JSON: the name of the array, empty for the outermost one. XML: the name of the elements.
  std::string_view array;
  std::string_view outermost;  ///< XML: its name
  /// Whether a file with this head is of the format.
  bool (*is_of)(std::string_view head);
  /// Throws LabelError if it does not name its picture.
  std::unique_ptr<LabelElement> (*read)(std::string_view text, TextPlace place);
  std::string_view note = {};    ///< to be said about the labels before they are turned
  bool are_pixel_boxes = false;  ///< as hugging_face.hpp says
  bool are_normalised = false;   ///< shapes are fractions of the picture
};

extern const ElementFormat create_ml, cvat, datumaro, hugging_face, hugging_face_voc, label_studio,
    via;

}  // namespace qturn
