// A disk that fails, and another program that saves a picture while ours turns it.
#include <sys/xattr.h>

#include "src/metadata/xmp.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace disturbed_test {

using namespace cli;
using qturn::tests::xmp_packet_with;

namespace {

const std::string packet = xmp_packet_with("tiff:Orientation='6'");
const std::string picture = jpeg(smooth_picture(64, 48));

/// With a picture and its sidecar, and a program for which `name` is set to `value`.
struct Disturbed : Workplace {
  Disturbed(const std::string& name, const std::string& value) {
    environment = Workplace::on_disturbed_disk({{name, value}});
    add("in/a.jpg", picture);
    add("in/a.xmp", packet);
  }
};

std::string orientation_in(const Workplace& workplace, const std::string& name) {
  return qturn::read_xmp(workplace.content(name)).orientation.value_or("none");
}

}  // namespace

TEST_CASE("What is in its place is done, also if its folder cannot be flushed") {
  for (const bool strict : {false, true}) {
    const Disturbed workplace("QTURN_TEST_FLUSH", "later");
    std::vector<std::string> words = {"cw", "in", "--in-place", "--sidecars"};
    if (strict) words.push_back("--strict");
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == (strict ? 1 : 0));
    for (const std::string name : {"in/a.jpg", "in/a.xmp"}) {
      CHECK_THAT(result.err,
                 ContainsSubstring("warning: in/a.jpg: " + name +
                                   " is written, but its folder could not be flushed to the disk "
                                   "(Input/output error); a power cut may undo it\n"));
    }
    CHECK_THAT(result.err, ContainsSubstring("1 of 1 picture written"));
    // A half turn: a quarter as the sidecar says, and another.
    CHECK(pixels_of(workplace.path() / "in/a.jpg").width == 64);
    CHECK(orientation_in(workplace, "in/a.xmp") == "1");
    CHECK(workplace.files("in") == Names{"a.jpg", "a.xmp"});
  }
}

TEST_CASE("Without a journal that is on the disk, nothing is started in place") {
  const Disturbed workplace("QTURN_TEST_FLUSH", "fails");
  CHECK(workplace.refused({"cw", "in", "--in-place"}).err ==
        "qturn: cannot write in/.qturn-journal: Input/output error\n");
  CHECK(workplace.content("in/a.jpg") == picture);
}

TEST_CASE("A manifest is written, also if its folder cannot be flushed") {
  const Disturbed workplace("QTURN_TEST_FLUSH", "fails");
  workplace.done({"augment", "in/a.jpg", "-o", "out", "--variants", "cw"},
                 "warning: out/manifest.jsonl is written, but");
  CHECK(workplace.exists("out/manifest.jsonl"));
}

TEST_CASE("What another program saves meanwhile is not replaced, and the picture is named") {
  for (const std::string edited : {"in/a.jpg", "in/a.xmp"}) {
    for (const bool in_place : {true, false}) {
      CAPTURE(edited, in_place);
      const Disturbed workplace("QTURN_TEST_EDIT", edited);
      std::vector<std::string> words = {"cw", "in/a.jpg", "--sidecars"};
      if (in_place) {
        words.push_back("--in-place");
      } else {
        words.insert(words.end(), {"-o", "out", "--fsync", "each"});
      }
      const Result result = workplace.failed(words);
      const std::string which = edited == "in/a.jpg" ? "" : "in/a.xmp ";
      const std::string then =
          which.empty() || in_place ? " and was left as it is" : ", so out/a.xmp is not written";
      CHECK_THAT(result.err, ContainsSubstring("qturn: in/a.jpg: " + which + "changed meanwhile" +
                                               then + "\n"));
      for (const std::string name : {"in/a.jpg", "in/a.xmp"}) {
        const std::string before = name == "in/a.jpg" ? picture : packet;
        const std::string found = workplace.content(name);
        CHECK(found.starts_with(before));
        CHECK((found != before) == (name == edited));
      }
      CHECK(workplace.files("in") == Names{"a.jpg", "a.xmp"});
      CHECK(workplace.files("out").empty());
    }
  }
}

TEST_CASE(
    "Metadata that cannot be kept is a warning that names the file, and fails under --strict") {
  const Disturbed workplace("QTURN_TEST_METADATA", "fails");
  fs::remove(workplace.path() / "in/a.xmp");
  const Result result = workplace.done({"cw", "in", "-o", "out"});
  const std::string sentence =
      "the mode and the times of out/a.jpg could not be set: Operation not permitted";
  CHECK_THAT(result.err, ContainsSubstring("qturn: warning: in/a.jpg: " + sentence + "\n"));
  CHECK(workplace.files("out") == Names{"a.jpg"});

  workplace.failed({"cw", "in/a.jpg", "-o", "strict", "--strict"},
                   "could not be set: Operation not permitted (--strict)\n");
  CHECK(workplace.files("strict").empty());
}

