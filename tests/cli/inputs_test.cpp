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

TEST_CASE_METHOD(Workplace,
                 "Option --base says which part of absolute paths in a list to leave out") {
  add_pictures(*this, {"in/x/a.png"});
  const std::string absolute = path() / "in/x/a.png", base = path() / "in";
  standard_input = absolute + "\n";
  CHECK(refused({"cw", "--files-from", "-", "-o", "out"}).err ==
        "qturn: " + absolute +
            ": is absolute; say with --base which part of the path to leave out\n");
  done({"cw", "--files-from", "-", "--base", base, "-o", "out"});
  CHECK(files("out") == Names{"x/a.png"});
  done({"cw", "--files-from", "-", "--base", "in/", "-o", "out2"});
  CHECK(files("out2") == Names{"x/a.png"});

  standard_input = "";
  CHECK_THAT(refused({"cw", "--files-from", "-", "-o", "none"}).err,
             StartsWith("qturn: no input files"));
  CHECK(refused({"cw", "--files-from", "nowhere", "-o", "none"}).err ==
        "qturn: nowhere: cannot read this list of files\n");
}

TEST_CASE_METHOD(Workplace, "Option --include and --exclude can be repeated") {
  add_pictures(*this, {"in/a.png", "in/b.png", "in/c.tif", "in/d.png", "in/x/a.png"});
  done({"cw", "in", "-o", "out", "--include", "a.*", "--include", "[bc].*", "--exclude", "x",
        "--exclude", "*.tif"});
  CHECK(files("out") == Names{"a.png", "b.png"});
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
