// Which files are taken: folders, lists, globs, links, hidden entries, strange names.
#include <sys/stat.h>

#include <map>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace inputs_test {

using namespace cli;

namespace {

const std::string picture = png(random_picture(4, 3));

void add_pictures(const Workplace& workplace, const Names& names) {
  for (const std::string& name : names) workplace.add(name, picture);
}

}  // namespace

TEST_CASE_METHOD(Workplace, "The contents of one folder go straight under the output") {
  add_pictures(*this, {"photos/a.png", "photos/x/b.png", "photos/x/y/c.png"});
  done({"cw", "photos/", "-o", "out"});
  CHECK(files("out") == Names{"a.png", "x/b.png", "x/y/c.png"});
}

TEST_CASE_METHOD(Workplace,
                 "Several folders go under their base names, named files under their own") {
  add_pictures(*this, {"deep/one/a.png", "two/a.png", "there/c.png"});
  done({"cw", "deep/one", "two", "there/c.png", "-o", "out"});
  CHECK(files("out") == Names{"one/a.png", "two/a.png", "c.png"});
}

TEST_CASE_METHOD(Workplace, "Two folders with one base name are refused") {
  add_pictures(*this, {"x/one/a.png", "y/one/b.png"});
  CHECK(refused({"cw", "x/one", "y/one", "-o", "out"}).err ==
        "qturn: x/one and y/one would both be written under out/one; run them one after the other, "
        "each with its own output\n");
}

TEST_CASE_METHOD(Workplace, "A missing input is named, and nothing is started") {
  add_pictures(*this, {"a.png"});
  CHECK(refused({"cw", "a.png", "missing.png", "-o", "out"}).err ==
        "qturn: missing.png: No such file or directory\n");
}

TEST_CASE_METHOD(Workplace,
                 "A named file that is not a picture is a failure; the others are done") {
  add_pictures(*this, {"a.png"});
  add("in/b.txt", "text");
  const std::string complaint = "qturn: in/b.txt: not a picture in a format that qturn reads\n";
  const Result result = failed({"cw", "a.png", "in/b.txt", "-o", "out"});
  CHECK_THAT(result.err, StartsWith(complaint));
  CHECK_THAT(result.err,
             ContainsSubstring("1 of 2 pictures written (1 re-encoded without loss), 1 failed"));
  CHECK(files("out") == Names{"a.png"});
  CHECK(failed({"check", "a.png", "in/b.txt", "-q"}).err == complaint);
  // In a folder, such files are counted; and what is copied is taken.
  done({"cw", "a.png", "in", "-o", "out2", "-q"});
  done({"cw", "a.png", "in/b.txt", "-o", "out3", "--others", "copy", "-q"});
  CHECK(files("out3") == Names{"a.png", "b.txt"});
}

TEST_CASE_METHOD(Workplace, "A folder without pictures is refused, with what was found instead") {
  add("in/a.txt", "text");
  add("in/b.txt", "text");
  CHECK(refused({"cw", "in", "-o", "out"}).err == "qturn: no pictures in in; found only 2 .txt\n");
  fs::create_directory(path() / "empty");
  CHECK(refused({"cw", "empty", "-o", "out"}).err == "qturn: no pictures in empty\n");
}

TEST_CASE_METHOD(Workplace, "Option --files-from takes a list from a file or from standard input") {
  add_pictures(*this, {"x/a.png", "x/b b.png", "c.png"});
  add("list", "x/a.png\nx/b b.png\n\nc.png");
  done({"cw", "--files-from", "list", "-o", "out"});
  CHECK(files("out") == Names{"x/a.png", "x/b b.png", "c.png"});

  standard_input = "./x/./a.png\n";
  done({"cw", "--files-from", "-", "-o", "piped"});
  CHECK(files("piped") == Names{"x/a.png"});
}

TEST_CASE_METHOD(
    Workplace, "Option -0 separates the names of a list by NUL, so that a newline can be in one") {
  add_pictures(*this, {"two\nlines.png", "b.png"});
  standard_input = std::string("two\nlines.png\0b.png\0", 20);
  done({"cw", "--files-from", "-", "-0", "-o", "out"});
  CHECK(files("out") == Names{"two\nlines.png", "b.png"});
  done({"cw", "--files-from", "-", "--null", "-o", "again"});
}

