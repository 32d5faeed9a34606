#include "src/sample/sidecars.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <string>

#include "src/metadata/xmp.hpp"
#include "src/picture/errors.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::sidecars_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;

const std::string packet = tests::xmp_packet_with("tiff:Orientation='6'");

std::set<std::string> names_of(const std::vector<Sidecar>& sidecars) {
  std::set<std::string> names;
  for (const Sidecar& each : sidecars) names.insert(each.path.filename());
  return names;
}

TEST_CASE("A sidecar is called after the stem of a picture, or after its whole name") {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", "a.xmp", "a.XMP", "a.jpg.xmp", "a.jpg.XMP", "a.b.xmp", "a.Xmp"})
    folder.add(name, packet);
  folder.add("b.xmp/file", "");  // a folder is not a sidecar
  const std::vector<Sidecar> found = named_as_sidecars(folder.path() / "a.jpg");
  CHECK(names_of(found) == std::set<std::string>{"a.xmp", "a.XMP", "a.jpg.xmp", "a.jpg.XMP"});
  for (const Sidecar& each : found) {
    const bool is_long = each.path.filename().string().starts_with("a.jpg");
    CHECK(each.after_whole_name == is_long);
    CHECK(sidecar_of("out/a__flop.png", each) ==
          (is_long ? "out/a__flop.png" : "out/a__flop") + each.path.extension().string());
  }
  CHECK(named_as_sidecars(folder.path() / "b.jpg").empty());
}

TEST_CASE("A sidecar is XMP that can only belong to its picture, and may hold an orientation") {
  const TemporaryFolder folder;
  const fs::path picture = folder.add("a.jpg", "");
  const auto found = [&] {
    SharedStems stems;
    return find_sidecars(picture, stems);
  };
  folder.add("a.xmp", tests::xmp_packet_with("tiff:Make='Maker'"));
  REQUIRE(found().sidecars.size() == 1);
  CHECK_FALSE(found().sidecars.front().says);
  folder.add("a.xmp", packet);
  folder.add("a.jpg.xmp", packet);
  CHECK(names_of(found().sidecars) == std::set<std::string>{"a.xmp", "a.jpg.xmp"});
  CHECK(found().sidecars.front().file.text == packet);

  folder.add("a.png", "");  // which a.xmp may belong to
  const FoundSidecars shared = found();
  CHECK(names_of(shared.sidecars) == std::set<std::string>{"a.jpg.xmp"});
  REQUIRE(shared.shared.size() == 1);
  CHECK_THAT(shared.shared.front(), StartsWith("a.xmp beside it holds an orientation, but may "));

  folder.add("a.jpg.xmp", packet.substr(0, 90));
  REQUIRE(found().unreadable.size() == 1);
  CHECK_THAT(found().unreadable.front(), StartsWith("a.jpg.xmp beside it cannot be read: "));
}

TEST_CASE("A file beside a picture is turned if it is XMP, and otherwise copied") {
  const TemporaryFolder folder;
  const MetadataTurn turn{
      .stored = Orientation::rotate90, .pixels = Orientation::rotate90, .size = {4, 6}};
  std::vector<std::string> warnings;
  const auto turned = [&](const fs::path& input) {
    return turned_sidecar(input, "out", turn, FileSource(), warnings);
  };
  const Companion caption = turned(folder.add("a.caption", packet));
  CHECK(text_of(caption.content()) == packet);
  const Companion xmp = turned(folder.add("a.XMP", packet));
  CHECK(read_xmp(std::string(text_of(xmp.content()))).orientation == "1");
  CHECK(xmp.source == hash_of(bytes_of(packet)));  // of what was read
  CHECK(xmp.output == "out");
  try {
    (void)turned(folder.add("b.xmp", packet.substr(0, 90)));
    FAIL("was taken for XMP");
  } catch (const FileError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("b.xmp: "));
    CHECK(hints_of(error) == Hints{{Hint::exclude, "*.xmp"}});
  }
}

std::string xmp(int orientation) {
  return tests::xmp_packet_with("tiff:Orientation='" + std::to_string(orientation) + "'");
}

TEST_CASE("Sidecars say how a picture is stored, but not two different things") {
  const TemporaryFolder folder;
  SharedStems stems;
  const auto read = [&](Sidecars sidecars) {
    return read_sidecars(folder.path() / "a.jpg", Orientation::identity, {.sidecars = sidecars},
                         stems);
  };
  const auto says = [&] { return read(Sidecars::turn).say; };
  CHECK(says() == Orientation::identity);
  folder.add("a.xmp", xmp(6));
  CHECK(says() == Orientation::rotate90);
  folder.add("a.jpg.xmp", xmp(1));  // as many programs leave it
  CHECK(says() == Orientation::rotate90);
  folder.add("a.jpg.xmp", xmp(6));
  CHECK(says() == Orientation::rotate90);
  folder.add("a.jpg.xmp", xmp(3));
  CHECK_THROWS_MATCHES(says(), FileError,
                       MessageMatches(ContainsSubstring("different orientations, 6 and 3")));
  folder.add("a.jpg.xmp", xmp(6).substr(0, 90));
  CHECK_THROWS_MATCHES(says(), FileError, MessageMatches(ContainsSubstring("a.jpg.xmp")));
  CHECK_FALSE(read(Sidecars::report).say);
}

TEST_CASE("A sidecar is read once, and turned with its picture, told of, or ignored") {
  const TemporaryFolder folder;
  SharedStems stems;
  const MetadataTurn upright{
      .stored = Orientation::rotate90, .pixels = Orientation::rotate90, .size = {4, 6}};
  std::vector<Sentence> warnings;
  const auto found = [&](Sidecars sidecars, const MetadataTurn& turn, bool in_place = false) {
    warnings.clear();
    folder.add("a.xmp", xmp(6));
    const SidecarOptions options{.sidecars = sidecars, .in_place = in_place};
    const FoundSidecars beside =
        read_sidecars(folder.path() / "a.jpg", turn.stored, options, stems);
    fs::remove(folder.path() / "a.xmp");
    return turned_sidecars(beside, turn, "out/a.jpg", options, warnings);
  };
  CHECK(found(Sidecars::ignore, upright).empty());
  CHECK(warnings.empty());

  CHECK(found(Sidecars::report, upright).empty());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().hints == Hints{{Hint::turn_sidecars}});

  const auto turned = found(Sidecars::turn, upright);
  CHECK(warnings.empty());
  REQUIRE(turned.size() == 1);
  CHECK(turned.front().output == "out/a.xmp");
  CHECK(read_xmp(turned.front().text).orientation == "1");
  CHECK(found(Sidecars::turn, upright, true).front().output == folder.path() / "a.xmp");

  // Of an upright picture that stays where it is, one that contradicts it is named.
  const MetadataTurn nothing{.size = {4, 6}};
  CHECK(found(Sidecars::turn, nothing, true).empty());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front().text, ContainsSubstring("says orientation 6"));
}

}  // namespace
}  // namespace qturn::sidecars_test
