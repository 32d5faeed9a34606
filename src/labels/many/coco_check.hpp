// A COCO file, checked without being held. It is read twice: first its images and categories, which
// may come last, and once it is known which pictures the images are, its annotations. Every element
// is looked at, whatever is wrong with those before it.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/many/coco_file.hpp"
#include "src/labels/many/json_elements.hpp"

namespace qturn {

using TellLabelProblem = std::function<void(const LabelProblem&)>;

/// The names of categories by their ids.
using CocoCategoryNames = std::map<std::string, std::string>;

/// Takes a file part by part. take() and finish() throw LabelError if it is not well-formed JSON.
class CocoImagesReader : private ElementsSink {
 public:
  explicit CocoImagesReader(TellLabelProblem tell);
  void take(std::string_view part) { elements_.take(part); }
  /// Is called after the last part. Returns the images without their annotations.
  CocoContent finish();
  /// Nothing if the file has no categories.
  std::optional<CocoCategoryNames> categories() const;

 private:
  void other(std::string_view) override {}
  void element(std::string_view array, std::string_view blanks, std::string_view text,
               TextPlace place) override;
  void end_of_array(std::string_view) override {}
  void add_image(std::string_view text, TextPlace place);
  void add_category(std::string_view text, TextPlace place);

  const TellLabelProblem tell_;
  CocoContent content_;
  CocoCategoryNames categories_;
  JsonElements elements_;
};

/// Ids, as id_in() gives them: a bit for each number where they are close to each other.
class IdSet {
 public:
  /// False if it is there.
  bool add(const std::string& id);

 private:
  std::unordered_map<std::int64_t, std::uint64_t> words_;
  std::unordered_set<std::string> others_;
};

/// Takes the same file again.
class CocoAnnotationsReader : private ElementsSink {
 public:
  /// The shapes of an annotation and what is wrong with it, of an image by its index; nothing if
  /// the image is not listed.
  using Tell = std::function<void(std::optional<std::size_t> image, std::vector<LabelShape> shapes,
                                  const std::vector<LabelProblem>& problems)>;

  /// Both must outlive it.
  CocoAnnotationsReader(const CocoContent& content,
                        const std::optional<CocoCategoryNames>& categories, Tell tell);
  void take(std::string_view part) { elements_.take(part); }
  void finish() { elements_.finish(); }

 private:
  void other(std::string_view) override {}
  void element(std::string_view array, std::string_view blanks, std::string_view text,
               TextPlace place) override;
  void end_of_array(std::string_view) override {}
  std::string name_of(const std::optional<std::string>& category, TextPlace place,
                      std::vector<LabelProblem>& problems) const;

  const CocoContent& content_;
  const std::optional<CocoCategoryNames>& categories_;
  const Tell tell_;
  IdSet ids_;
  JsonElements elements_;
};

}  // namespace qturn
