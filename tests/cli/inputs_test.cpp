// Which files are taken: folders, lists, globs, links, hidden entries, strange names.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli::Result;
using cli::Workplace;
using Names = std::set<std::string>;

namespace {

const std::string picture = cli::png(cli::random_picture(4, 3));

void add_pictures(const Workplace& workplace, const Names& names) {
  for (const std::string& name : names) workplace.add(name, picture);
}

}  // namespace

TEST_CASE("The contents of one folder go straight under the output") {
  Workplace workplace;
  add_pictures(workplace, {"photos/a.png", "photos/x/b.png", "photos/x/y/c.png"});
  CHECK(workplace.qturn({"cw", "photos/", "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"a.png", "x/b.png", "x/y/c.png"});
}

TEST_CASE("Several folders go under their base names, named files under their own") {
  Workplace workplace;
  add_pictures(workplace, {"deep/one/a.png", "two/a.png", "there/c.png"});
  CHECK(workplace.qturn({"cw", "deep/one", "two", "there/c.png", "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"one/a.png", "two/a.png", "c.png"});
}

TEST_CASE("Two folders with one base name are refused") {
  Workplace workplace;
  add_pictures(workplace, {"x/one/a.png", "y/one/b.png"});
  const Result result = workplace.qturn({"cw", "x/one", "y/one", "-o", "out"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "qturn: x/one and y/one would both be written under out/one; run them one after the "
        "other, each with its own output\n");
}

TEST_CASE("A missing input is named, and nothing is started") {
  Workplace workplace;
  add_pictures(workplace, {"a.png"});
  const Result result = workplace.qturn({"cw", "a.png", "missing.png", "-o", "out"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "qturn: missing.png: No such file or directory\n");
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("A named file that is not a picture is a failure; the others are done") {
  Workplace workplace;
  add_pictures(workplace, {"a.png"});
  workplace.add("in/b.txt", "text");
  const std::string complaint = "qturn: in/b.txt: not a picture in a format that qturn reads\n";
  const Result result = workplace.qturn({"cw", "a.png", "in/b.txt", "-o", "out"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, StartsWith(complaint));
  CHECK_THAT(result.err, ContainsSubstring("1 of 2 pictures written, 1 failed"));
  CHECK(workplace.files("out") == Names{"a.png"});
  const Result checked = workplace.qturn({"check", "a.png", "in/b.txt", "-q"});
  CHECK(checked.exit_code == 1);
  CHECK(checked.err == complaint);
  // In a folder, such files are counted; and what is copied is taken.
  CHECK(workplace.qturn({"cw", "a.png", "in", "-o", "out2", "-q"}).exit_code == 0);
  CHECK(workplace.qturn({"cw", "a.png", "in/b.txt", "-o", "out3", "--others", "copy", "-q"})
            .exit_code == 0);
  CHECK(workplace.files("out3") == Names{"a.png", "b.txt"});
}

TEST_CASE("A folder without pictures is refused, with what was found instead") {
  Workplace workplace;
  workplace.add("in/a.txt", "text");
  workplace.add("in/b.txt", "text");
  const Result result = workplace.qturn({"cw", "in", "-o", "out"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "qturn: no pictures in in; found only 2 .txt\n");
  fs::create_directory(workplace.path() / "empty");
  const Result empty = workplace.qturn({"cw", "empty", "-o", "out"});
  CHECK(empty.exit_code == 2);
  CHECK(empty.err == "qturn: no pictures in empty\n");
}

TEST_CASE("Option --files-from takes a list from a file or from standard input") {
  Workplace workplace;
  add_pictures(workplace, {"x/a.png", "x/b b.png", "c.png"});
  workplace.add("list", "x/a.png\nx/b b.png\n\nc.png");
  CHECK(workplace.qturn({"cw", "--files-from", "list", "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"x/a.png", "x/b b.png", "c.png"});

  workplace.standard_input = "./x/./a.png\n";
  CHECK(workplace.qturn({"cw", "--files-from", "-", "-o", "piped"}).exit_code == 0);
  CHECK(workplace.files("piped") == Names{"x/a.png"});
}

TEST_CASE("Option -0 separates the names of a list by NUL, so that a newline can be in one") {
  Workplace workplace;
  add_pictures(workplace, {"two\nlines.png", "b.png"});
  workplace.standard_input = std::string("two\nlines.png\0b.png\0", 20);
  CHECK(workplace.qturn({"cw", "--files-from", "-", "-0", "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"two\nlines.png", "b.png"});
  CHECK(workplace.qturn({"cw", "--files-from", "-", "--null", "-o", "again"}).exit_code == 0);
}

TEST_CASE("Lists are refused if a path has no place under the output") {
  Workplace workplace;
  add_pictures(workplace, {"in/a.png", "b.png"});
  const std::string absolute = (workplace.path() / "in/a.png").string();
  const auto refused = [&](const std::string& list, std::vector<std::string> more = {}) {
    workplace.standard_input = list;
    std::vector<std::string> words = {"cw", "--files-from", "-", "-o", "out"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == 2);
    CHECK_FALSE(workplace.exists("out"));
    return result.err;
  };
  CHECK(refused(absolute) ==
        "qturn: " + absolute + ": is absolute; --base says which part of it to leave off\n");
  CHECK_THAT(refused(absolute, {"--base", "elsewhere"}),
             ContainsSubstring("does not lie under the base elsewhere"));
  CHECK_THAT(refused("in"), ContainsSubstring("in: is a folder; a list takes files only"));
  CHECK_THAT(refused("in/../../b.png"), ContainsSubstring("b.png"));
  CHECK_THAT(refused("missing.png"), ContainsSubstring("missing.png: No such file or directory"));
  CHECK_THAT(refused(""), StartsWith("qturn: no input files"));
  const Result no_list = workplace.qturn({"cw", "--files-from", "nowhere", "-o", "out"});
  CHECK(no_list.exit_code == 2);
  CHECK(no_list.err == "qturn: nowhere: cannot read this list of files\n");
}

TEST_CASE("Option --base says which part of absolute paths in a list to leave out") {
  Workplace workplace;
  add_pictures(workplace, {"in/x/a.png"});
  workplace.standard_input = (workplace.path() / "in/x/a.png").string() + "\n";
  const std::string base = (workplace.path() / "in").string();
  CHECK(workplace.qturn({"cw", "--files-from", "-", "--base", base, "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"x/a.png"});
  CHECK(workplace.qturn({"cw", "--files-from", "-", "--base", "in/", "-o", "out2"}).exit_code == 0);
  CHECK(workplace.files("out2") == Names{"x/a.png"});
}

TEST_CASE("Option --include and --exclude choose by name or by path, and can be repeated") {
  Workplace workplace;
  add_pictures(workplace, {"in/a.png", "in/b.png", "in/c.tif", "in/x/a.png", "in/y/a.png"});
  const auto taken = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"cw", "in", "-o", "out", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    fs::remove_all(workplace.path() / "out");
    CHECK(workplace.qturn(words).exit_code == 0);
    return workplace.files("out");
  };
  CHECK(taken({"--include", "*.tif"}) == Names{"c.tif"});
  CHECK(taken({"--include", "b.*", "--include", "c.*"}) == Names{"b.png", "c.tif"});
  CHECK(taken({"--include", "x/*"}) == Names{"x/a.png"});
  CHECK(taken({"--exclude", "a.png"}) == Names{"b.png", "c.tif"});
  CHECK(taken({"--exclude", "x", "--exclude", "*.tif"}) == Names{"a.png", "b.png", "y/a.png"});
  CHECK(taken({"--include", "a.png", "--exclude", "y/*"}) == Names{"a.png", "x/a.png"});

  const Result nothing = workplace.qturn({"cw", "in", "-o", "none", "--include", "*.bmp"});
  CHECK(nothing.exit_code == 2);
  CHECK(nothing.err == "qturn: no pictures in in; left out by patterns: 5\n");
}

TEST_CASE("Hidden entries and what programs keep for themselves need --hidden") {
  Workplace workplace;
  const Names hidden = {".a.png", ".x/b.png", "@eaDir/c.png", "d.photoslibrary/d.png",
                        "e.lrdata/e.png"};
  for (const std::string& name : hidden) workplace.add("in/" + name, picture);
  add_pictures(workplace, {"in/shown.png"});
  CHECK(workplace.qturn({"cw", "in", "-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"shown.png"});
  CHECK(workplace.qturn({"cw", "in", "-o", "all", "--hidden"}).exit_code == 0);
  Names all = hidden;
  all.insert("shown.png");
  CHECK(workplace.files("all") == all);
}

TEST_CASE("Symbolic links in folders need --follow, and a loop of them ends") {
  Workplace workplace;
  add_pictures(workplace, {"in/a.png", "else/b.png"});
  fs::create_symlink("../else/b.png", workplace.path() / "in/link.png");
  fs::create_directory_symlink("../else", workplace.path() / "in/folder");
  fs::create_directory_symlink("..", workplace.path() / "else/loop");
  fs::create_directory_symlink(".", workplace.path() / "in/self");

  const Result plain = workplace.qturn({"cw", "in", "-o", "out"});
  CHECK(plain.exit_code == 0);
  CHECK(workplace.files("out") == Names{"a.png"});
  CHECK_THAT(plain.err,
             ContainsSubstring("left out, because they are not pictures: 3 symbolic link"));

  const Result followed = workplace.qturn(
      {"cw", "in", "-o", "followed", "--follow", "--exclude", "out", "--exclude", "loop"});
  CHECK(followed.exit_code == 0);
  CHECK(workplace.files("followed") == Names{"a.png", "link.png", "folder/b.png"});
  CHECK_THAT(followed.err, ContainsSubstring("1 symbolic link in a loop"));

  fs::create_symlink("round.png", workplace.path() / "in/round.png");
  const Result round = workplace.qturn(
      {"cw", "in", "-o", "round", "--follow", "--exclude", "self", "--exclude", "folder"});
  CHECK(round.exit_code == 1);
  CHECK_THAT(round.err, ContainsSubstring("in/round.png: Too many levels of symbolic links"));
  CHECK(workplace.files("round") == Names{"a.png", "link.png"});
}

TEST_CASE("Other files are counted by type, or copied along byte for byte with --others copy") {
  Workplace workplace;
  add_pictures(workplace, {"in/a.png"});
  workplace.add("in/notes.txt", "notes");
  workplace.add("in/x/data.csv", "1,2");
  workplace.add("in/x/more.csv", "3,4");
  workplace.add("in/Makefile", "all:");
  workplace.add("in/a.nef", "raw");
  ::mkfifo((workplace.path() / "in/pipe").c_str(), 0600);

  const Result counted = workplace.qturn({"cw", "in", "-o", "out"});
  CHECK(counted.exit_code == 0);
  CHECK(workplace.files("out") == Names{"a.png"});
  CHECK_THAT(
      counted.err,
      ContainsSubstring(
          "qturn: left out, because they are not pictures: 2 .csv, 1 .txt, 1 fifo, 1 no suffix\n"));
  CHECK_THAT(counted.err,
             ContainsSubstring("qturn: left out, because they are camera raw files, whose "
                               "orientation tag --raw --tag-only changes: 1 .nef\n"));
  CHECK(workplace.qturn({"cw", "in", "-o", "same", "--others", "count"}).exit_code == 0);

  const Result copied = workplace.qturn({"cw", "in", "-o", "copied", "--others", "copy"});
  CHECK(copied.exit_code == 0);
  CHECK(workplace.files("copied") ==
        Names{"a.png", "a.nef", "notes.txt", "x/data.csv", "x/more.csv", "Makefile"});
  CHECK(workplace.content("copied/x/data.csv") == "1,2");
}

TEST_CASE("Names keep every byte: spaces, signs, newlines, bytes that are not UTF-8") {
  Workplace workplace;
  const Names names = {"a b.png",
                       "50%.png",
                       "[1].png",
                       "#2.png",
                       "@3.png",
                       "4%d.png",
                       "*.png",
                       "-rf.png",
                       "two\nlines.png",
                       "caf\xe9.png",
                       "\xc3\xa9t\xc3\xa9.png",
                       "c1\xc2\x9b"
                       "31m.png",
                       "bidi\xe2\x80\xaegnp.png",
                       "'\".png"};
  for (const std::string& name : names) workplace.add("in/" + name, picture);
  const Result result = workplace.qturn({"cw", "in", "-o", "out", "-v"});
  CHECK(result.exit_code == 0);
  CHECK(workplace.files("out") == names);
  CHECK_THAT(result.err, ContainsSubstring("in/two\\x0alines.png -> out/two\\x0alines.png"));
  // Another way to write the sequence that Escape begins, and text from right to left.
  CHECK_THAT(result.err, ContainsSubstring("in/c1\\u009b31m.png -> ") &&
                             ContainsSubstring("in/bidi\\u202egnp.png -> ") &&
                             ContainsSubstring("in/caf\\xe9.png -> ") &&
                             ContainsSubstring("in/\xc3\xa9t\xc3\xa9.png -> "));

  // Named one by one; the one that looks like an option comes after "--" or with its folder.
  CHECK(workplace.qturn({"cw", "in/*.png", "in/[1].png", "in/-rf.png", "-o", "named"}).exit_code ==
        0);
  CHECK(workplace.files("named") == Names{"*.png", "[1].png", "-rf.png"});
  workplace.add("-rf.png", picture);
  CHECK(workplace.qturn({"cw", "-o", "dashed", "--", "-rf.png"}).exit_code == 0);
  CHECK(workplace.files("dashed") == Names{"-rf.png"});
}

TEST_CASE("A folder that cannot be read is named, the rest is done, and the exit status is 1") {
  Workplace workplace;
  workplace.without_privileges = true;
  add_pictures(workplace, {"in/a.png", "in/closed/b.png"});
  ::chmod((workplace.path() / "in/closed").c_str(), 0);
  const Result result = workplace.qturn({"cw", "in", "-o", "out"});
  ::chmod((workplace.path() / "in/closed").c_str(), 0700);
  if (workplace.exists("out/closed/b.png")) SKIP("this user may look into every folder");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("qturn: in/closed: Permission denied\n"));
  CHECK(workplace.files("out") == Names{"a.png"});
}
