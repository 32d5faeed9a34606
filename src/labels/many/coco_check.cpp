#include "src/labels/many/coco_check.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "src/labels/json_picture.hpp"

namespace qturn {
namespace {

constexpr std::string_view first_arrays[] = {"images", "categories"};
constexpr std::string_view second_arrays[] = {"annotations"};

}  // namespace

CocoImagesReader::CocoImagesReader(TellLabelProblem tell)
    : tell_(std::move(tell)), elements_(first_arrays, *this) {}

CocoContent CocoImagesReader::finish() {
  elements_.finish();
  if (!elements_.found(0)) throw LabelError({}, "is not a COCO file: it has no images");
  return std::move(content_);
}

std::optional<CocoCategoryNames> CocoImagesReader::categories() const {
  if (!elements_.found(1)) return std::nullopt;
  return categories_;
}

void CocoImagesReader::element(std::string_view array, std::string_view, std::string_view text,
                               TextPlace place) {
  try {
    array == first_arrays[0] ? add_image(text, place) : add_category(text, place);
  } catch (const LabelError& error) {
    tell_(broken(error));
  }
}

void CocoImagesReader::add_image(std::string_view text, TextPlace place) {
  const CocoImage read(text, place);
  const auto index = static_cast<std::uint32_t>(content_.images_.size());
  const auto [known, is_new] = content_.by_id_.try_emplace(read.id(), index);
  if (!is_new) {
    const TextPlace first = content_.images_[known->second].place;
    return tell_({LabelFault::duplicate_id, place,
                  fmt::format("the image at {}:{} has the same id {}", first.line, first.column,
                              read.id())});
  }
  content_.images_.push_back({.file_name = read.file_name(),
                              .size = read.size(),
                              .place = place,
                              .annotations = 0,
                              .is_listed = true});
}

void CocoImagesReader::add_category(std::string_view text, TextPlace place) {
  const JsonText json(text, place);
  const std::string id = id_in(json.root(), "id");
  const auto name = json.root().find("name");
  const bool is_named = name && name->kind() == JsonKind::string;
  if (!categories_.try_emplace(id, is_named ? name->string() : id).second)
    tell_(
        {LabelFault::duplicate_id, place, fmt::format("another category has the same id {}", id)});
}

bool IdSet::add(const std::string& id) {
  constexpr std::int64_t bits = 64;
  constexpr std::size_t digits = std::numeric_limits<std::int64_t>::digits10;
  if (id.starts_with('"') || id.size() > digits) return others_.insert(id).second;
  const std::int64_t number = std::stoll(id);
  std::uint64_t& word = words_[number / bits];
  const std::uint64_t bit = std::uint64_t{1} << (number % bits);
  const bool is_new = (word & bit) == 0;
  word |= bit;
  return is_new;
}

CocoAnnotationsReader::CocoAnnotationsReader(const CocoContent& content,
                                             const std::optional<CocoCategoryNames>& categories,
                                             Tell tell)
    : content_(content),
      categories_(categories),
      tell_(std::move(tell)),
      elements_(second_arrays, *this) {}

void CocoAnnotationsReader::element(std::string_view, std::string_view, std::string_view text,
                                    TextPlace place) {
  std::optional<std::size_t> image;
  std::vector<LabelShape> shapes;
  std::vector<LabelProblem> problems;
  try {
    CocoAnnotation annotation(text, place);
    image = content_.find(annotation.image());
    if (const auto id = annotation.id(); id && !ids_.add(*id)) {
      problems.push_back({LabelFault::duplicate_id, place,
                          fmt::format("an annotation before it has the same id {}", *id)});
    }
    if (!image) {
      problems.push_back({LabelFault::no_picture, place,
                          fmt::format("image_id {} is not among the images", annotation.image())});
    }
    annotation.read_shapes();
    shapes = annotation.shapes(place, [&](const std::optional<std::string>& category) {
      return name_of(category, place, problems);
    });
  } catch (const LabelError& error) {
    problems.push_back(broken(error));
  }
  tell_(image, std::move(shapes), problems);
}

std::string CocoAnnotationsReader::name_of(const std::optional<std::string>& id, TextPlace place,
                                           std::vector<LabelProblem>& problems) const {
  if (!id || !categories_) return "";
  const auto known = categories_->find(*id);
  if (known != categories_->end()) return known->second;
  problems.push_back({LabelFault::unknown_category, place,
                      fmt::format("category_id {} is not among the categories", *id)});
  return *id;
}

}  // namespace qturn
