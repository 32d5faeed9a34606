// Tars in, tars out: the samples of data sets as WebDataset writes them.
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace tar_test {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using tests::Members;

namespace {

const std::string jpeg = cli::jpeg(cli::smooth_picture(64, 48));
const std::string png = cli::png(cli::random_picture(31, 17));
const std::string mask = cli::png(cli::random_picture(64, 48, 1));
const std::string yolo = "0 0.25 0.5 0.1 0.2\n";

/// The files of three samples.
const Members data = {{"x/a.jpg", jpeg},      {"x/a.txt", yolo},
                      {"x/a.mask.png", mask}, {"x/a.cls", "7"},
                      {"x/b.png", png},       {"x/b.json", R"({"text": "a dog"})"},
                      {"x/c.d/e.jpg", jpeg},  {"x/c.d/e.txt", ""}};

std::vector<std::string> names_of(const Members& members) {
  std::vector<std::string> names;
  for (const auto& [name, content] : members) names.push_back(name);
  return names;
}

std::set<std::pair<std::string, std::string>> as_tree(const Members& members) {
  return {members.begin(), members.end()};
}

/// What the operation makes of these files in a folder.
std::set<std::pair<std::string, std::string>> made_in_folder(std::vector<std::string> words,
                                                             const Members& members) {
  const Workplace workplace;
  for (const auto& [name, content] : members) workplace.add("in/" + name, content);
  words.insert(words.end(), {"in", "-o", "out"});
  workplace.done(words);
  auto tree = workplace.tree("out");
  std::erase_if(tree, [](const auto& file) { return file.first == "manifest.jsonl"; });
  return tree;
}

Members tar_of(const Workplace& workplace, const fs::path& name) {
  return tests::members_of(workplace.content(name));
}

}  // namespace

TEST_CASE_METHOD(
    cli::Workplace,
    "A tar is augmented as its files in a folder are, with labels, masks and other files") {
  add("in.tar", tests::tar(data));
  const Result result = done({"augment", "in.tar", "-o", "out.tar", "--variants", "flop,rotate90"});
  CHECK_THAT(result.err, ContainsSubstring("6 of 6 variants written"));
  CHECK_THAT(result.err,
             ContainsSubstring("copied with each variant of their picture: 1 .cls, 1 .json"));
  const Members made = tar_of(*this, "out.tar");
  CHECK(as_tree(made) == made_in_folder({"augment", "--variants", "flop,rotate90"}, data));
  CHECK(names_of(made) ==
        std::vector<std::string>{"x/a__flop.jpg", "x/a__flop.txt", "x/a__flop.mask.png",
                                 "x/a__flop.cls", "x/a__rotate90.jpg", "x/a__rotate90.txt",
                                 "x/a__rotate90.mask.png", "x/a__rotate90.cls", "x/b__flop.png",
                                 "x/b__flop.json", "x/b__rotate90.png", "x/b__rotate90.json",
                                 "x/c.d/e__flop.jpg", "x/c.d/e__flop.txt", "x/c.d/e__rotate90.jpg",
                                 "x/c.d/e__rotate90.txt"});
  CHECK(files(".") == std::set<std::string>{"in.tar", "out.tar"});
}

TEST_CASE_METHOD(
    cli::Workplace,
    "The bytes of a tar do not depend on threads, on memory or on the form of the input") {
  Members many;
  for (int i = 0; i < 60; ++i) {
    const std::string name = std::to_string(100 + i);
    many.emplace_back(name + ".jpg", i % 7 == 0 ? png : jpeg);
    many.emplace_back(name + ".cls", std::to_string(i));
  }
  add("ustar.tar", tests::tar(many));
  add("pax.tar.zst", tests::tar(many, {ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_ZSTD}));
  add("gnu", tests::tar(many, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_GZIP}));
  const auto made = [&](const std::string& input, const std::vector<std::string>& words) {
    std::vector<std::string> all = {"augment",     input,      "-o", "out.tar",
                                    "--overwrite", "--random", "3"};
    all.insert(all.end(), words.begin(), words.end());
    done(all);
    return content("out.tar");
  };
  const std::string one = made("ustar.tar", {"-j", "1"});
  CHECK(as_tree(tests::members_of(one)) == made_in_folder({"augment", "--random", "3"}, many));
  CHECK(made("ustar.tar", {"-j", "5"}) == one);
  CHECK(made("pax.tar.zst", {"-j", "5", "--memory", "16MiB"}) == one);
  CHECK(made("gnu", {}) == one);
}

