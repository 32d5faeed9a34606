#include "src/labels/swap_pairs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "src/labels/text/label_text.hpp"

using Catch::Matchers::Message;
using qturn::flip_of;
using qturn::read_swap_pairs;

TEST_CASE("A file of pairs says which keypoints change places, and the others stay") {
  CHECK(read_swap_pairs("1 2") == std::vector{0, 2, 1});
  CHECK(read_swap_pairs("\xef\xbb\xbf# left right\r\n\r\n 4\t1 # eyes\r\n2 5") ==
        std::vector{0, 4, 5, 3, 1, 2});
  CHECK(flip_of({0, 2, 1}, 5) == std::vector{0, 2, 1, 3, 4});
  CHECK(flip_of({0, 2, 1}, 3) == std::vector{0, 2, 1});
  CHECK_FALSE(flip_of({0, 2, 1}, 2));
}

TEST_CASE("A broken file of pairs is refused with its line and column") {
  const std::pair<const char*, const char*> broken[] = {
      {"", "1:1: names no keypoints"},
      {"# none\n", "1:1: names no keypoints"},
      {"1 2\n3", "2:1: expected two keypoints, such as 1 2"},
      {"1 2 3", "1:1: expected two keypoints, such as 1 2"},
      {"left 2", "1:1: 'left' is not a number from 0 to 9999"},
      {"1 -2", "1:3: '-2' is not a number from 0 to 9999"},
      {"1 10000", "1:3: '10000' is not a number from 0 to 9999"},
      {"1 2\n3 2", "2:3: keypoint 2 is in a pair already"},
      {"1 1", "1:1: keypoint 1 is in a pair already"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(read_swap_pairs(text), qturn::LabelError, Message(message));
  }
}
