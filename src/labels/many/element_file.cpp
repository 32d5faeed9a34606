#include "src/labels/many/element_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/elements.hpp"
#include "src/labels/many/hugging_face.hpp"
#include "src/labels/many/json_elements.hpp"
#include "src/labels/many/via_elements.hpp"
#include "src/labels/text/any_text.hpp"

namespace qturn {
namespace {

class ElementImages : public LabelledImages {
 public:
  ElementImages(const ElementFormat& format, const ClassSwap& swap)
      : LabelledImages(swap), format_(format) {}

  std::string note() const override { return has_geometry() ? std::string(format_.note) : ""; }
  bool has_geometry() const override { return has_geometry_ || !format_.are_pixel_boxes; }
  bool may_be_corners() const override { return boxes_.may_be_corners(); }
  std::optional<std::size_t> find(const std::string& file_name) const {
    const auto found = by_name_.find(file_name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
  }

  void add(const LabelElement& element, const LabelContent& content, const ElementTurn& turn,
           TextPlace place) {
    const auto [known, is_new] =
        by_name_.try_emplace(element.file_name(), static_cast<std::uint32_t>(images_.size()));
    if (is_new) {
      images_.push_back({.file_name = element.file_name(),
                         .size = element.size(),
                         .place = place,
                         .is_listed = true});
      paths_.push_back(std::hash<std::string>()(element.path()));
    }
    const std::size_t number = known->second;
    Image& image = images_[number];
    const auto add_problem = [&](const std::string& why) { problems_.try_emplace(number, why); };
    const auto add_first = [&](auto& problems, const LabelContent& of) {
      if (of.problems.empty() || !content.problems.empty()) return;
      const LabelProblem& first = of.problems.front();
      problems.try_emplace(number, at_place(first.place.value_or(place), first.why));
    };
    add_first(mirror_problems_, turn.mirrored);
    add_first(percent_problems_, turn.in_percent);
    image.annotations += content.shapes.size();
    if (format_.in != ElementFormat::In::xml)
      add_named_files(turn.edits.all(),
                      element.path().empty() ? element.file_name() : element.path(), image.others);
    for (const LabelProblem& problem : content.problems)
      add_problem(at_place(problem.place.value_or(place), problem.why));
    if (element.size() && image.size && element.size() != image.size) {
      add_problem(
          at_place(place, fmt::format("says {} x {}, {}:{} says {} x {}", element.size()->width,
                                      element.size()->height, image.place.line, image.place.column,
                                      image.size->width, image.size->height)));
    }
    if (!image.size) image.size = element.size();
    if (paths_[number] != std::hash<std::string>()(element.path())) {
      add_problem(at_place(place, fmt::format("names another {} than {}:{}", element.file_name(),
                                              image.place.line, image.place.column)));
    }
    for (const LabelShape& shape : content.shapes) {
      saw_class(shape.category);
      if (format_.are_pixel_boxes && shape.kind == ShapeKind::box) boxes_.add(image, shape);
    }
    has_geometry_ |= element.size() || !content.shapes.empty() || !content.problems.empty();
  }

  /// Is called after the last element.
  void finish() const { boxes_.finish(); }

 private:
  const ElementFormat& format_;
  PixelBoxes boxes_;
  bool has_geometry_ = false;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<std::size_t> paths_;  // hashes
};

/// Takes a file part by part, and hands over its elements one by one.
class ElementTaker : protected ElementsSink {
 protected:
  ElementTaker(const ElementFormat& format, ClassSwap swap)
      : format_(format), swap_(std::move(swap)), arrays_{format.array} {
    ElementsSink& sink = *this;
    if (format.in == ElementFormat::In::lines)
      cutter_ = std::make_unique<LineElements>(sink);
    else if (format.in == ElementFormat::In::json)
      cutter_ = std::make_unique<JsonElements>(arrays_, sink);
    else if (format.in == ElementFormat::In::via)
      cutter_ = std::make_unique<ViaElements>(sink);
    else
      cutter_ = std::make_unique<XmlElements>(format.outermost, format.array, sink);
  }

  virtual void take_element(std::string_view blanks, std::string_view text, TextPlace place,
                            const LabelElement& element) = 0;
  void other(std::string_view) override {}
  void element(std::string_view, std::string_view blanks, std::string_view text,
               TextPlace place) final {
    take_element(blanks, text, place, *format_.read(text, place));
  }
  void end_of_array(std::string_view) override {}

  /// Calls `take` with what the element says, and with the turn that read it.
  template <typename Take>
  void read(std::string_view text, TextPlace place, const LabelElement& element, Take take) const {
    // A half turn needs to know nothing of left and right.
    const LabelledVariant trial = {.turn = {.orientation = Orientation::rotate180},
                                   .name = "a",
                                   .size = element.size().value_or(Size())};
    LabelContent content{.is_normalised = format_.are_normalised};
    ElementTurn turn(text, place, trial, swap_, &content);
    turn.attempt([&] { element.turn(turn); });
    take(std::move(content), turn);
  }

