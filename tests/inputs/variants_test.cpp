#include "src/inputs/variants.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace variants_test {

using qturn::Orientation;
using qturn::random_variants;

namespace {

std::vector<int> numbers(const std::vector<Orientation>& orientations) {
  std::vector<int> numbers;
  for (const Orientation orientation : orientations) {
    numbers.push_back(static_cast<int>(orientation));
  }
  return numbers;
}

}  // namespace

// The wanted numbers come from Python's xxhash package (3.5), by
//   def variants(key, count, seed):
//       key = os.path.splitext(key)[0]
//       score = lambda n: (xxhash.xxh64(key + bytes([n]), seed=seed).intdigest(), n)
//       return sorted(sorted(range(1, 9), key=score)[:count])
TEST_CASE("the chosen orientations are those that another program computes") {
  const auto chosen = [](const std::string& key, int count, std::uint64_t seed) {
    return numbers(random_variants(key, count, seed));
  };
  CHECK(chosen("a.jpg", 1, 0) == std::vector{8});
  CHECK(chosen("a.jpg", 3, 0) == std::vector{3, 5, 8});
  CHECK(chosen("a.png", 3, 1) == std::vector{3, 5, 6});
  CHECK(chosen("a", 3, 18446744073709551615u) == std::vector{2, 5, 8});
  CHECK(chosen("", 2, 0) == std::vector{3, 8});
  CHECK(chosen("x/y z/b.png", 4, 42) == std::vector{1, 5, 6, 8});
  CHECK(chosen("caf\xe9\n.tif", 5, 7) == std::vector{1, 2, 3, 5, 7});
  // These dots begin no suffix, so they belong to the key.
  CHECK(chosen(".a", 3, 0) == std::vector{1, 4, 7});
  CHECK(chosen("x.y/a", 3, 0) == std::vector{2, 5, 8});
  CHECK(chosen(std::string(100, 'k'), 2, 42) == std::vector{1, 8});
}

TEST_CASE("A group is what a regular expression takes of a path") {
  const auto key = [](const char* group, const char* path) {
    return qturn::DrawGroup(group).key_of(path);
  };
  CHECK(qturn::DrawGroup().key_of("x/a_seg.png") == "x/a_seg");
  CHECK(key("path", "x/a_seg.png") == "x/a_seg");
  CHECK(key("(.*?)(_seg|_depth)?", "x/a_seg.png") == "x/a");
  CHECK(key("(.*?)(_seg|_depth)?", "x/a.jpg") == "x/a");
  CHECK(key("(?:.*/)?(?:img|gt)/(.*)", "x/gt/a.jpg") == "a");
  CHECK(key("(?:.*/)?(?:img|gt)/(.*)", "x/a.jpg") == "x/a");
  CHECK(key("x/a.*", "x/a_b.jpg") == "x/a_b");
  CHECK_THROWS_AS(qturn::DrawGroup("("), std::invalid_argument);
  CHECK(random_variants("x/a_seg.png", 3, 1, qturn::DrawGroup("(.*?)(_seg)?")) ==
        random_variants("x/a.png", 3, 1));
}

TEST_CASE("eight of eight are all orientations in the order of their numbers") {
  CHECK(numbers(random_variants("any", 8, 3)) == std::vector{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("a smaller choice is part of a larger one") {
  for (int count = 1; count < 8; ++count) {
    const auto small = numbers(random_variants("photos/b.png", count, 9));
    const auto large = numbers(random_variants("photos/b.png", count + 1, 9));
    CHECK(std::includes(large.begin(), large.end(), small.begin(), small.end()));
  }
}

TEST_CASE("each orientation is chosen about as often as the others") {
  std::vector<int> times(9);
  for (int key = 0; key < 8000; ++key) {
    for (const int n : numbers(random_variants(std::to_string(key), 1, 0))) ++times[n];
  }
  for (int n = 1; n <= 8; ++n) {
    INFO("orientation " << n);
    CHECK(times[n] > 880);  // the expected 1000 less four standard deviations
    CHECK(times[n] < 1120);
  }
}

TEST_CASE("a count outside 1 to 8 is refused") {
  CHECK_THROWS_AS(random_variants("a", 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(random_variants("a", 9, 0), std::invalid_argument);
}

}  // namespace variants_test
