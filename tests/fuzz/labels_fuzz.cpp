// Random label files of all formats but COCO: each is turned or refused by name, and what is turned
// comes back. The first byte chooses the orientation and what is known of keypoints.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/geometry.hpp"
#include "src/labels/label_frame.hpp"
#include "src/labels/many/csv_file.hpp"
#include "src/labels/many/data_yaml.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/one/label.hpp"
#include "src/labels/one/yolo.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/labels/text/label_text.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

void turn_there_and_back(std::string_view text, Orientation orientation,
                         const std::optional<Keypoints>& keypoints) {
  try {
    const std::string turned = turn_yolo(text, orientation, keypoints);
    if (orientation == Orientation::identity) require(turned == text);
    // Once an exponent has become decimals, nothing changes any more.
    const std::string back = turn_yolo(turned, inverse(orientation), keypoints);
    require(turn_yolo(back, orientation, keypoints) == turned);
  } catch (const LabelError&) {
  }
}

void turn_voc_there_and_back(std::string_view text, Orientation orientation) {
  constexpr Size size = {7, 5};
  try {
    const auto turn_voc = [&](std::string_view label, Orientation by, Size of, const char* name) {
      return voc_format.turned(label, {.orientation = by, .size = of, .name = name});
    };
    const std::string turned = turn_voc(text, orientation, size, "b<&>.jpg");
    const std::string back =
        turn_voc(turned, inverse(orientation), turned_size(orientation, size), "a.jpg");
    require(turn_voc(back, orientation, size, "b<&>.jpg") == turned);
  } catch (const LabelError&) {
  }
}

void turn_labelme_there_and_back(std::string_view text, Orientation orientation) {
  constexpr Size size = {7, 5};
  const auto turned = [&](const std::string& label, Orientation by, Size of) {
    return labelme_format.turned(label, {.orientation = by, .size = of, .name = "b.jpg"});
  };
  try {
    const std::string once = turned(std::string(text), orientation, size);
    const std::string back = turned(once, inverse(orientation), turned_size(orientation, size));
    require(turned(back, orientation, size) == once);
  } catch (const LabelError&) {
  }
}

std::string turned_csv(std::string_view text, Orientation orientation, Size size) {
  CsvReader reader;
  reader.take(text.substr(0, text.size() / 2));
  reader.take(text.substr(text.size() / 2));
  const CsvContent content = reader.finish();
  (void)content.note();
  const std::vector<LabelledVariant> none,
      one = {{.turn = {orientation, orientation}, .name = "a", .size = size}};
  std::string turned;
  CsvWriter writer(
      content,
      [&](std::size_t image) -> const std::vector<LabelledVariant>& {
        return content.problem(image).empty() ? one : none;
      },
      [&](std::string_view part) { turned += part; });
  writer.take(text);
  writer.finish();
  return turned;
}

/// What is written is a CSV file again. Whether its numbers are pixels may not be clear any more:
/// boxes may lie outside of the picture.
void turn_csv_there_and_back(std::string_view text, Orientation orientation) {
  constexpr Size size = {70, 50};
  std::string turned;
  try {
    turned = turned_csv(text, orientation, size);
  } catch (const LabelError&) {
    return;
  }
  std::size_t rows = 0;
  CsvColumns columns;
  CsvRows reader([&](const CsvRows::Row& row) {
    if (rows++ == 0)
      columns = read_csv_header(row.text);
    else if (!row.text.empty())
      require(CsvRow(row, columns).file_name().ends_with('a'));
  });
  reader.take(turned);
  reader.finish();
  require(rows > 0);
}

