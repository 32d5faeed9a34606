// Tars in, and several tars or the files of a folder out.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace tar_outputs_test {

using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using tests::Members;

namespace {

const std::string jpeg = cli::jpeg(cli::smooth_picture(64, 48));

Members samples(int count) {
  Members members;
  for (int i = 0; i < count; ++i) {
    const std::string key = fmt::format("x/{:03}", i);
    members.emplace_back(key + ".jpg", jpeg);
    members.emplace_back(key + ".txt", fmt::format("{} 0.25 0.5 0.1 0.2\n", i));
    members.emplace_back(key + ".cls", std::string(static_cast<std::size_t>(i) * 40, 'c'));
  }
  return members;
}

std::string key(const Members::value_type& member) {
  return member.first.substr(0, member.first.find('.'));
}

}  // namespace

TEST_CASE_METHOD(
    cli::Workplace,
    "Numbered tars hold the samples of one tar, in its order, and keep to their size") {
  add("in/0.tar", tests::tar(samples(12)));
  add("in/1.tar", tests::tar({{"y/a.jpg", jpeg}}));
  const std::vector<std::string> augment = {"augment",    "in/0.tar",      "in/1.tar",
                                            "--variants", "flop,rotate90", "-o"};
  const auto run = [&](const std::vector<std::string>& more) {
    return qturn(cli::with(augment, more));
  };
  REQUIRE(run({"one.tar"}).exit_code == 0);
  REQUIRE(run({"out/train.tar", "--tar-size", "20KB", "-j", "5"}).exit_code == 0);

  const auto names = files("out");
  REQUIRE(names.size() > 2);
  Members all;
  int number = 0;
  for (const std::string& name : names) {
    CHECK(name == fmt::format("train-{:06}.tar", number++));
    const std::string tar = content("out/" + name);
    CHECK(tar.size() <= 20 * 1024);
    const Members part = tests::members_of(tar);
    // A sample is whole: its picture comes first.
    CHECK(part.front().first.ends_with(".jpg"));
    if (number > 1) CHECK(key(all.back()) != key(part.front()));
    all.insert(all.end(), part.begin(), part.end());
  }
  CHECK(all == tests::members_of(content("one.tar")));

  REQUIRE(run({"alone/train.tar", "--tar-size", "20KB", "-j", "1"}).exit_code == 0);
  CHECK(tree("alone") == tree("out"));
  // One that is larger alone has a tar of its own.
  REQUIRE(run({"small/train.tar", "--tar-size", "1KB"}).exit_code == 0);
  CHECK(files("small").size() == 26);

  const auto before = tree("out");
  for (const char* more : {"-q", "--overwrite"}) {
    const Result again = run({"out/train.tar", "--tar-size", "20KB", more});
    CHECK(again.exit_code == 2);
    CHECK_THAT(again.err, ContainsSubstring("train-00000") && ContainsSubstring("exists already"));
  }
  CHECK(tree("out") == before);
}

TEST_CASE("What a tar holds becomes the files that the same operation makes of a folder") {
  const Workplace workplace;
  Members members = samples(3);
  members.emplace_back("x/c.d/e.jpg", jpeg);
  for (const auto& [name, content] : members) workplace.add("in/" + name, content);
  workplace.add("in.tar", tests::tar(members));
  const std::vector<std::string> some = {"--variants", "flop,rotate90", "-q"};
  const auto augment = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "augment");
    words.insert(words.end(), some.begin(), some.end());
    return workplace.qturn(words);
  };
  REQUIRE(augment({"in", "-o", "folder"}).exit_code == 0);
  REQUIRE(augment({"in.tar", "-o", "out", "--unpack"}).exit_code == 0);
  auto expected = workplace.tree("folder");
  std::erase_if(expected, [](const auto& file) { return file.first == "manifest.jsonl"; });
  CHECK(workplace.tree("out") == expected);

  std::filesystem::remove(workplace.path() / "out/x/001__flop.jpg");
  std::filesystem::remove(workplace.path() / "out/x/001__flop.cls");
  const Result label = augment({"in.tar", "-o", "out", "--unpack"});
  CHECK(label.exit_code == 1);
  CHECK_THAT(label.err, ContainsSubstring("x/001__flop.txt") && ContainsSubstring("File exists"));

  workplace.add("out/x/000__flop.jpg", "mine");
  const Result result = augment({"in.tar", "-o", "out", "--unpack", "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("x/000__flop.jpg") && ContainsSubstring("File exists"));
  REQUIRE(result.out_lines().size() == 8);
  for (const std::string& line : result.out_lines())
    CHECK(nlohmann::json::parse(line)["status"] == "failed");
  CHECK(workplace.content("out/x/000__flop.jpg") == "mine");
  REQUIRE(augment({"in.tar", "-o", "out", "--unpack", "--overwrite"}).exit_code == 0);
  CHECK(workplace.tree("out") == expected);
}

TEST_CASE("Outputs that do not fit --tar-size and --unpack are refused before anything is read") {
  const Workplace workplace;
  workplace.add("in.tar", tests::tar(samples(1)));
  workplace.add("a.jpg", jpeg);
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "augment");
    const Result result = workplace.refused(words);
    return result.err;
  };
  CHECK_THAT(refused({"in.tar", "-o", "out", "--tar-size", "1GB"}),
             ContainsSubstring("--tar-size numbers tars"));
  CHECK_THAT(refused({"in.tar", "-o", "-", "--tar-size", "1GB"}),
             ContainsSubstring("--tar-size numbers tars"));
  CHECK_THAT(refused({"in.tar", "-o", "out.tar", "--unpack"}),
             ContainsSubstring("--unpack needs a folder"));
  CHECK_THAT(refused({"in.tar", "-o", "-", "--unpack"}),
             ContainsSubstring("--unpack needs a folder"));
  CHECK_THAT(refused({"in.tar", "-o", "a.jpg", "--unpack"}),
             ContainsSubstring("a.jpg: is not a folder"));
  for (const char* option : {"--unpack", "--tar-size=1GB"})
    CHECK_THAT(refused({"a.jpg", "-o", "out", option}), ContainsSubstring("for tars as inputs"));
}

}  // namespace tar_outputs_test