TEST_CASE("Lists are refused if a path has no place under the output") {
  Workplace workplace;
  add_pictures(workplace, {"in/a.png", "b.png"});
  const std::string absolute = (workplace.path() / "in/a.png").string();
  const auto reason = [&](const std::string& list, const Words& more = {}) {
    workplace.standard_input = list;
    return workplace.refused(with({"cw", "--files-from", "-", "-o", "out"}, more)).err;
  };
  CHECK(reason(absolute) ==
        "qturn: " + absolute +
            ": is absolute; say with --base which part of the path to leave out\n");
  CHECK_THAT(reason(absolute, {"--base", "elsewhere"}),
             ContainsSubstring("does not lie under the base elsewhere"));
  CHECK_THAT(reason("in"), ContainsSubstring("in: is a folder; a list takes files only"));
  CHECK_THAT(reason("in/../../b.png"), ContainsSubstring("b.png"));
  CHECK_THAT(reason("missing.png"), ContainsSubstring("missing.png: No such file or directory"));
  CHECK_THAT(reason(""), StartsWith("qturn: no input files"));
  CHECK(workplace.refused({"cw", "--files-from", "nowhere", "-o", "out"}).err ==
        "qturn: nowhere: cannot read this list of files\n");
}

TEST_CASE_METHOD(Workplace,
                 "Option --base says which part of absolute paths in a list to leave out") {
  add_pictures(*this, {"in/x/a.png"});
  standard_input = (path() / "in/x/a.png").string() + "\n";
  const std::string base = (path() / "in").string();
  done({"cw", "--files-from", "-", "--base", base, "-o", "out"});
  CHECK(files("out") == Names{"x/a.png"});
  done({"cw", "--files-from", "-", "--base", "in/", "-o", "out2"});
  CHECK(files("out2") == Names{"x/a.png"});
}

TEST_CASE_METHOD(Workplace,
                 "Option --include and --exclude choose by name or by path, and can be repeated") {
  add_pictures(*this, {"in/a.png", "in/b.png", "in/c.tif", "in/x/a.png", "in/y/a.png"});
  const auto taken = [&](Words more) {
    const Words words = with({"cw", "in", "-o", "out", "--overwrite"}, more);
    fs::remove_all(path() / "out");
    done(words);
    return files("out");
  };
  CHECK(taken({"--include", "*.tif"}) == Names{"c.tif"});
  CHECK(taken({"--include", "b.*", "--include", "c.*"}) == Names{"b.png", "c.tif"});
  CHECK(taken({"--include", "x/*"}) == Names{"x/a.png"});
  CHECK(taken({"--exclude", "a.png"}) == Names{"b.png", "c.tif"});
  CHECK(taken({"--exclude", "x", "--exclude", "*.tif"}) == Names{"a.png", "b.png", "y/a.png"});
  CHECK(taken({"--include", "a.png", "--exclude", "y/*"}) == Names{"a.png", "x/a.png"});

  CHECK(refused({"cw", "in", "-o", "none", "--include", "*.bmp"}).err ==
        "qturn: no pictures in in; left out by patterns: 5\n");
}

TEST_CASE_METHOD(Workplace, "Hidden entries and what programs keep for themselves need --hidden") {
  const Names hidden = {".a.png", ".x/b.png", "@eaDir/c.png", "d.photoslibrary/d.png",
                        "e.lrdata/e.png"};
  for (const std::string& name : hidden) add("in/" + name, picture);
  add_pictures(*this, {"in/shown.png"});
  done({"cw", "in", "-o", "out"});
  CHECK(files("out") == Names{"shown.png"});
  done({"cw", "in", "-o", "all", "--hidden"});
  Names all = hidden;
  all.insert("shown.png");
  CHECK(files("all") == all);
}

TEST_CASE_METHOD(Workplace, "Symbolic links in folders need --follow, and a loop of them ends") {
  add_pictures(*this, {"in/a.png", "else/b.png"});
  fs::create_symlink("../else/b.png", path() / "in/link.png");
  fs::create_directory_symlink("../else", path() / "in/folder");
  fs::create_directory_symlink("..", path() / "else/loop");
  fs::create_directory_symlink(".", path() / "in/self");

  const Result plain = done({"cw", "in", "-o", "out"});
  CHECK(files("out") == Names{"a.png"});
  CHECK_THAT(plain.err,
             ContainsSubstring("left out, because they are not pictures: 3 symbolic link"));

  const Result followed =
      done({"cw", "in", "-o", "followed", "--follow", "--exclude", "out", "--exclude", "loop"});
  CHECK(files("followed") == Names{"a.png", "link.png", "folder/b.png"});
  CHECK_THAT(followed.err, ContainsSubstring("1 symbolic link in a loop"));

  fs::create_symlink("round.png", path() / "in/round.png");
  failed({"cw", "in", "-o", "round", "--follow", "--exclude", "self", "--exclude", "folder"},
         "in/round.png: Too many levels of symbolic links");
  CHECK(files("round") == Names{"a.png", "link.png"});
}