/// `is_whole` becomes false if an image is left out, because it cannot be turned or is large.
std::string turned_elements(const SharedLabelFormat& format, std::string_view text,
                            Orientation orientation, bool& is_whole) {
  const auto reader = format.reader({.classes = {{"0", "cat"}, {"cat", "0"}}});
  reader->take(text.substr(0, text.size() / 2));
  reader->take(text.substr(text.size() / 2));
  const auto images = reader->finish();
  std::vector<LabelledVariant> variants;
  std::string turned;
  const auto writer = format.writer(
      *images,
      [&](std::size_t image) -> const std::vector<LabelledVariant>& {
        constexpr std::int64_t longest = 100;
        const Size size = (*images)[image].size.value_or(Size{70, 70});
        const bool can_be_turned =
            images->problem(image).empty() &&
            (images->percent_problem(image).empty() || keeps_percentages(orientation)) &&
            (images->mirror_problem(image).empty() || !mirrors(orientation)) &&
            size.width <= longest && size.height <= longest;
        variants.clear();
        if (can_be_turned)
          variants = {{.turn = {std::nullopt, orientation},
                       .name = std::to_string(image) + "<&>.jpg",
                       .size = size}};
        is_whole = is_whole && can_be_turned;
        return variants;
      },
      [&](std::string_view part) { turned += part; });
  writer->take(text);
  writer->finish();
  return turned;
}

/// What is written is a file of the same format, and comes back.
void turn_elements_there_and_back(std::string_view text, Orientation orientation) {
  for (const SharedLabelFormat& format : shared_label_formats) {
    if (!format.shapes || format.option == "csv") continue;
    bool is_whole = true;
    std::string once;
    try {
      once = turned_elements(format, text, orientation, is_whole);
    } catch (const LabelError&) {
      continue;
    }
    try {
      if (is_whole) {
        const std::string back = turned_elements(format, once, inverse(orientation), is_whole);
        const std::string again = turned_elements(format, back, orientation, is_whole);
        require(is_whole && again == once, "not the same turned back");
      }
    } catch (const LabelError& error) {
      require(false, error.what());
    }
    const auto reader = format.reader({});
    reader->take(text);
    const auto images = reader->finish();
    const auto shapes = format.shapes(*images, [](std::size_t, const LabelContent& content) {
      check_shapes(in_pixels(content, {7, 5}), {7, 5}, [](const LabelProblem&) {});
    });
    shapes->take(text);
    shapes->finish();
  }
}

/// What is read leniently never throws, and shapes can be checked whatever they are.
void check_labels(std::string_view text, const std::optional<Keypoints>& keypoints) {
  constexpr Size size = {7, 5};
  const auto ignore = [](const LabelProblem&) {};
  for (const LabelFormat& format : label_formats) {
    const LabelContent content = format.read(text, keypoints);
    check_shapes(in_pixels(content, size), size, ignore);
    (void)frame_that_fits(content, size, {5, 7});
  }
  try {
    (void)numbered(read_swap_pairs(text).classes, read_class_names(text));
  } catch (const LabelError&) {
  }
  try {
    CsvReader reader;
    reader.take(text);
    const CsvContent content = reader.finish();
    CsvShapesReader rows(content, [&](std::size_t, const LabelContent& said) {
      check_shapes(said.shapes, size, ignore);
    });
    rows.take(text);
    rows.finish();
  } catch (const LabelError&) {
  }
}

}  // namespace

void fuzz_labels(Input input) {
  if (input.empty()) return;
  const auto first = std::to_integer<unsigned>(input[0]);
  const std::string_view text = text_of(input.subspan(1));
  const std::optional<Keypoints> known[] = {std::nullopt, Keypoints{},
                                            Keypoints{.count = 3, .values = 3, .flip = {1, 0, 2}},
                                            Keypoints{.count = 2, .values = 2, .flip = {1, 0}}};
  const auto orientation = static_cast<Orientation>(first % 8 + 1);
  turn_there_and_back(text, orientation, known[first / 8 % 4]);
  (void)is_yolo(text);
  turn_voc_there_and_back(text, orientation);
  turn_labelme_there_and_back(text, orientation);
  turn_csv_there_and_back(text, orientation);
  turn_elements_there_and_back(text, orientation);
  (void)names_labels(text);
  (void)numbers_in_text(text, ".json");
  check_labels(text, known[first / 8 % 4]);
  try {
    if (const auto keypoints = read_data_yaml(text))
      turn_there_and_back("0 .5 .5 .5 .5 0 1 2", orientation, keypoints);
  } catch (const LabelError&) {
  }
  try {
    for (const DataSetPath& path : data_set_paths(text))
      require(path.text.data() >= text.data() &&
              path.text.data() + path.text.size() <= text.data() + text.size());
  } catch (const LabelError&) {
  }
}

}  // namespace qturn::fuzz