  const ElementFormat& format_;
  const ClassSwap swap_;
  const std::string_view arrays_[1];
  std::unique_ptr<ElementCutter> cutter_;
};

class ElementReader : public SharedLabelReader, private ElementTaker {
 public:
  ElementReader(const ElementFormat& format, const SwapPairs& pairs)
      : ElementTaker(format, pairs.classes),
        images_(std::make_unique<ElementImages>(format, pairs.classes)) {}
  void take(std::string_view part) override { cutter_->take(part); }
  std::unique_ptr<LabelledImages> finish() override {
    cutter_->finish();
    images_->finish();
    return std::move(images_);
  }

 private:
  void take_element(std::string_view, std::string_view text, TextPlace place,
                    const LabelElement& element) override {
    read(text, place, element, [&](const LabelContent& content, const ElementTurn& turn) {
      images_->add(element, content, turn, place);
    });
  }

  std::unique_ptr<ElementImages> images_;
};

class ElementWriter : public SharedLabelWriter, private ElementTaker {
 public:
  ElementWriter(const ElementFormat& format, const ElementImages& images, VariantsOf variants_of,
                AppendText append)
      : ElementTaker(format, images.swap()),
        images_(images),
        variants_of_(std::move(variants_of)),
        append_(append),
        copies_(std::move(append),
                format.in == ElementFormat::In::json || format.in == ElementFormat::In::via ? ","
                                                                                            : "") {}
  void take(std::string_view part) override { cutter_->take(part); }
  void finish() override { cutter_->finish(); }

 private:
  void other(std::string_view text) override { append_(text); }
  void end_of_array(std::string_view blanks) override { copies_.end_of_array(blanks); }
  void take_element(std::string_view blanks, std::string_view text, TextPlace place,
                    const LabelElement& element) override {
    copies_.begin(blanks);
    const auto image = images_.find(element.file_name());
    if (!image)
      throw LabelError(place, fmt::format("{} was not there before the run", element.file_name()));
    for (const LabelledVariant& variant : variants_of_(*image)) {
      if (variant.is_kept) return copies_.put(blanks, text);
      ElementTurn turn(text, place, variant, swap_, nullptr);
      element.turn(turn);
      rename_files(turn.edits, variant.others);
      copies_.put(blanks, turn.edits.finish());
    }
  }

  const ElementImages& images_;
  const VariantsOf variants_of_;
  const AppendText append_;
  ElementCopies copies_;
};

class ElementShapes : public SharedLabelWriter, private ElementTaker {
 public:
  ElementShapes(const ElementFormat& format, const ElementImages& images, TellLabelContent tell)
      : ElementTaker(format, images.swap()), images_(images), tell_(std::move(tell)) {}
  void take(std::string_view part) override { cutter_->take(part); }
  void finish() override { cutter_->finish(); }

 private:
  void take_element(std::string_view, std::string_view text, TextPlace place,
                    const LabelElement& element) override {
    read(text, place, element, [&](LabelContent content, const ElementTurn&) {
      if (const auto image = images_.find(element.file_name())) tell_(*image, std::move(content));
    });
  }

  const ElementImages& images_;
  const TellLabelContent tell_;
};

}  // namespace

std::unique_ptr<SharedLabelReader> new_element_reader(const ElementFormat& format,
                                                      const SwapPairs& pairs) {
  return std::make_unique<ElementReader>(format, pairs);
}

std::unique_ptr<SharedLabelWriter> new_element_writer(const ElementFormat& format,
                                                      const LabelledImages& images,
                                                      VariantsOf variants_of, AppendText append) {
  return std::make_unique<ElementWriter>(format, dynamic_cast<const ElementImages&>(images),
                                         std::move(variants_of), std::move(append));
}

std::unique_ptr<SharedLabelWriter> new_element_shapes(const ElementFormat& format,
                                                      const LabelledImages& images,
                                                      TellLabelContent tell) {
  return std::make_unique<ElementShapes>(format, dynamic_cast<const ElementImages&>(images),
                                         std::move(tell));
}

std::function<std::optional<bool>(std::string_view)> element_recogniser(
    const ElementFormat& format) {
  return [&format, head = std::string()](std::string_view part) mutable -> std::optional<bool> {
    head += part.substr(0, text_head_bytes);
    if (format.is_of(head)) return true;
    if (part.empty() || head.size() >= text_head_bytes) return false;
    return std::nullopt;
  };
}

}  // namespace qturn