TEST_CASE_METHOD(cli::Workplace,
                 "An operation keeps names, and turns what belongs to a picture with it") {
  add("in.tar", tests::tar(data));
  done({"cw", "in.tar", "-o", "out.tar", "-q"});
  const Members turned = tar_of(*this, "out.tar");
  CHECK(names_of(turned) == names_of(data));
  auto expected = made_in_folder({"augment", "--variants", "rotate90", "--png", "small"}, data);
  std::set<std::pair<std::string, std::string>> renamed;
  for (auto [name, content] : expected)
    renamed.emplace(name.erase(name.find("__rotate90"), 10), content);
  CHECK(as_tree(turned) == renamed);

  done({"upright", "in.tar", "-o", "same.tar", "-q"});
  CHECK(tar_of(*this, "same.tar") == data);
}

TEST_CASE_METHOD(cli::Workplace,
                 "What cannot be turned is named, and the other samples are written") {
  const auto turn = [&](const Members& members, std::vector<std::string> more = {}) {
    add("in.tar", tests::tar(members));
    const cli::Words words = cli::with({"cw", "in.tar", "-o", "out.tar", "--overwrite"}, more);
    const Result result = failed(words);
    return result.err;
  };
  const auto written = [&] { return names_of(tar_of(*this, "out.tar")); };
  const std::vector<std::string> last = {"z.jpg"};

  CHECK_THAT(turn({{"a.jpg", jpeg.substr(0, 300)}, {"z.jpg", jpeg}}),
             ContainsSubstring("qturn: in.tar/a.jpg: "));
  CHECK(written() == last);
  CHECK_THAT(turn({{"a.jpg", jpeg}, {"a.txt", "0 9 9 9 9\n"}, {"z.jpg", jpeg}}),
             ContainsSubstring("in.tar/a.txt:1:3: "));
  CHECK(written() == last);
  CHECK_THAT(turn({{"a.jpg", jpeg}, {"a.txt", "-> b.txt"}, {"z.jpg", jpeg}}),
             ContainsSubstring("in.tar/a.txt: is a symbolic link; its sample is left out"));
  CHECK(written() == last);
  CHECK_THAT(turn({{"../a.jpg", jpeg}, {"/b.jpg", jpeg}, {"z.jpg", jpeg}}),
             ContainsSubstring("in.tar/../a.jpg: has a name with ..") &&
                 ContainsSubstring("in.tar//b.jpg: has an absolute name"));
  CHECK(written() == last);
  CHECK_THAT(turn({{"a.jpg", jpeg}, {"a.txt", yolo}, {"a.xml", "<annotation/>"}, {"z.jpg", jpeg}}),
             ContainsSubstring("a.xml is a second label of a.jpg"));
  CHECK(written() == last);
  CHECK_THAT(turn({{"a.jpg", jpeg}, {"a.cls", "1"}, {"z.jpg", jpeg}}, {"--strict"}),
             ContainsSubstring("in.tar/a.cls: would be copied as it is"));
  CHECK(written() == last);
  CHECK_THAT(
      turn({{"a.jpg", jpeg}, {"z.jpg", jpeg}, {"a.cls", "1"}}),
      ContainsSubstring("in.tar/a.cls: left out, because there was a sample called a before"));
  CHECK(written() == std::vector<std::string>{"a.jpg", "z.jpg"});
}

