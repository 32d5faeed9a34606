#include "src/labels/many/coco_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/labels/json_picture.hpp"

namespace qturn {
namespace {

constexpr std::string_view images = "images", annotations = "annotations",
                           categories = "categories";
constexpr std::string_view read_arrays[] = {images, annotations, categories};
constexpr std::string_view written_arrays[] = {images, annotations};

}  // namespace

std::optional<std::size_t> CocoContent::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

CocoReader::CocoReader(SwapPairs pairs) : pairs_(std::move(pairs)), elements_(read_arrays, *this) {
  content_.swap_ = pairs_.classes;
}

CocoContent CocoReader::finish() {
  elements_.finish();
  if (!elements_.found(0)) throw LabelError({}, "is not a COCO file: it has no images");
  for (const auto& [image, mask] : masks_) compare(image, mask);
  content_.swap_ = numbered(pairs_.classes, paired_);
  if (!pairs_.keypoints.empty()) take_pairs();
  for (const auto& [what, place] : keypoints_) {
    const auto& [image, category, count] = what;
    const std::string why = why_not_mirrored(content_.categories_, category, count);
    if (!why.empty()) content_.mirror_problems_.try_emplace(image, at_place(place, why));
  }
  const auto has_sides = [&](const auto& keypoints) {
    return !std::ranges::is_sorted(content_.categories_[std::get<1>(keypoints.first)].flip);
  };
  if (std::ranges::any_of(keypoints_, has_sides)) {
    content_.note_ = pairs_.keypoints.empty()
                         ? "keypoints that are called left and right change places in a mirror"
                         : "keypoints change places in a mirror as the given pairs say";
  }
  return std::move(content_);
}

void CocoReader::element(std::string_view array, std::string_view, std::string_view text,
                         TextPlace place) {
  if (array == images) add_image(text, place);
  if (array == annotations) add_annotation(text, place);
  if (array == categories) {
    const std::string name = add_coco_category(text, place, content_.categories_);
    content_.saw_class(name);
    if (pairs_.classes.contains(name))
      paired_.emplace(id_in(JsonText(text, place).root(), "id"), name);
  }
}

std::size_t CocoReader::image_of(const std::string& id) {
  const auto index = static_cast<std::uint32_t>(content_.images_.size());
  const auto [known, is_new] = content_.by_id_.try_emplace(id, index);
  if (is_new) content_.images_.emplace_back();
  return known->second;
}

void CocoReader::add_image(std::string_view text, TextPlace place) {
  const CocoImage read(text, place);
  CocoContent::Image& image = content_.images_[image_of(read.id())];
  if (image.is_listed) {
    throw LabelError(place, fmt::format("the image at {}:{} has the same id {}", image.place.line,
                                        image.place.column, read.id()));
  }
  image = {.file_name = read.file_name(),
           .size = read.size(),
           .place = place,
           .annotations = image.annotations,
           .is_listed = true};
  add_named_files(text, image.file_name, image.others);
  try {
    read.check();
  } catch (const LabelError& error) {
    add_problem(image_of(read.id()), error.what());
  }
}

void CocoReader::add_annotation(std::string_view text, TextPlace place) {
  CocoAnnotation annotation(text, place);
  const std::size_t image = image_of(annotation.image());
  ++content_.images_[image].annotations;
  try {
    annotation.read_shapes();
  } catch (const LabelError& error) {
    return add_problem(image, error.what());
  }
  if (std::string name = annotation.mask_name(); !name.empty()) {
    if (!content_.mask_names_.try_emplace(image, std::move(name)).second)
      add_problem(image, at_place(place, "the image has another annotation with segments_info"));
  }
  if (annotation.mask_size()) {
    const Mask mask{*annotation.mask_size(), place};
    if (content_.images_[image].is_listed) {
      compare(image, mask);
    } else if (const auto first = masks_.try_emplace(image, mask).first;
               !(first->second.size == mask.size)) {
      add_problem(
          image, at_place(place, fmt::format("the mask is {} x {}, another one {} x {}",
                                             mask.size.width, mask.size.height,
                                             first->second.size.width, first->second.size.height)));
    }
  }
  if (annotation.keypoints() > 0)
    keypoints_.try_emplace({image, annotation.category(), annotation.keypoints()}, place);
}

void CocoReader::compare(std::size_t image, const Mask& mask) {
  const std::optional<Size>& size = content_.images_[image].size;
  if (!size || mask.size == *size) return;  // an image that is not listed has none
  add_problem(image, at_place(mask.place,
                              fmt::format("the mask is {} x {}, the image {} x {}", mask.size.width,
                                          mask.size.height, size->width, size->height)));
}

void CocoReader::take_pairs() {
  for (const auto& [what, place] : keypoints_) {
    const auto& [image, category, count] = what;
    CocoKeypoints keypoints;
    if (const auto flip = flip_of(pairs_.keypoints, static_cast<int>(count))) {
      keypoints.flip.assign(flip->begin(), flip->end());
    } else {
      keypoints.problem = fmt::format("has {} keypoints, and the given pairs name keypoint {}",
                                      count, pairs_.keypoints.size() - 1);
    }
    content_.categories_[category] = std::move(keypoints);
  }
}

CocoWriter::CocoWriter(const CocoContent& content, VariantsOf variants_of, AppendText append)
    : content_(content),
      variants_of_(std::move(variants_of)),
      append_(append),
      copies_(std::move(append), ","),
      elements_(written_arrays, *this) {}

void CocoWriter::element(std::string_view array, std::string_view blanks, std::string_view text,
                         TextPlace place) {
  copies_.begin(blanks);
  if (array == images) {
    const CocoImage image(text, place);
    for (const LabelledVariant& variant : variants_of_(image_of(image.id(), place)))
      copies_.put(blanks, variant.is_kept ? text : image.turned(variant));
    return;
  }
  CocoAnnotation annotation(text, place);
  const std::size_t image = image_of(annotation.image(), place);
  const std::vector<LabelledVariant>& variants = variants_of_(image);
  if (variants.empty()) return;
  if (variants.front().is_kept) return copies_.put(blanks, text);
  annotation.read_shapes();
  for (const LabelledVariant& variant : variants)
    copies_.put(blanks,
                annotation.turned(variant, content_[image].file_name, content_[image].size.value(),
                                  content_.categories(), content_.swap()));
}

std::size_t CocoWriter::image_of(const std::string& id, TextPlace place) const {
  if (const auto found = content_.find(id)) return *found;
  throw LabelError(place, fmt::format("image {} was not there before the run", id));
}

}  // namespace qturn