TEST_CASE("Attributes that the output's file system cannot hold are a warning") {
  const Disturbed workplace("QTURN_TEST_ATTRIBUTES", "unsupported");
  fs::remove(workplace.path() / "in/a.xmp");
  const fs::path in = workplace.path() / "in/a.jpg";
  if (::setxattr(in.c_str(), "user.rating", "5", 1, 0) != 0) SKIP("no attributes here");
  workplace.done(
      {"cw", "in", "-o", "out"},
      "warning: in/a.jpg: the attributes of out/a.jpg could not be set: Operation not supported\n");
}

TEST_CASE("A journal that cannot be begun leaves no file") {
  const Disturbed workplace("QTURN_TEST_FLUSH", "fails");
  workplace.refused({"cw", "in", "--in-place"});
  CHECK_FALSE(workplace.exists("in/.qturn-journal"));
  CHECK_FALSE(workplace.exists("in/.qturn-lock"));
}

TEST_CASE("A link that appears during the run is not followed") {
  for (const bool overwrites : {false, true}) {
    CAPTURE(overwrites);
    Workplace workplace;
    const auto png = [](int size) { return cli::png(random_picture(size, size)); };
    workplace.add("in/first.png", png(90));  // the largest is the first
    workplace.add("in/new/b.png", png(20));
    workplace.add("in/old/c.png", png(18));
    workplace.add("in/d.png", png(16));
    workplace.add("in/linked/e.png", png(14));
    workplace.add("out/old/x", "");
    fs::create_directories(workplace.path() / "elsewhere/old");
    fs::create_directories(workplace.path() / "mine");
    fs::create_directory_symlink("../mine", workplace.path() / "out/linked");
    workplace.signal_before(SIGSTOP, "first.png");
    std::vector<std::string> words = {"cw", "in", "-o", "out", "-j1", "--labels", "none"};
    if (overwrites) words.emplace_back("--overwrite");
    const auto running = workplace.start(words);
    REQUIRE(running.wait_until_stopped());
    fs::create_directory_symlink("../elsewhere", workplace.path() / "out/new");
    fs::remove_all(workplace.path() / "out/old");
    fs::create_directory_symlink("../elsewhere/old", workplace.path() / "out/old");
    fs::create_symlink("../elsewhere/d.png", workplace.path() / "out/d.png");
    running.signal(SIGCONT);
    const Result result = running.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 1);
    CHECK(workplace.files("elsewhere").empty());
    for (const std::string name : {"new/b.png", "old/c.png"})
      CHECK_THAT(result.err, ContainsSubstring("cannot write out/" + name + ": Not a directory"));
    // It replaces the link where it may replace a file.
    CHECK(fs::is_symlink(workplace.path() / "out/d.png") == !overwrites);
    // A link that was there is followed.
    CHECK(workplace.files("mine") == Names{"e.png"});
  }
}

TEST_CASE("Where names that differ only in case are one file, no result replaces another") {
  for (const std::string option : {"", "--overwrite"}) {
    const Disturbed workplace("QTURN_TEST_FOLD", "1");
    workplace.add("in/A.JPG", jpeg(smooth_picture(16, 24)));  // its folder has both
    std::vector<std::string> words = {"cw", "in", "-o", "out"};
    if (!option.empty()) words.push_back(option);
    workplace.refused(words, "would both be written to out/");
    CHECK(workplace.files("out").empty());
  }
}

TEST_CASE("Where names that differ only in case are one file, it is turned once") {
  const Disturbed workplace("QTURN_TEST_FOLD", "1");
  workplace.done({"cw", "in/a.jpg", "in/A.JPG", "--in-place"});
  CHECK(pixels_of(workplace.path() / "in/a.jpg").width == 48);
}

TEST_CASE("Option --fsync decides when results are flushed to the disk") {
  const auto flushes = [](const std::string& fsync, bool in_place) {
    const Disturbed workplace("QTURN_TEST_FLUSHES", "log");
    for (int i = 0; i < 40; ++i) workplace.add("in/" + std::to_string(i) + ".jpg", picture);
    std::vector<std::string> words = {"cw", "in", "-j", "4"};
    if (!fsync.empty()) words.insert(words.end(), {"--fsync", fsync});
    if (in_place) {
      words.push_back("--in-place");
    } else {
      words.insert(words.end(), {"-o", "out"});
    }
    workplace.done(words);
    std::map<std::string, int> count;
    std::istringstream log(workplace.content("log"));
    for (std::string line; std::getline(log, line);) ++count[line];
    return count;
  };
  for (const bool in_place : {true, false}) {
    CAPTURE(in_place);
    auto each = flushes(in_place ? "" : "each", in_place);
    CHECK(each["file"] >= 41);
    CHECK(each["folder"] >= 3);
    CHECK(each["folder"] < 41);  // groups share a flush
    CHECK(each["file system"] == 0);
    auto end = flushes(in_place ? "end" : "", in_place);
    CHECK(end["file"] == (in_place ? 1 : 0));  // the record of a run in place
    CHECK(end["file system"] == 1);
    auto never = flushes("never", in_place);
    CHECK(never["file"] + never["folder"] + never["file system"] == 0);
  }
}

}  // namespace disturbed_test
