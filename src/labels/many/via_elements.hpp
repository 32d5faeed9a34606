// Cuts the pictures out of a file of VIA 2, each a member of an object, and in a project also
// their keys out of the list of them:
//
//   {"a.jpg214": {...}, ...}
//   {"_via_settings": {...}, "_via_img_metadata": {"a.jpg214": {...}, ...},
//    "_via_image_id_list": ["a.jpg214", ...]}
//
// A member is handed over with its key, an entry of the list as a string. The file is held: people
// draw what is in it, so it is small.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "src/labels/many/elements.hpp"
#include "src/labels/text/json_text.hpp"

namespace qturn {

/// The size of a file at the end of a key: "214" of "a.jpg214", "-1" if it is not known.
std::string_view size_in_via_key(std::string_view key);

class ViaElements : public ElementCutter {
 public:
  /// `sink` must outlive it.
  explicit ViaElements(ElementsSink& sink) : sink_(sink) {}
  /// Throws LabelError for more than 512 MiB.
  void take(std::string_view part) override;
  void finish() override;

 private:
  void cut(const JsonValue& elements, std::string_view name);

  ElementsSink& sink_;
  std::string text_;
  std::size_t done_ = 0;  // so much of it is handed over
};

}  // namespace qturn
