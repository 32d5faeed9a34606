#include "src/labels/one/yolo.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cmath>
#include <sstream>

#include "tests/labels/painted.hpp"

namespace yolo_test {

using Catch::Matchers::Message;
using qturn::Keypoints;
using qturn::Orientation;
using qturn::turn_yolo;

namespace {

const std::optional<Keypoints> unknown, none = Keypoints{};
const std::optional<Keypoints> pose = Keypoints{.count = 3, .values = 3, .flip = {1, 0, 2}};

/// The pixels of a line's box or polygon (of its corners), and of its keypoints.
Canvas painted(const std::string& label, qturn::Size size, const std::optional<Keypoints>& shape) {
  Canvas canvas(size);
  const auto pixel = [&](double x, double y) -> char& {
    return canvas.at({static_cast<std::int64_t>(std::floor(x * size.width)),
                      static_cast<std::int64_t>(std::floor(y * size.height))});
  };
  std::istringstream lines(label);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    char object;
    words >> object;
    std::vector<double> numbers;
    for (double number; words >> number;) numbers.push_back(number);
    std::size_t at = 0;
    if (numbers.size() == 4 || (shape && shape->count > 0)) {
      const double left = numbers[0] - numbers[2] / 2, top = numbers[1] - numbers[3] / 2;
      for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x) {
          const double u = (x + 0.5) / size.width, v = (y + 0.5) / size.height;
          if (u > left && u < left + numbers[2] && v > top && v < top + numbers[3])
            canvas.at({x, y}) = object;
        }
      at = 4;
    }
    for (char mark = 'a'; at + 1 < numbers.size(); ++mark, at += 2) {
      const bool has_visibility = shape && shape->values == 3;
      if (!has_visibility || numbers[at + 2] > 0) pixel(numbers[at], numbers[at + 1]) = mark;
      if (has_visibility) ++at;
    }
  }
  return canvas;
}

std::string fails(const std::string& text, const std::optional<Keypoints>& keypoints = unknown,
                  Orientation orientation = Orientation::rotate90) {
  return thrown_by([&] { return turn_yolo(text, orientation, keypoints); });
}

}  // namespace

TEST_CASE("A turned YOLO label painted is the painted label turned") {
  // Whole pixels of 16 x 10 and, for the polygons, of 7 x 5 (pixel centres).
  const std::string boxes = "0 0.25 0.35 0.125 0.3\n1 0.875 0.8 0.25 0.4\n2 0.5 0.1 1 0.2\n";
  const std::string polygons =
      "0 0.0714 0.1 0.5 0.1 0.7857 0.9\n1 0.2143 0.5 0.9285 0.3 0.3571 0.7 0.6428 0.9\n";
  const std::string people = "0 0.5 0.5 0.625 0.6 0.3 0.35 2 0.71 0.45 1 0.59 0.75 2\n";
  for (const Orientation orientation : qturn::all_orientations) {
    CAPTURE(name(orientation));
    const auto check = [&](const std::string& label, qturn::Size size,
                           const std::optional<Keypoints>& shape) {
      const std::string result = turn_yolo(label, orientation, shape);
      CAPTURE(result);
      CHECK(painted(result, qturn::turned_size(orientation, size), shape).pixels ==
            turned(painted(label, size, shape), orientation).pixels);
    };
    check(boxes, {16, 10}, unknown);
    check(polygons, {7, 5}, none);
    check(people, {16, 10}, Keypoints{.count = 3, .values = 3, .flip = {0, 1, 2}});
  }
}