TEST_CASE_METHOD(
    Workplace,
    "Other files are counted by type, or copied along byte for byte with --others copy") {
  add_pictures(*this, {"in/a.png"});
  add("in/notes.txt", "notes");
  add("in/x/data.csv", "1,2");
  add("in/x/more.csv", "3,4");
  add("in/Makefile", "all:");
  add("in/a.nef", "raw");
  ::mkfifo((path() / "in/pipe").c_str(), 0600);

  const Result counted = done({"cw", "in", "-o", "out"});
  CHECK(files("out") == Names{"a.png"});
  CHECK_THAT(
      counted.err,
      ContainsSubstring(
          "qturn: left out, because they are not pictures: 2 .csv, 1 .txt, 1 fifo, 1 no suffix\n"));
  CHECK_THAT(counted.err,
             ContainsSubstring("qturn: left out, because they are camera raw files: 1 .nef; --raw "
                               "--tag-only changes their orientation tag\n"));
  done({"cw", "in", "-o", "same", "--others", "count"});

  done({"cw", "in", "-o", "copied", "--others", "copy"});
  CHECK(files("copied") ==
        Names{"a.png", "a.nef", "notes.txt", "x/data.csv", "x/more.csv", "Makefile"});
  CHECK(content("copied/x/data.csv") == "1,2");
}

TEST_CASE_METHOD(Workplace,
                 "Names keep every byte: spaces, signs, newlines, bytes that are not UTF-8") {
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
  for (const std::string& name : names) add("in/" + name, picture);
  const Result result = done({"cw", "in", "-o", "out", "-v"});
  CHECK(files("out") == names);
  CHECK_THAT(result.err, ContainsSubstring("in/two\\x0alines.png -> out/two\\x0alines.png"));
  // Another way to write the sequence that Escape begins, and text from right to left.
  CHECK_THAT(result.err, ContainsSubstring("in/c1\\u009b31m.png -> ") &&
                             ContainsSubstring("in/bidi\\u202egnp.png -> ") &&
                             ContainsSubstring("in/caf\\xe9.png -> ") &&
                             ContainsSubstring("in/\xc3\xa9t\xc3\xa9.png -> "));

  // Named one by one; a name that looks like an option comes after "--" or with its folder.
  done({"cw", "in/*.png", "in/[1].png", "in/-rf.png", "-o", "named"});
  CHECK(files("named") == Names{"*.png", "[1].png", "-rf.png"});
  add("-rf.png", picture);
  done({"cw", "in/[1].png", "-o", "dashed", "--", "-rf.png"});
  CHECK(files("dashed") == Names{"-rf.png", "[1].png"});
}

TEST_CASE_METHOD(
    Workplace,
    "A folder that cannot be read is named, the rest is done, and the exit status is 1") {
  without_privileges = true;
  add_pictures(*this, {"in/a.png", "in/closed/b.png"});
  ::chmod((path() / "in/closed").c_str(), 0);
  const Result result = qturn({"cw", "in", "-o", "out"});
  ::chmod((path() / "in/closed").c_str(), 0700);
  if (exists("out/closed/b.png")) SKIP("this user may look into every folder");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("qturn: in/closed: Permission denied\n"));
  CHECK(files("out") == Names{"a.png"});
}

TEST_CASE_METHOD(Workplace, "Names may be as long as the file system permits") {
  constexpr std::size_t longest = 255;
  const std::string jpeg = cli::jpeg(smooth_picture(64, 48));
  Names images;
  for (std::size_t length = 240; length <= longest; ++length) {
    const std::string two_bytes = "\xc3\xa9";
    std::string accents(length % 2 == 0 ? "" : "e");
    while (accents.size() + two_bytes.size() + 4 <= length) accents += two_bytes;
    const std::map<std::string, std::string> names = {
        {std::string(length - 4, 'p') + ".png", picture},
        {std::string(length - 4, 'j') + ".jpg", jpeg},
        {std::string(length - 4, 't') + ".tif", encoded(random_picture(4, 3), qturn::tiff::codec)},
        {accents + ".jpg", jpeg}};
    for (const auto& [name, content] : names) {
      add("in/images/" + name, content);
      images.insert("images/" + name);
      if (!name.ends_with(".jpg")) continue;
      const std::string label = "labels/" + name.substr(0, name.size() - 4) + ".txt";
      add("in/" + label, "0 0.25 0.5 0.1 0.2\n");
      images.insert(label);
    }
  }
  done({"cw", "in", "-o", "out", "--verify", "--sidecars"});
  CHECK(files("out") == images);
  done({"check", "in"});
  done({"check", "--against", "in", "out"});
  const auto before = tree("in");
  done({"cw", "in", "--in-place", "--backup", "kept", "--sidecars"});
  CHECK(tree("in") == tree("out"));
  done({"restore", run_in("kept")});
  CHECK(tree("in") == before);
  done({"cw", "in", "-o", "out.tar"});
}

}  // namespace inputs_test