TEST_CASE_METHOD(
    cli::Workplace,
    "Hidden files and samples without a picture are left out, and copied if that is asked for") {
  add("in.tar",
      tests::tar({{"._a.jpg", "x"}, {"README", "text"}, {"a.jpg", jpeg}, {"b.txt", "b"}}));
  const Result result = done({"upright", "in.tar", "-o", "out.tar"});
  CHECK_THAT(result.err,
             ContainsSubstring("left out, because they are not pictures: 1 .txt, 1 no suffix"));
  CHECK(tar_of(*this, "out.tar") == Members{{"a.jpg", jpeg}});
  done({"upright", "in.tar", "-o", "all.tar", "--others", "copy"});
  CHECK(tar_of(*this, "all.tar") == Members{{"README", "text"}, {"a.jpg", jpeg}, {"b.txt", "b"}});
  CHECK(qturn({"upright", "in.tar", "-o", "some.tar", "--exclude", "a*", "--others", "copy"})
            .exit_code == 0);
  CHECK(tar_of(*this, "some.tar") == Members{{"README", "text"}, {"b.txt", "b"}});
}

TEST_CASE_METHOD(cli::Workplace,
                 "What follows the end of a tar, and a wrong checksum, are no success") {
  const std::string one = tests::tar({{"a.jpg", jpeg}}), two = tests::tar({{"b.jpg", jpeg}});
  add("in.tar", one + two);
  const Result more = failed({"upright", "in.tar", "-o", "out.tar"});
  CHECK_THAT(more.err, ContainsSubstring("in.tar: holds more after its end"));
  CHECK(tar_of(*this, "out.tar") == Members{{"a.jpg", jpeg}});

  std::string packed = tests::tar(data, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_GZIP});
  packed[packed.size() - 8] ^= 1;
  add("in.tgz", packed);
  const Result damaged = failed({"upright", "in.tgz", "-o", "damaged.tar"});
  CHECK_THAT(damaged.err, ContainsSubstring("in.tgz: is damaged or cut: its gzip stream has an "
                                            "incorrect data check"));
}

TEST_CASE_METHOD(
    cli::Workplace,
    "A tar that is cut gives the samples that are whole, and the exit status says it") {
  const std::string whole = tests::tar(data, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE});
  const std::size_t second = whole.find("x/b.png"), third = whole.find("x/c.d/e.jpg");
  // In the second sample; between its files; where the third would begin.
  for (const std::size_t bytes : {second + 700, whole.find("x/b.json"), third}) {
    CAPTURE(bytes);
    add("in.tar", whole.substr(0, bytes));
    const Result result = failed({"upright", "in.tar", "-o", "out.tar", "--overwrite"});
    CHECK_THAT(result.err, ContainsSubstring("qturn: in.tar: is ") && ContainsSubstring("cut"));
    CHECK(tar_of(*this, "out.tar") == Members(data.begin(), data.begin() + 4));
  }
  add("in.tar", tests::tar({{"a.txt", "text"}}));
  const Result none = failed({"upright", "in.tar", "-o", "none.tar"});
  CHECK_THAT(none.err, ContainsSubstring("0 of 0 pictures written; "));
  CHECK_THAT(none.err,
             ContainsSubstring("none.tar: not written, because there is no sample for it"));
  add("in.tar", "text");
  refused({"upright", "in.tar", "-o", "none.tar"});
  CHECK_FALSE(exists("none.tar"));
}

TEST_CASE_METHOD(cli::Workplace,
                 "More than 64 MiB of zeros after the end of a tar are not read to their end") {
  const std::string one = tests::tar({{"a.jpg", jpeg}});
  const std::string zeros(std::size_t{200} << 20, '\0');
  add("in.tar", one + zeros);
  const Result result = failed({"upright", "in.tar", "-o", "out.tar"});
  CHECK_THAT(result.err, ContainsSubstring("in.tar: holds more after its end"));
  CHECK(tar_of(*this, "out.tar") == Members{{"a.jpg", jpeg}});
  add("zeros.tar", zeros);
  const Result empty = failed({"upright", "zeros.tar", "-o", "none.tar"});
  CHECK_THAT(empty.err, ContainsSubstring("zeros.tar: holds more after its end"));
}

