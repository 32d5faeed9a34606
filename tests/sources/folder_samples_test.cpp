#include "src/sources/folder_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

#include "src/plan/plan.hpp"
#include "src/sample/companion.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace folder_samples_test {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("A file that is gone when it is read is told of, and the next can be read") {
  const TemporaryFolder folder;
  folder.add("in/a.bmp", "BM");
  folder.add("in/a.txt", "0 .5 .5 .1 .1\n");
  folder.add("in/b.bmp", "BM");
  qturn::PlanOptions options;
  options.inputs = {folder.path() / "in"};
  options.output = "out.tar";
  options.to_samples = true;
  options.labels.take = qturn::TakeLabels::found;
  const qturn::Plan plan = qturn::plan(options);
  const qturn::FileSource files;
  qturn::FolderSamples samples(plan.jobs, files);
  fs::remove(folder.path() / "in/a.txt");

  const auto picture = samples.next();
  REQUIRE(picture);
  CHECK(picture->name == "a.bmp");
  CHECK(picture->bytes == 2);
  CHECK(samples.content({}).size() == 2);
  const auto label = samples.next();
  REQUIRE(label);
  CHECK(label->name == "a.txt");
  CHECK(label->companion->kind == qturn::CompanionKind::label);
  CHECK_THROWS_MATCHES(samples.content({}), qturn::MemberError,
                       MessageMatches(ContainsSubstring("No such")));
  CHECK(samples.next()->name == "b.bmp");
  CHECK(samples.content({}).size() == 2);
  CHECK_FALSE(samples.next());
}

}  // namespace folder_samples_test
