#include "src/inputs/shard.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>

namespace shard_test {

using qturn::parse_shard;
using qturn::Shard;

TEST_CASE("A key is in the shard that XXH64 says, as the documents have it") {
  // xxhash.xxh64_intdigest(b"x/a") and of b"b" in Python
  CHECK(Shard{17256819793211887805U % 8, 8}.takes("x/a.jpg"));
  CHECK(Shard{8666379929374662555U % 1000, 1000}.takes("b.png"));
}

TEST_CASE("A key is in one shard alone") {
  for (std::uint64_t count : {1U, 2U, 7U, 1000U}) {
    int shards = 0;
    for (std::uint64_t index = 0; index < count; ++index)
      shards += Shard{index, count}.takes("x/a.jpg") ? 1 : 0;
    CHECK(shards == 1);
  }
}

TEST_CASE("A shard is written as I/N") {
  CHECK(parse_shard("0/1") == Shard{0, 1});
  CHECK(parse_shard("7/8") == Shard{7, 8});
  for (const char* text : {"", "3", "/", "3/", "/8", "3/8/", "3 /8", "-1/8", "+1/8", "3/0", "a/b",
                           "1/1000001", "1/99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_shard(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(parse_shard("8/8"), "'8/8': the shards of 8 have the numbers 0 to 7");
}

}  // namespace shard_test