TEST_CASE_METHOD(cli::Workplace, "A tar without members does not stop the others") {
  const std::string empty = tests::tar({});
  add("in/empty.tar", empty);
  add("in/full.tar", tests::tar({{"a.jpg", jpeg}}));
  const Result result = failed({"upright", "in/empty.tar", "in/full.tar", "-o", "out"});
  CHECK_THAT(result.err,
             ContainsSubstring("out/empty.tar: not written, because there is no sample"));
  CHECK(files("out") == std::set<std::string>{"full.tar"});
  done({"upright", "in/full.tar", "in/empty.tar", "-o", "both.tar"});
  CHECK(tar_of(*this, "both.tar") == Members{{"a.jpg", jpeg}});
  standard_input = empty;
  failed({"upright", "-", "-o", "none.tar"});
  // A picture that the disk has lost looks like one.
  add("lost.jpg", empty);
  CHECK_THAT(qturn({"upright", "lost.jpg", "-o", "out"}).err, ContainsSubstring("lost.jpg: "));
}

TEST_CASE_METHOD(cli::Workplace, "Several tars become one, or one each in a folder") {
  add("in/000.tar", tests::tar({{"a.jpg", jpeg}}));
  add("in/001.tar.gz",
      tests::tar({{"b.jpg", jpeg}}, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
  done({"upright", "in/000.tar", "in/001.tar.gz", "-o", "out.tar"});
  CHECK(tar_of(*this, "out.tar") == Members{{"a.jpg", jpeg}, {"b.jpg", jpeg}});
  done({"upright", "in/000.tar", "in/001.tar.gz", "-o", "out"});
  CHECK(files("out") == std::set<std::string>{"000.tar", "001.tar"});
  CHECK(tar_of(*this, "out/001.tar") == Members{{"b.jpg", jpeg}});
  failed({"upright", "in/000.tar", "in/000.tar", "-o", "twice.tar"});
  CHECK(tar_of(*this, "twice.tar") == Members{{"a.jpg", jpeg}});
}

TEST_CASE_METHOD(
    cli::Workplace,
    "A tar goes from standard input to standard output, and a picture beside it is told by its "
    "content") {
  standard_input = tests::tar(data, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP});
  const Result piped = done({"augment", "-", "-o", "-", "--random", "2", "-q"});
  CHECK(piped.err.empty());
  add("in.tar", tests::tar(data));
  done({"augment", "in.tar", "-o", "out.tar", "--random", "2"});
  CHECK(piped.out == content("out.tar"));
  CHECK(qturn({"upright", "in.tar", "-o", "-"}).out == qturn({"upright", "-", "-o", "-"}).out);
  refused({"upright", "-", "-o", "folder"});

  standard_input = standard_input.substr(0, standard_input.size() / 2);
  const Result cut = failed({"upright", "-", "-o", "-"});
  CHECK_THAT(cut.err, ContainsSubstring("qturn: standard input: is damaged or cut"));
  full_stream = 1;
  const Result full = failed({"upright", "in.tar", "-o", "-"});
  CHECK_THAT(full.err, ContainsSubstring("cannot write to standard output"));
}

TEST_CASE_METHOD(cli::Workplace, "A disk that takes no more leaves no tar") {
  add("in.tar", tests::tar({{"a.jpg", jpeg}, {"b.png", png}}));
  largest_file = 1000;
  const Result result = failed({"augment", "in.tar", "-o", "out.tar"});
  CHECK_THAT(result.err, ContainsSubstring("cannot write out.tar: File too large") &&
                             ContainsSubstring("variants turned, but not all tars were written"));
  CHECK(files(".") == std::set<std::string>{"in.tar"});
}

TEST_CASE_METHOD(cli::Workplace,
                 "Outcomes are told for each picture, and a sample that is too large by its size") {
  add("in.tar",
      tests::tar({{"a.jpg", jpeg}, {"a.npy", std::string(5 << 20, '\0')}, {"b.jpg", jpeg}}));
  const Result result = failed(
      {"augment", "in.tar", "-o", "out.tar", "--variants", "all", "--memory", "16MiB", "--json"});
  CHECK_THAT(result.err, ContainsSubstring("in.tar/a.npy: its sample needs 45 MiB of memory"));
  REQUIRE(result.out_lines().size() == 9);
  for (const std::string& line : result.out_lines()) {
    const auto json = nlohmann::json::parse(line);
    if (json["status"] == "failed") continue;
    CHECK(json["input"] == "in.tar/b.jpg");
    CHECK_THAT(json["output"].get<std::string>(), ContainsSubstring("out.tar/b__"));
  }
  CHECK(tar_of(*this, "out.tar").size() == 8);
}

TEST_CASE("What makes no sense with tars is refused before anything is read") {
  const Workplace workplace;
  workplace.add("in.tar", tests::tar(data));
  workplace.add("a.jpg", jpeg);
  workplace.add("there.tar", "x");
  const auto refused = [&](std::vector<std::string> words) {
    const Result result = workplace.refused(std::move(words));
    return result.err;
  };
  CHECK_THAT(refused({"cw", "in.tar", "--in-place"}), ContainsSubstring("not turned in place"));
  CHECK_THAT(refused({"cw", "in.tar", "a.jpg", "-o", "out.tar"}),
             ContainsSubstring("in.tar is a tar, and a.jpg is not"));
  CHECK_THAT(refused({"cw", "in.tar", "absent.tar", "-o", "out.tar"}),
             ContainsSubstring("cannot read absent.tar: No such file"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "there.tar"}), ContainsSubstring("exists already"));
  for (const std::string name : {"out.tgz", "out.tar.gz", "out.TAR", "out.tar.zst"})
    CHECK_THAT(refused({"cw", "in.tar", "-o", name}), ContainsSubstring("written uncompressed"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "a.jpg/out.tar"}), ContainsSubstring("a.jpg"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "o.tar", "--others", "copy", "--labels", "none"}),
             ContainsSubstring("leave out one"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "in.tar", "--overwrite"}),
             ContainsSubstring("is an input as well"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "o.tar", "--tar-size", "1MB", "--update"}),
             ContainsSubstring("whole tars"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "-", "--verify"}), ContainsSubstring("--verify"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "o.tar", "--believe", "sidecar"}),
             ContainsSubstring("--believe"));
  CHECK_THAT(refused({"cw", "in.tar", "-o", "o.tar", "--base", "in"}), ContainsSubstring("--base"));
  CHECK_THAT(refused({"check", "in.tar", "--html", "x.html"}),
             ContainsSubstring("unpack them first"));
}