TEST_CASE("Eight orientations and their inverses give a YOLO label back, byte for byte") {
  const std::pair<std::string, std::optional<Keypoints>> labels[] = {
      {"", unknown},
      {"\n\n", unknown},
      {"0 0.5 0.25 0.125 0.0625", unknown},
      {"# made by hand\r\n\r\n 7\t0.123456  .5 1 0.50  # a cat\r\n0 1. 0 0.0 1.000 0.875\r\n",
       none},
      {"\xef\xbb\xbf"
       "1 0.1 0.2 0.3 0.4\r2 0.4 0.3 0.2 0.1\r",
       unknown},
      {"3 0.1 0.2 0.30 0.4 0.5 0.6\n3 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.99\n", none},
      {"0 0.5 0.5 0.2 0.2 0.41 0.4 2 0.6 0.40 1 0 0 0\n", pose},
      {"0 0.5 0.5 0.2 0.2 0.41 0.4 0.6 0.40 0.77\n", Keypoints{2, 2, {1, 0}}},
  };
  for (const auto& [label, keypoints] : labels)
    for (const Orientation orientation : qturn::all_orientations) {
      CAPTURE(label, name(orientation));
      const std::string once = turn_yolo(label, orientation, keypoints);
      CHECK(turn_yolo(once, inverse(orientation), keypoints) == label);
      if (orientation == Orientation::identity) CHECK(once == label);
    }
}

TEST_CASE("Each form of a YOLO line is turned by its own rule") {
  CHECK(turn_yolo("0 0.25 0.125 0.5 0.1 0.9", Orientation::rotate90, unknown) ==
        "0 0.875 0.25 0.1 0.5 0.9");
  CHECK(turn_yolo("0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8", Orientation::flop, none) ==
        "0 0.9 0.2 0.7 0.4 0.5 0.6 0.3 0.8");
  // Left and right change places in a mirror, with their visibility, and an absent point stays.
  const std::string person = "0 0.5 0.5 0.2 0.4 0.4 0.3 2 0.60 0.3 1 0 0 0";
  CHECK(turn_yolo(person, Orientation::flop, pose) ==
        "0 0.5 0.5 0.2 0.4 0.40 0.3 1 0.6 0.3 2 0 0 0");
  CHECK(turn_yolo(person, Orientation::rotate180, pose) ==
        "0 0.5 0.5 0.2 0.4 0.6 0.7 2 0.40 0.7 1 0 0 0");
}

TEST_CASE("A broken or ambiguous YOLO line is refused with its line and column") {
  CHECK(fails("0 0.5 0.5 0.1 0.1\n1 0.5 half 0.1 0.1\n") == "2:7: 'half' is not a number");
  CHECK(fails("0 0.5 0.5 0.1 0.1\r\n\r\ncat 0.5 0.5 0.1 0.1\r\n") == "3:1: 'cat' is not a number");
  CHECK(fails("0 0.5 0.5 0.1 nan") == "1:15: 'nan' is not a number");
  CHECK(fails("0 0.5 0.5 0.1 0.1 x") == "1:19: 'x' is not a number");
  CHECK(fails("0 0.5 0.5") ==
        "1:7: the line ends after 3 of 5 columns: class, x, y, width, height");
  CHECK(fails("0 0.5 1.5 0.1 0.1") == "1:7: 1.5 lies outside of -0.01 to 1.01");
  CHECK(fails("0 0.5 0.5 -0.1 0.1") == "1:11: -0.1 lies outside of -0.01 to 1.01");
  CHECK(
      fails("0 0.1 0.2 0.3 0.4 0.5 0.6").starts_with("1:1: more than 6 columns can be a polygon"));
  CHECK(fails("0 0.5 0.5 0.1 0.1", pose) ==
        "1:1: 5 columns; a box with 3 keypoints of 3 values has 14");
  // Keypoints that are taken for a polygon show by a visibility of 2.
  CHECK(fails("0 0.5 0.5 0.2 0.2 0.4 0.4 2 0.6 0.4 2", none) ==
        "1:27: 2 lies outside of -0.01 to 1.01");
  const std::string person = "0 0.5 0.5 0.2 0.4 0.4 0.3";
  CHECK(fails(person, Keypoints{1, 2, {}}, Orientation::rotate90).empty());
  CHECK(fails(person, Keypoints{1, 2, {}}, Orientation::transpose)
            .starts_with("1:1: in a mirror left and right keypoints change places"));
  for (const char* angle : {"30", "-0.5", "1.2"})
    CHECK(fails(std::string("0 .5 .5 .1 .2 1\n0 .5 .5 .1 .2 ") + angle)
              .starts_with(fmt::format("2:15: {} is not a confidence from 0 to 1", angle)));
}

