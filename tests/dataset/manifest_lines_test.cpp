#include "src/dataset/manifest.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <vector>

namespace qturn::manifest_lines_test {
namespace {

ManifestFile file(const std::string& name, std::uint64_t number, CompanionKind kind = {}) {
  return {name, {number, 1}, {number, 2}, kind};
}

TEST_CASE("An entry of a manifest is read as it was written") {
  const ManifestEntry entry{.key = "a/b.png",
                            .variant = Orientation::rotate90,
                            .picture = file("a/b__rotate90.png", 1),
                            .route = Route::lossless,
                            .companions = {file("l.txt", 2, CompanionKind::label),
                                           file("b.xmp", 3, CompanionKind::sidecar),
                                           file("m1.png", 4, CompanionKind::mask),
                                           file("m2.png", 5, CompanionKind::mask)},
                            .labels_in = {"coco.json"}};
  const auto read = read_manifest_line(manifest_line(entry));
  REQUIRE(read);
  CHECK(read->key == entry.key);
  CHECK(read->variant == entry.variant);
  CHECK(std::ranges::count(read->companions, CompanionKind::mask, &ManifestFile::kind) == 2);
  CHECK(manifest_line(*read) == manifest_line(entry));
}

TEST_CASE("Names that are not UTF-8 come back as they were") {
  const ManifestEntry entry{
      .key = "\xff.png", .variant = Orientation::flip, .picture = file("\xff", 1)};
  const auto read = read_manifest_line(manifest_line(entry));
  REQUIRE(read);
  CHECK(read->key == "\xff.png");
  CHECK(read->picture.output == "\xff");
}

TEST_CASE("A header says which options the files were made with, or that this is not known") {
  for (const auto& options : {std::optional<std::vector<std::string>>(),
                              std::optional(std::vector<std::string>{"--png=fast", "--hidden"})}) {
    const ManifestHeader header{"1.2", options};
    CHECK(read_manifest_header(manifest_line(header)) == header);
  }
}

TEST_CASE("Lines of one kind are not taken for another kind") {
  const std::string entry = manifest_line(
      ManifestEntry{.key = "a", .variant = Orientation::flop, .picture = file("a", 1)});
  const std::string header = manifest_line(ManifestHeader{"1", {}});
  const std::string other = manifest_line(file("coco.json", 1));
  CHECK_FALSE(read_manifest_line(header));
  CHECK_FALSE(read_manifest_line(other));
  CHECK_FALSE(read_manifest_header(entry));
  CHECK_FALSE(read_manifest_header(other));
  CHECK_FALSE(read_manifest_file(entry));
  CHECK_FALSE(read_manifest_file(header));
  const std::string failure = manifest_line(ManifestFailure{"x/\xff.jpg", "truncated"});
  CHECK(read_manifest_failure(failure)->key == "x/\xff.jpg");
  CHECK(read_manifest_failure(failure)->why == "truncated");
  CHECK_FALSE(read_manifest_line(failure));
  CHECK_FALSE(read_manifest_header(failure));
  CHECK_FALSE(read_manifest_file(failure));
  for (const std::string& line : {entry, header, other}) CHECK_FALSE(read_manifest_failure(line));
  for (const char* damaged : {"", "{", "[]", "{\"orientation\": 9}", "{\"qturn_manifest\": 2}"}) {
    CHECK_FALSE(read_manifest_line(damaged));
    CHECK_FALSE(read_manifest_header(damaged));
    CHECK_FALSE(read_manifest_file(damaged));
  }
}

TEST_CASE("Entries are ordered by key, then by variant") {
  const auto entry = [](const char* key, Orientation variant) {
    return ManifestEntry{.key = key, .variant = variant, .picture = {"x"}};
  };
  CHECK(entry("a", Orientation::rotate270) < entry("b", Orientation::identity));
  CHECK(entry("a", Orientation::flop) < entry("a", Orientation::flip));
  CHECK(entry("a", Orientation::flop) == entry("a", Orientation::flop));
}

}  // namespace
}  // namespace qturn::manifest_lines_test
