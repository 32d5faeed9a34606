#include "src/labels/swap_pairs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "src/labels/text/label_text.hpp"

namespace swap_pairs_test {

using Catch::Matchers::Message;
using qturn::flip_of;
using qturn::numbered;
using qturn::read_swap_pairs;

TEST_CASE("A file of pairs says which keypoints change places, and the others stay") {
  CHECK(read_swap_pairs("1 2").keypoints == std::vector{0, 2, 1});
  CHECK(read_swap_pairs("\xef\xbb\xbf# left right\r\n\r\n 4\t1 # eyes\r\n2 5").keypoints ==
        std::vector{0, 4, 5, 3, 1, 2});
  CHECK(flip_of({0, 2, 1}, 5) == std::vector{0, 2, 1, 3, 4});
  CHECK(flip_of({0, 2, 1}, 3) == std::vector{0, 2, 1});
  CHECK_FALSE(flip_of({0, 2, 1}, 2));
}

TEST_CASE("A file of pairs says which classes change places, by their names or numbers") {
  const qturn::SwapPairs pairs =
      read_swap_pairs("left hand:  right hand # of a person\r\n1 2\n 3 :4");
  CHECK(pairs.keypoints == std::vector{0, 2, 1});
  CHECK(pairs.classes ==
        qturn::ClassSwap{
            {"left hand", "right hand"}, {"right hand", "left hand"}, {"3", "4"}, {"4", "3"}});
  CHECK(*class_after(pairs.classes, "3", qturn::Orientation::transpose) == "4");
  CHECK_FALSE(class_after(pairs.classes, "3", qturn::Orientation::rotate90));
  CHECK_FALSE(class_after(pairs.classes, "5", qturn::Orientation::flop));

  const qturn::ClassSwap swap = {{"l", "r"}, {"r", "l"}};
  CHECK(numbered(swap, {{7, "l"}, {1, "c"}, {2, "c"}, {9, "r"}}) ==
        qturn::ClassSwap{{"7", "9"}, {"9", "7"}});
  CHECK(numbered(swap, {{7, "c"}}).empty());
  CHECK_THROWS_MATCHES(numbered(swap, {{7, "l"}}), qturn::LabelError,
                       Message("1:1: no class is called r, which changes places with l"));
  CHECK_THROWS_MATCHES(numbered(swap, {{7, "l"}, {8, "r"}, {9, "l"}}), qturn::LabelError,
                       Message("1:1: two classes are called l"));
}

TEST_CASE("A broken file of pairs is refused with its line and column") {
  const std::pair<const char*, const char*> broken[] = {
      {"", "1:1: names no keypoints or classes"},
      {"# none\n", "1:1: names no keypoints or classes"},
      {"1 2\n3", "2:1: expected two keypoints, such as 1 2, or classes, such as left: right"},
      {"1 2 3", "1:1: expected two keypoints, such as 1 2, or classes, such as left: right"},
      {"left 2", "1:1: 'left' is not a number from 0 to 9999"},
      {"1 -2", "1:3: '-2' is not a number from 0 to 9999"},
      {"1 10000", "1:3: '10000' is not a number from 0 to 9999"},
      {"1 2\n3 2", "2:3: keypoint 2 is in a pair already"},
      {"1 1", "1:1: keypoint 1 is in a pair already"},
      {"1 2\nl:", "2:1: expected the names of two classes, such as left_hand: right_hand"},
      {"a:b:c", "1:1: expected the names of two classes, such as left_hand: right_hand"},
      {"a: b\nc: b", "2:4: class b is in a pair already"},
      {"a: a", "1:1: class a is in a pair already"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(read_swap_pairs(text), qturn::LabelError, Message(message));
  }
}

}  // namespace swap_pairs_test
