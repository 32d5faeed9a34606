#include "src/files/content_hash.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace path_set_test {

using qturn::PathSet;

TEST_CASE("a set of paths tells which were added, and which more than once") {
  PathSet set;
  for (int i = 999; i >= 0; --i) set.add(std::to_string(i));
  for (const char* again : {"7", "500", "7"}) set.add(again);
  set.sort();
  CHECK(set.contains("0"));
  CHECK(set.contains("999"));
  CHECK_FALSE(set.contains("1000"));
  CHECK_FALSE(set.contains(""));

  const PathSet repeated = set.repeated();
  CHECK(repeated.contains("7"));
  CHECK(repeated.contains("500"));
  CHECK_FALSE(repeated.contains("8"));
  CHECK(repeated.repeated().contains("7"));  // it was added three times
  CHECK_FALSE(repeated.repeated().contains("500"));
  CHECK(PathSet().repeated().empty());
}

}  // namespace path_set_test
