#include "src/sinks/tar_sample_writer.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <vector>

#include "tests/fixtures/tar_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace qturn::tar_sample_writer_test {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> never{false};

/// A picture and its label, which lay at these places of their sample.
std::unique_ptr<StagedResult> staged(const TarSampleWriter& writer, const fs::path& tar,
                                     const std::string& stem, std::size_t picture_at,
                                     std::size_t label_at, const std::string& content = "x") {
  Companion label{.input = {}, .output = tar / (stem + ".txt")};
  label.text = "0 .5 .5 1 1\n";
  label.position = label_at;
  Job job;
  job.key = stem;
  const JobOutput output{.path = tar / (stem + ".jpg")};
  return writer.stage(
      {.job = job, .output = output, .position = picture_at, .bytes = bytes_of(content)}, {label});
}

std::vector<std::string> names_in(const fs::path& tar) {
  std::vector<std::string> names;
  for (const auto& [name, content] : ::tests::members_of(content_of(tar))) names.push_back(name);
  return names;
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST_CASE("The files of a variant have the order of the sample's files") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out.tar";
  TarSampleWriter writer({.place = place}, never);
  const auto second = staged(writer, place, "x/a.2", 3, 0),
             first = staged(writer, place, "x/a", 1, 2);
  CHECK(first->bytes_held() == 13);
  second->put_in_place();
  first->put_in_place();
  writer.end_variant();
  staged(writer, place, "b", 1, 0)->put_in_place();
  writer.end_variant();
  CHECK(writer.finish().empty());
  CHECK(names_in(place) ==
        std::vector<std::string>{"x/a.2.txt", "x/a.jpg", "x/a.txt", "x/a.2.jpg", "b.txt", "b.jpg"});
}

TEST_CASE("What is staged and given up is not in the tar, nor is a variant without files") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out.tar";
  TarSampleWriter writer({.place = place}, never);
  (void)staged(writer, place, "a", 0, 1);
  writer.end_variant();
  staged(writer, place, "b", 0, 1)->put_in_place();
  writer.end_variant();
  writer.finish();
  CHECK(names_in(place) == std::vector<std::string>{"b.jpg", "b.txt"});
}

TEST_CASE("A tar is in its place when it is finished, and leaves nothing if it is not") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out.tar";
  for (const bool is_finished : {false, true}) {
    {
      TarSampleWriter writer({.place = place}, never);
      staged(writer, place, "a", 0, 1)->put_in_place();
      writer.end_variant();
      CHECK_FALSE(fs::exists(place));
      if (is_finished) writer.finish();
    }
    CHECK(files_in(folder.path()) ==
          (is_finished ? std::set<std::string>{"out.tar"} : std::set<std::string>{}));
  }
}

TEST_CASE("Numbered tars are no larger than asked for, unless a variant alone is") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out.tar";
  // A variant: two headers and two contents, in blocks of 512. The end of a tar: two blocks.
  constexpr std::uint64_t of_variant = 2048, of_end = 1024;
  TarSampleWriter writer({.place = place, .largest_bytes = 2 * of_variant + of_end}, never);
  for (const char* name : {"a", "b", "c", "large", "d"}) {
    const std::size_t bytes = std::string(name) == "large" ? 10'000 : 1;
    staged(writer, place, name, 0, 1, std::string(bytes, 'x'))->put_in_place();
    writer.end_variant();
  }
  writer.finish();
  REQUIRE(files_in(folder.path()) == std::set<std::string>{"out-000000.tar", "out-000001.tar",
                                                           "out-000002.tar", "out-000003.tar"});
  const auto names = [&](const char* tar) { return names_in(folder.path() / tar); };
  CHECK(names("out-000000.tar") == std::vector<std::string>{"a.jpg", "a.txt", "b.jpg", "b.txt"});
  CHECK(names("out-000001.tar") == std::vector<std::string>{"c.jpg", "c.txt"});
  CHECK(names("out-000002.tar") == std::vector<std::string>{"large.jpg", "large.txt"});
  CHECK(names("out-000003.tar") == std::vector<std::string>{"d.jpg", "d.txt"});
}

TEST_CASE("The memory of a large result goes back where it came from") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "out.tar";
  SpareBytes spare(std::uint64_t{4} << 20, 4);
  spare.give(Bytes(SpareBytes::worth_keeping * 2));
  TarSampleWriter writer({.place = place}, never);
  writer.reuse(&spare);
  const Bytes large(SpareBytes::worth_keeping + 1);
  const Job job;
  const JobOutput output{.path = place / "a.jpg"};
  const auto result = writer.stage({.job = job, .output = output, .bytes = large}, {});
  const auto capacity_left = [&] { return spare.take(large.size()).capacity(); };
  CHECK(capacity_left() < SpareBytes::worth_keeping * 2);
  result->put_in_place();
  writer.end_variant();
  CHECK(capacity_left() == SpareBytes::worth_keeping * 2);
}

}  // namespace
}  // namespace qturn::tar_sample_writer_test