TEST_CASE_METHOD(cli::Workplace, "A dry run says what a tar becomes, and writes nothing") {
  add("in.tar", tests::tar(data));
  const Result planned = done({"cw", "in.tar", "-o", "out.tar", "--dry-run"});
  CHECK_THAT(planned.out,
             ContainsSubstring("in.tar/x/a.jpg -> out.tar/x/a.jpg (rotate90, losslessly, with "
                               "in.tar/x/a.txt -> out.tar/x/a.txt") &&
                 ContainsSubstring("with in.tar/x/a.mask.png -> out.tar/x/a.mask.png") &&
                 ContainsSubstring("in.tar/x/b.png -> out.tar/x/b.png"));
  CHECK(!exists("out.tar"));
  // A name may come again in another output.
  add("more/in.tar", tests::tar(data));
  add("more/other.tar", tests::tar(data));
  done({"cw", "more/in.tar", "more/other.tar", "-o", "out", "--dry-run"});
  CHECK(!exists("out"));

  add("bad.tar", tests::tar({{"a.jpg", jpeg.substr(0, 20)}, {"a.png", png}, {"b.png", png}}));
  const Result bad = failed({"cw", "bad.tar", "-o", "out.tar", "--dry-run", "--json"});
  CHECK_THAT(bad.err, ContainsSubstring("bad.tar/a.jpg: "));
  std::vector<std::string> states;
  for (const std::string& line : bad.out_lines())
    states.push_back(nlohmann::json::parse(line)["status"]);
  CHECK(states == std::vector<std::string>{"failed", "failed", "planned"});
  add("boxes.tar", tests::tar({{"a.png", png}, {"a.json", R"({"x": 1, "y": 2, "w": 3})"}}));
  refused({"cw", "boxes.tar", "-o", "out.tar", "--dry-run"});
  standard_input = tests::tar(data);
  CHECK_THAT(refused({"cw", "-", "-o", "out.tar", "--dry-run"}).err,
             ContainsSubstring("--dry-run would use up standard input"));
}

