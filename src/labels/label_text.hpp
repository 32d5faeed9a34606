// The text of a label file: where in it something is wrong, and edits that keep every other byte.
#ifndef QTURN_SRC_LABELS_LABEL_TEXT_HPP
#define QTURN_SRC_LABELS_LABEL_TEXT_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qturn {

/// Why a label cannot be turned. what() begins with the place: "3:14: 'abc' is not a number".
class LabelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LabelText {
 public:
  /// `text` must outlive it.
  explicit LabelText(std::string_view text) : text_(text) {}

  /// Parts of the text are replaced in the order in which they lie there.
  void replace(std::string_view part, std::string_view by);
  std::string finish();

  /// Throws LabelError. Lines and columns (bytes) are counted from 1.
  [[noreturn]] void fail(std::string_view at, const std::string& why) const;

 private:
  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  std::string_view text_;
  std::string edited_;
  std::size_t done_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_LABEL_TEXT_HPP
