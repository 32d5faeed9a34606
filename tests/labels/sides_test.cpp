#include "src/labels/swap_pairs.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sides_test {

using qturn::names_a_side;

TEST_CASE("Left and right are words of a class name, in any case") {
  for (const char* name : {"left", "RIGHT", "turn_left", "left_hand", "LeftHand", "handRight",
                           "turn left", "left2", "no-right-turn", "bright right"})
    CHECK(names_a_side(name));
  for (const char* name :
       {"", "bright", "leftover", "cleft", "copyright", "Bright", "upright", "cat"})
    CHECK_FALSE(names_a_side(name));
}

}  // namespace sides_test