TEST_CASE("With --verify each result of a tar is proved, and then the tar on the disk") {
  cli::Workplace workplace;
  workplace.add("in.tar", tests::tar(data));
  workplace.done({"cw", "in.tar", "-o", "plain.tar"});
  workplace.done({"cw", "in.tar", "-o", "proved.tar", "--verify"});
  CHECK(workplace.content("plain.tar") == workplace.content("proved.tar"));
  workplace.done({"cw", "in.tar", "-o", "files", "--unpack", "--verify"});
  workplace.standard_input = workplace.content("in.tar");
  workplace.done({"cw", "-", "-o", "piped.tar", "--verify"});

  workplace.environment = cli::Workplace::on_disturbed_disk({{"QTURN_TEST_SPOIL", "out.tar"}});
  const Result spoiled = workplace.failed({"cw", "in.tar", "-o", "out.tar", "--verify"});
  CHECK_THAT(spoiled.err,
             ContainsSubstring("out.tar was rejected, because it is wrong on the disk"));
  CHECK(!workplace.exists("out.tar"));
  const Result packed = workplace.failed({"cw", "files", "-o", "out.tar", "--verify"});
  CHECK_THAT(packed.err, ContainsSubstring("out.tar was rejected"));
  CHECK(!workplace.exists("out.tar"));
  workplace.environment = cli::Workplace::on_disturbed_disk({{"QTURN_TEST_SPOIL", "a.jpg"}});
  const Result unpacked =
      workplace.failed({"cw", "in.tar", "-o", "spoiled", "--unpack", "--verify"});
  CHECK_THAT(unpacked.err, ContainsSubstring("in.tar/x/a.jpg: the result was rejected"));
  CHECK(!workplace.exists("spoiled/x/a.jpg"));
}

TEST_CASE_METHOD(cli::Workplace,
                 "Tars that exist are left alone, or only those that are up to date") {
  add("in/0.tar", tests::tar(data));
  add("in/1.tar", tests::tar(data));
  done({"cw", "in/0.tar", "-o", "out"});
  const std::string old = "old";
  add("out/0.tar", old);
  const Result skipped = done({"cw", "in/0.tar", "in/1.tar", "-o", "out", "--skip-existing"});
  CHECK_THAT(skipped.err, ContainsSubstring("left alone, because it exists: out/0.tar"));
  CHECK(content("out/0.tar") == old);
  const std::string turned = content("out/1.tar");
  CHECK(tests::members_of(turned).size() == data.size());
  CHECK_THAT(done({"cw", "in/0.tar", "in/1.tar", "-o", "out", "--update"}).err,
             ContainsSubstring("left alone, because it is up to date: out/1.tar"));
  CHECK(content("out/0.tar") == old);
  fs::last_write_time(path() / "in/0.tar",
                      fs::last_write_time(path() / "out/0.tar") + std::chrono::seconds(2));
  done({"cw", "in/0.tar", "in/1.tar", "-o", "out", "--update"});
  CHECK(content("out/0.tar") == turned);
}

