#include "src/sinks/file_sample_writer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <string>

#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::file_sample_writer_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

/// A folder with in/a.jpg; out/a.jpg is made of it.
struct Place : TemporaryFolder {
  Place() {
    add("in/a.jpg", "the original");
    job.input = path() / "in/a.jpg";
    job.key = "a.jpg";
    job.outputs = {{.path = path() / "out/a.jpg"}};
  }

  Result result() const {
    return {.job = job, .output = job.outputs.front(), .bytes = bytes_of("the result")};
  }
  Companion label() const {
    Companion label{
        .kind = CompanionKind::label, .input = path() / "in/a.txt", .output = path() / "out/a.txt"};
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

}  // namespace
}  // namespace qturn::file_sample_writer_test
