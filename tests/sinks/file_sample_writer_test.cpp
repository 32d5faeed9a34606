#include "src/sinks/file_sample_writer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <string>

#include "src/metadata/xmp.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::file_sample_writer_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

std::string xmp(int orientation) {
  return tests::xmp_packet_with("tiff:Orientation='" + std::to_string(orientation) + "'");
}

/// A folder with in/a.jpg; out/a.jpg is made of it.
struct Place : TemporaryFolder {
  Place() {
    add("in/a.jpg", "the original");
    job.input = path() / "in/a.jpg";
    job.key = "a.jpg";
    job.outputs = {{.path = path() / "out/a.jpg"}};
  }

  Result result(MetadataTurn turn = {}) const {
    return {.job = job,
            .output = job.outputs.front(),
            .bytes = bytes_of("the result"),
            .turn = std::move(turn)};
  }
  CompanionFile label() const {
    CompanionFile label{{.kind = CompanionKind::label,
                         .input = path() / "in/a.txt",
                         .output = path() / "out/a.txt"}};
    label.text = "0 .5 .5 1 1\n";
    return label;
  }
  std::set<std::string> files(const fs::path& folder) const {
    std::set<std::string> names;
    if (!fs::exists(path() / folder)) return names;
    for (const auto& entry : fs::directory_iterator(path() / folder))
      names.insert(entry.path().filename());
    return names;
  }
  std::string content(const fs::path& name) const { return content_of(path() / name); }

  Job job;
};

const FileWriterOptions from_memory = {.inputs_are_files = false};

TEST_CASE_METHOD(Place, "A picture and its companions are in their places together, or none is") {
  const FileSampleWriter writer(from_memory);
  {
    const auto given_up = writer.stage(result(), {label()});
    CHECK_FALSE(fs::exists(path() / "out/a.jpg"));
  }
  CHECK(files("out").empty());
  const auto staged = writer.stage(result(), {label()});
  CHECK(staged->hashes() ==
        std::vector{hash_of(bytes_of("the result")), hash_of(bytes_of("0 .5 .5 1 1\n"))});
  CHECK(staged->put_in_place().empty());
  CHECK(staged->is_whole());
  CHECK(files("out") == std::set<std::string>{"a.jpg", "a.txt"});
  CHECK(content("out/a.jpg") == "the result");
  CHECK(content("out/a.txt") == "0 .5 .5 1 1\n");
}

TEST_CASE_METHOD(Place, "A file in the place of a required companion keeps its picture out, too") {
  add("out/a.txt", "somebody's");
  const FileSampleWriter writer(from_memory);
  CHECK_THROWS_MATCHES(writer.stage(result(), {label()}), FileError,
                       MessageMatches(ContainsSubstring("out/a.txt")));
  CHECK(files("out") == std::set<std::string>{"a.txt"});

  FileWriterOptions replacing = from_memory;
  replacing.if_exists = IfExists::replace;
  const FileSampleWriter other(replacing);
  other.stage(result(), {label()})->put_in_place();
  CHECK(files("out") == std::set<std::string>{"a.jpg", "a.txt"});
  CHECK(content("out/a.txt") == "0 .5 .5 1 1\n");
}

TEST_CASE_METHOD(Place, "Sidecars say how a picture is stored, but not two different things") {
  const FileSampleWriter turning({.sidecars = Sidecars::turn});
  const auto says = [&] {
    return turning.sidecars_beside(path() / "in/a.jpg", Orientation::identity).say;
  };
  CHECK(says() == Orientation::identity);
  add("in/a.xmp", xmp(6));
  CHECK(says() == Orientation::rotate90);
  add("in/a.jpg.xmp", xmp(1));  // as many programs leave it
  CHECK(says() == Orientation::rotate90);
  add("in/a.jpg.xmp", xmp(6));
  CHECK(says() == Orientation::rotate90);
  add("in/a.jpg.xmp", xmp(3));
  CHECK_THROWS_MATCHES(says(), FileError,
                       MessageMatches(ContainsSubstring("different orientations, 6 and 3")));
  add("in/a.jpg.xmp", xmp(6).substr(0, 90));
  CHECK_THROWS_MATCHES(says(), FileError, MessageMatches(ContainsSubstring("a.jpg.xmp")));
  const FileSampleWriter reporting({.sidecars = Sidecars::report});
  CHECK_FALSE(reporting.sidecars_beside(path() / "in/a.jpg", Orientation::identity).say);
}

TEST_CASE_METHOD(Place,
                 "A sidecar is read once, and turned with its picture, told of, or ignored") {
  const MetadataTurn upright{
      .stored = Orientation::rotate90, .pixels = Orientation::rotate90, .size = {4, 6}};
  std::vector<Sentence> warnings;
  const auto found = [&](Sidecars sidecars, const MetadataTurn& turn, bool in_place = false) {
    warnings.clear();
    add("in/a.xmp", xmp(6));
    const FileSampleWriter writer({.in_place = in_place, .sidecars = sidecars});
    const FoundSidecars beside = writer.sidecars_beside(path() / "in/a.jpg", turn.stored);
    fs::remove(path() / "in/a.xmp");
    return writer.found_companions(result(turn), beside, warnings);
  };
  CHECK(found(Sidecars::ignore, upright).empty());
  CHECK(warnings.empty());

  CHECK(found(Sidecars::report, upright).empty());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().hints == Hints{{Hint::turn_sidecars}});

  const auto turned = found(Sidecars::turn, upright);
  CHECK(warnings.empty());
  REQUIRE(turned.size() == 1);
  CHECK(turned.front().output == path() / "out/a.xmp");
  CHECK(read_xmp(turned.front().text).orientation == "1");
  CHECK(found(Sidecars::turn, upright, true).front().output == path() / "in/a.xmp");

  // Of an upright picture that stays where it is, one that contradicts it is named.
  const MetadataTurn nothing{.size = {4, 6}};
  CHECK(found(Sidecars::turn, nothing, true).empty());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front().text, ContainsSubstring("says orientation 6"));
}

}  // namespace
}  // namespace qturn::file_sample_writer_test