TEST_CASE("YOLO labels reach as far out of the picture as Ultralytics takes them") {
  const auto flopped = [](const std::string& text) {
    return qturn::turn_yolo(text, Orientation::flop, none, qturn::no_classes);
  };
  CHECK(flopped("0 1.01 -0.01 0.02 1.01\n") == "0 -0.01 -0.01 0.02 1.01\n");
  CHECK(flopped(flopped("0 1.01 -0.01 0.02 1.01\n")) == "0 1.01 -0.01 0.02 1.01\n");
  CHECK(flopped("0 -0.01 0 1.01 0 0.5 1\n") == "0 1.01 0 -0.01 0 0.5 1\n");
  CHECK(fails("0 0.5 1.0101 0.1 0.1") == "1:7: 1.0101 lies outside of -0.01 to 1.01");
  CHECK(fails("0 0.5 -0.0101 0.1 0.1") == "1:7: -0.0101 lies outside of -0.01 to 1.01");
}

TEST_CASE("In a YOLO label of boxes and polygons, each line is turned as what it is") {
  CHECK(qturn::turn_yolo("0 0.1 0.2 0.3 0.4 0.5 0.6\n1 0.25 0.5 0.1 0.2\n2 0.25 0.5 0.1 0.2 0.9\n",
                         Orientation::rotate90, none, qturn::no_classes) ==
        "0 0.8 0.1 0.6 0.3 0.4 0.5\n1 0.5 0.25 0.2 0.1\n2 0.5 0.25 0.2 0.1 0.9\n");
}

TEST_CASE("A YOLO label is told from a caption by the numbers in its first line") {
  for (const std::string text : {"", "\n", "# nothing\n", "0 0.5", "12", "0 0.5 o.5 0.1 0.1"})
    CHECK(qturn::is_yolo(text));
  for (const std::string text :
       {"a photo of a cat", "\n\ncat", "0x5 1", "2 dogs", "2 dogs, 1 cat\n0 0"})
    CHECK_FALSE(qturn::is_yolo(text));
}

TEST_CASE("The YAML file of a data set says whether there are keypoints") {
  using qturn::read_data_yaml;
  CHECK_FALSE(read_data_yaml(""));
  CHECK_FALSE(read_data_yaml("name: CI\non: push\n"));
  CHECK_FALSE(read_data_yaml("model:\n  kpt_shape: [17, 3]\n"));
  CHECK(read_data_yaml("train: images\nnames: [cat]\n") == Keypoints{});
  CHECK(read_data_yaml("# kpt_shape: [1, 3]\npath: .\nnames:\n  0: cat") == Keypoints{});
  const Keypoints wanted{.count = 2, .values = 3, .flip = {1, 0}};
  CHECK(read_data_yaml("kpt_shape: [2, 3] # two\nflip_idx: [1,0]\n") == wanted);
  CHECK(read_data_yaml(
            "names: [a]\r\nkpt_shape:\r\n- 2\r\n- 3\r\nflip_idx:\r\n  - 1\r\n  - 0\r\n") == wanted);
  CHECK(read_data_yaml("kpt_shape: [\n  2,\n  3 ]\nflip_idx:\n# left\n - 1\n - 0") == wanted);
  CHECK(read_data_yaml("kpt_shape: [2, 3]") == Keypoints{.count = 2, .values = 3});
  const std::pair<const char*, const char*> broken[] = {
      {"kpt_shape: 17\n", "1:12: expected a list, such as [17, 3]"},
      {"kpt_shape: [17, 3\n", "1:13: the list has no ]"},
      {"kpt_shape: [17, three]\n", "1:17: 'three' is not a number from 0 to 10000"},
      {"\nkpt_shape: [17, 4]\n",
       "2:11: kpt_shape is a number of keypoints and 2 or 3 values each, such as [17, 3]"},
      {"kpt_shape:",
       "1:11: kpt_shape is a number of keypoints and 2 or 3 values each, such as "
       "[17, 3]"},
      {"kpt_shape: [2, 3]\nflip_idx: [1, 1]",
       "2:10: flip_idx has a number from 0 to 1 for each of 2 keypoints, and two that change "
       "places name each other"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(read_data_yaml(text), qturn::LabelError, Message(message));
  }
}

}  // namespace yolo_test
