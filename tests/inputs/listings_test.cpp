#include "src/inputs/listings.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/fixtures/temporary_folder.hpp"

namespace listings_test {

namespace fs = std::filesystem;
using qturn::Listings;

TEST_CASE("the head of a file is read once, as long as there is room for it") {
  const TemporaryFolder folder;
  Listings listings;
  const auto head = [&](const std::string& name, std::size_t most) {
    return listings.head(folder.path() / name, *listings.find(folder.path(), name, false), most);
  };
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) folder.add(name, "before");
  constexpr std::size_t large = Listings::most_kept_bytes - 10;
  fs::resize_file(folder.add("large.bin", ""), large);
  CHECK(head("a.txt", 3) == "bef");
  CHECK(head("b.txt", 100) == "before");
  folder.add("a.txt", "after");
  folder.add("b.txt", "after");
  CHECK(head("a.txt", 2) == "be");
  CHECK(head("b.txt", std::string::npos) == "before");

  SECTION("more of it is read again") {
    CHECK(head("a.txt", 4) == "afte");
    CHECK(head("a.txt", std::string::npos) == "after");
  }
  SECTION("then it is read each time") {
    CHECK(head("large.bin", std::string::npos).size() == large);
    CHECK(head("c.txt", 100) == "before");
    folder.add("c.txt", "after");
    CHECK(head("c.txt", 100) == "after");
    CHECK(head("b.txt", 100) == "before");
  }
  SECTION("a file that cannot be read has none") {
    fs::remove(folder.path() / "c.txt");
    const Listings::Entry* gone = listings.find(folder.path(), "c.txt", false);
    REQUIRE(gone);
    CHECK(listings.head_if_readable(folder.path() / "c.txt", *gone, 100) == std::nullopt);
  }
}

}  // namespace listings_test
