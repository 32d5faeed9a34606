#include "src/labels/many/via_elements.hpp"

#include <algorithm>
#include <optional>

namespace qturn {

std::string_view size_in_via_key(std::string_view key) {
  if (key.ends_with("-1")) return key.substr(key.size() - 2);
  return key.substr(key.find_last_not_of("0123456789") + 1);
}

void ViaElements::take(std::string_view part) {
  constexpr std::size_t longest = std::size_t{512} << 20;
  text_ += part;
  if (text_.size() > longest) throw LabelError({}, "is longer than 512 MiB");
}

void ViaElements::finish() {
  const JsonText json(text_);
  const JsonValue root = json.root().expect(JsonKind::object);
  const auto list = root.find("_via_image_id_list");
  const JsonValue images = root.find("_via_img_metadata").value_or(root).expect(JsonKind::object);
  const bool comes_first = list && list->text().data() < images.text().data();
  std::set<std::string> keys;
  for (const JsonValue image : images) keys.insert(image.name());
  if (list) {
    for (const JsonValue key : list->expect(JsonKind::array))
      if (!keys.contains(key.string())) key.fail("is the key of no picture");
    if (comes_first) cut(*list, "_via_image_id_list");
  }
  cut(images, "_via_img_metadata");
  if (list && !comes_first) cut(*list, "_via_image_id_list");
  sink_.other(std::string_view(text_).substr(done_));
}

void ViaElements::cut(const JsonValue& elements, std::string_view name) {
  const std::string_view all = text_;
  const LabelText places(all);
  const auto offset_of = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - all.data());
  };
  const std::size_t begin = offset_of(elements.text()) + 1;
  sink_.other(all.substr(done_, begin - done_));
  done_ = begin;
  for (const JsonValue element : elements) {
    // After a bracket or a comma, blanks and a quote follow.
    const std::size_t first = all.find('"', done_),
                      end = offset_of(element.text()) + element.text().size();
    const std::size_t blanks = all.find_last_of("{[,", first) + 1;
    const std::string_view text = all.substr(first, end - first);
    sink_.element(name, all.substr(blanks, first - blanks), text, places.place_of(text));
    done_ = end;
  }
  const std::size_t end = offset_of(elements.text()) + elements.text().size() - 1;
  sink_.end_of_array(all.substr(done_, end - done_));
  done_ = end;
}

}  // namespace qturn
