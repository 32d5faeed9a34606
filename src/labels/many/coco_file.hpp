// A COCO file, read and turned without being held: memory grows with its images, not with its
// annotations. It is read twice. CocoReader finds out, before any picture is turned, what the file
// says about each image, and whether its annotations can be turned. CocoWriter makes the new file,
// once it is known which variants of the pictures are there.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/labels/labelled_images.hpp"
#include "src/labels/many/coco.hpp"
#include "src/labels/many/json_elements.hpp"

namespace qturn {

class CocoContent : public LabelledImages {
 public:
  /// The index of the image of this id.
  std::optional<std::size_t> find(const std::string& id) const;
  const CocoCategories& categories() const { return categories_; }
  std::string note() const override { return note_; }
  std::string mask_of(std::size_t image) const override {
    const auto found = mask_names_.find(image);
    return found == mask_names_.end() ? "" : found->second;
  }

 private:
  friend class CocoReader;
  friend class CocoImagesReader;
  std::unordered_map<std::string, std::uint32_t> by_id_;
  CocoCategories categories_;
  std::unordered_map<std::size_t, std::string> mask_names_;  // by image
  std::string note_;
};

/// Takes a file part by part. All throw LabelError for what concerns more than one image.
class CocoReader : private ElementsSink {
 public:
  /// `pairs`: keypoints that change places, whatever their names, and names of categories.
  explicit CocoReader(SwapPairs pairs = {});
  void take(std::string_view part) { elements_.take(part); }
  /// Is called after the last part.
  CocoContent finish();

 private:
  void other(std::string_view) override {}
  void element(std::string_view array, std::string_view blanks, std::string_view text,
               TextPlace place) override;
  void end_of_array(std::string_view) override {}
  std::size_t image_of(const std::string& id);
  void add_image(std::string_view text, TextPlace place);
  void add_annotation(std::string_view text, TextPlace place);
  void add_problem(std::size_t image, const std::string& why) {
    content_.problems_.try_emplace(image, why);
  }
  struct Mask {
    Size size;
    TextPlace place;
  };
  void compare(std::size_t image, const Mask& mask);
  void take_pairs();

  const SwapPairs pairs_;
  std::map<std::string, std::string> paired_;  // ids of categories and their names
  CocoContent content_;
  JsonElements elements_;
  std::map<std::size_t, Mask> masks_;  // of images that were not listed yet
  // Categories may come last: of each image and category, and how many keypoints, once.
  std::map<std::tuple<std::size_t, std::string, std::size_t>, TextPlace> keypoints_;
};

/// Takes the same file again. Throws LabelError.
class CocoWriter : private ElementsSink {
 public:
  /// `content` must outlive it. `variants_of` is called with each image's index, and `append` with
  /// the text of the new file, part by part.
  CocoWriter(const CocoContent& content, VariantsOf variants_of, AppendText append);
  void take(std::string_view part) { elements_.take(part); }
  /// Is called after the last part.
  void finish() { elements_.finish(); }

 private:
  void other(std::string_view text) override { append_(text); }
  void element(std::string_view array, std::string_view blanks, std::string_view text,
               TextPlace place) override;
  void end_of_array(std::string_view blanks) override { copies_.end_of_array(blanks); }
  std::size_t image_of(const std::string& id, TextPlace place) const;

  const CocoContent& content_;
  const VariantsOf variants_of_;
  const AppendText append_;
  ElementCopies copies_;
  JsonElements elements_;
};

}  // namespace qturn