TEST_CASE_METHOD(cli::Workplace,
                 "With --unpack, pictures that exist are left alone, or only those up to date") {
  const cli::Words unpacked = {"augment", "in.tar", "-o", "out", "--unpack", "--variants", "flop"};
  add("in.tar", tests::tar(data));
  done(unpacked);
  const auto all = tree("out");
  fs::remove(path() / "out/x/b__flop.png");
  CHECK_THAT(failed(cli::with(unpacked, {"--skip-existing"})).err,
             ContainsSubstring("out/x/b__flop.json exists, but not all that belongs to it"));
  fs::remove(path() / "out/x/b__flop.json");
  add("out/x/a__flop.jpg", "old");
  const auto left = done(cli::with(unpacked, {"--skip-existing", "--json"}));
  CHECK_THAT(left.err, ContainsSubstring("2 left alone because the output exists"));
  std::map<std::string, std::string> states;
  for (const std::string& line : left.out_lines()) {
    const auto json = nlohmann::json::parse(line);
    states[json["output"]] = json["status"];
  }
  CHECK(states == std::map<std::string, std::string>{{"out/x/a__flop.jpg", "skipped"},
                                                     {"out/x/b__flop.png", "done"},
                                                     {"out/x/c.d/e__flop.jpg", "skipped"}});
  CHECK(content("out/x/a__flop.jpg") == "old");
  CHECK_THAT(done(cli::with(unpacked, {"--update"})).err, ContainsSubstring("3 left alone"));
  fs::last_write_time(path() / "out/x/a__flop.jpg",
                      fs::last_write_time(path() / "in.tar") - std::chrono::seconds(2));
  CHECK_THAT(done(cli::with(unpacked, {"--update", "--dry-run"})).out,
             ContainsSubstring("e__flop.jpg (left alone: the output exists"));
  CHECK_THAT(done(cli::with(unpacked, {"--update"})).err, ContainsSubstring("2 left alone"));
  CHECK(tree("out") == all);
}

TEST_CASE_METHOD(cli::Workplace, "A list may name tars, which are turned or checked as inputs") {
  add("in/0.tar", tests::tar(data));
  add("in/1.tar", tests::tar(data));
  add("list", "in/0.tar\nin/1.tar\n");
  done({"cw", "--files-from", "list", "-o", "out"});
  done({"cw", "in/0.tar", "in/1.tar", "-o", "same"});
  CHECK(tree("out") == tree("same"));
  CHECK_THAT(done({"check", "--files-from", "list"}).err, ContainsSubstring("8 pictures checked"));
  add("mixed", "in/0.tar\na.png\n");
  add("a.png", png);
  CHECK_THAT(refused({"cw", "--files-from", "mixed", "-o", "o"}).err,
             ContainsSubstring("in/0.tar is a tar, and a.png is not"));
}

TEST_CASE_METHOD(cli::Workplace, "check finds in a tar what it finds in its files") {
  const std::string xmp = qturn::tests::xmp_packet_with("tiff:Orientation='6'");
  const Members members = {
      {"x/a.jpg", jpeg},    {"x/b.jpg", cli::tagged_jpeg(cli::smooth_picture(64, 48), 8)},
      {"x/b.xmp", xmp},     {"x/c.jpg", jpeg.substr(0, jpeg.size() * 2 / 3)},
      {"x/d.txt", "prose"}, {"x/e.png", jpeg}};
  add("in.tar", tests::tar(members));
  for (const auto& [name, content] : members) add("in/" + name, content);
  const auto findings = [&](const std::string& input, std::vector<std::string> words) {
    words.insert(words.begin(), {"check", input, "--json"});
    std::set<std::string> lines;
    for (const std::string& text : failed(words).out_lines()) {
      auto line = nlohmann::json::parse(text);
      line["input"] = std::string(line["input"]).substr(input.size());
      lines.insert(line.dump());
    }
    return lines;
  };
  const auto of_tar = findings("in.tar", {});
  CHECK(of_tar.size() == 4);
  CHECK(of_tar == findings("in", {}));
  CHECK(findings("in.tar", {"--quick"}) == findings("in", {"--quick"}));
  refused({"check", "in.tar", "--include", "*.tif"}, "no pictures to check");
  add("cut.tar", tests::tar({{"a.jpg", jpeg}}).substr(0, 700));
  CHECK_THAT(failed({"check", "cut.tar"}).err, ContainsSubstring("cut.tar: is damaged or cut"));
}

TEST_CASE_METHOD(cli::Workplace, "With --labels none, --sidecars keeps the XMP of a sample") {
  add("in.tar", tests::tar({{"a.jpg", jpeg},
                            {"a.txt", yolo},
                            {"a.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='1'")}}));
  done({"cw", "in.tar", "-o", "out.tar", "--labels", "none", "--sidecars"});
  CHECK(names_of(tar_of(*this, "out.tar")) == std::vector<std::string>{"a.jpg", "a.xmp"});
}

}  // namespace tar_test
