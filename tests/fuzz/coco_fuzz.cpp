// Random COCO files: each is turned or refused by name, and what is turned is JSON again, is read
// again and comes back. The first byte says by which orientation.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/labels/many/coco_check.hpp"
#include "src/labels/many/coco_file.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

template <typename Taker>
void take_in_two(Taker& taker, std::string_view text) {
  taker.take(text.substr(0, text.size() / 2));
  taker.take(text.substr(text.size() / 2));
}

// With those variants of each image that can be turned and is not large.
std::string turned(std::string_view text, const std::vector<LabelledVariant>& variants) {
  constexpr Size largest = {100, 100};
  const std::vector<LabelledVariant> none;
  CocoReader reader;
  take_in_two(reader, text);
  const CocoContent content = reader.finish();
  std::string made;
  CocoWriter writer(
      content,
      [&](std::size_t image) -> const std::vector<LabelledVariant>& {
        const std::optional<Size> size = content[image].size;
        const bool is_small =
            size && size->width <= largest.width && size->height <= largest.height;
        return is_small && content.problem(image).empty() && content.mirror_problem(image).empty()
                   ? variants
                   : none;
      },
      [&](std::string_view part) { made += part; });
  take_in_two(writer, text);
  writer.finish();
  return made;
}

void turn_there_and_back(std::string_view text, Orientation orientation) {
  const auto by = [](Orientation one) {
    return std::vector<LabelledVariant>{{.turn = {std::nullopt, one}, .name = "a.jpg"}};
  };
  const std::string once = turned(text, by(orientation));
  const bool is_json = nlohmann::json::accept(text);
  require(nlohmann::json::accept(once) || !is_json);
  if (!is_json) return;
  try {
    const std::string back = turned(once, by(inverse(orientation)));
    require(turned(back, by(orientation)) == once, "not the same turned back");
  } catch (const LabelError& error) {
    require(false, error.what());
  }
}

/// What is read leniently never throws but for what is not JSON.
void check(std::string_view text) {
  const auto ignore = [](const LabelProblem&) {};
  CocoImagesReader images(ignore);
  take_in_two(images, text);
  const CocoContent content = images.finish();
  const auto categories = images.categories();
  CocoAnnotationsReader annotations(
      content, categories,
      [&](std::optional<std::size_t>, const std::vector<LabelShape>& shapes,
          const std::vector<LabelProblem>&) {
        check_shapes(shapes, {7, 5}, ignore);
      });
  take_in_two(annotations, text);
  annotations.finish();
}

template <typename Work>
void attempt(Work work) {
  try {
    work();
  } catch (const LabelError&) {
  }
}

}  // namespace

void fuzz_coco(Input input) {
  if (input.empty()) return;
  const auto orientation = static_cast<Orientation>(std::to_integer<int>(input[0]) % 8 + 1);
  const std::string_view text = text_of(input.subspan(1));
  attempt([&] {
    turned(text,
           {{.turn = {}, .name = "a.jpg"}, {.turn = {orientation, orientation}, .name = "b"}});
  });
  attempt([&] { turn_there_and_back(text, orientation); });
  attempt([&] { check(text); });
}

}  // namespace qturn::fuzz
