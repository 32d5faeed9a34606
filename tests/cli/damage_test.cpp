// Bad files among good ones: each is named with what is wrong, the good ones are done, nothing is
// lost and nothing half-written is left.
#include <sys/stat.h>

#include <map>
#include <sstream>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace damage_test {

using namespace cli;

namespace {

const Picture picture = random_picture(40, 30);

using Messages = std::map<std::string, std::string>;

/// Turns a folder with a good picture and these bad ones, by name, with -o and in place. Each bad
/// one must fail alone and leave no output. Returns what the program says of each.
Messages complaints(const Messages& bad_files) {
  Workplace workplace;
  workplace.add("in/good.png", cli::png(picture));
  for (const auto& [name, content] : bad_files) workplace.add("in/" + name, content);
  const auto before = workplace.tree("in");

  const Result result = workplace.failed({"cw", "in", "-o", "out", "--quiet"});
  CHECK(workplace.files("out") == Names{"good.png"});
  Messages messages;
  const std::string start = "qturn: in/";
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    REQUIRE_THAT(line, StartsWith(start));
    const std::size_t end = line.find(": ", start.size());
    REQUIRE(end != line.npos);
    CHECK(messages.emplace(line.substr(start.size(), end - start.size()), line.substr(end + 2))
              .second);
  }
  for (const auto& [name, content] : bad_files) {
    CAPTURE(name);
    CHECK(messages.contains(name));
  }
  CHECK(messages.size() == bad_files.size());

  workplace.failed({"cw", "in", "--in-place", "--quiet"});
  const auto after = workplace.tree("in");
  CHECK(after.size() == before.size());
  for (const auto& file : before)
    if (file.first != "good.png") CHECK(after.contains(file));
  return messages;
}

}  // namespace

TEST_CASE("Empty files, and text with a picture's suffix, are failures") {
  const std::string no_picture =
      "not a picture in a format that qturn reads, whatever its name says";
  CHECK(complaints({{"empty.jpg", ""},
                    {"empty.png", ""},
                    {"text.jpg", "Dear diary,\n"},
                    {"text.tga", "Dear diary, today I named a text .tga\n"}}) ==
        Messages{{"empty.jpg", "the file is empty"},
                 {"empty.png", "the file is empty"},
                 {"text.jpg", no_picture},
                 {"text.tga", no_picture}});
}

TEST_CASE_METHOD(
    Workplace,
    "What only encoding would lose is not a warning if a picture is copied or retagged") {
  const std::string upright = cli::png(picture) + "trail",
                    tagged = tagged_png(picture, 6) + "trail";
  add("upright.png", upright);
  add("tagged.png", tagged);
  const Result copied = done({"upright", "upright.png", "-o", "out/", "--strict"});
  CHECK(copied.err.find("not kept") == copied.err.npos);
  CHECK(content("out/upright.png") == upright);
  // A turn that undoes the tag.
  const Result retagged = done({"ccw", "tagged.png", "-o", "out/", "--strict"});
  CHECK(retagged.err.find("not kept") == retagged.err.npos);
  CHECK_THAT(content("out/tagged.png"), Catch::Matchers::EndsWith("trail"));

  failed({"cw", "upright.png", "-o", "turned/", "--strict"},
         "5 bytes after the end of the PNG are not kept");
}

TEST_CASE_METHOD(Workplace, "A file that must not be read is named, and the rest is done") {
  without_privileges = true;
  add("in/good.png", cli::png(picture));
  const fs::path secret = add("in/secret.png", cli::png(picture));
  ::chmod(secret.c_str(), 0);
  const Result result = qturn({"cw", "in", "-o", "out", "--quiet"});
  if (result.exit_code == 0) SKIP("this user may read every file");
  CHECK(result.exit_code == 1);
  CHECK(result.err == "qturn: in/secret.png: cannot read: Permission denied\n");
  CHECK(files("out") == Names{"good.png"});
}

TEST_CASE("A picture that claims more pixels than any picture has is refused by name") {
  const std::string vast = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 6 +X 2000000000\n";
  CHECK_THAT(complaints({{"vast.hdr", vast + std::string(24, 'x')}}).at("vast.hdr"),
             StartsWith("12000000000 pixels, more than the limit of "));
}

TEST_CASE_METHOD(Workplace, "An output that appears while the run goes on is not replaced") {
  // --dry-run and the refusal before the start cannot see it; the write itself must.
  for (int i = 0; i < 40; ++i)
    add("in/" + std::to_string(100 + i) + ".png", cli::png(random_picture(40, 30)));
  signal_at(SIGSTOP, "100.png");
  const auto running = start({"cw", "in", "-o", "out", "-j", "1", "--quiet"});
  REQUIRE(running.wait_until_stopped());
  add("out/139.png", "somebody else's");
  running.signal(SIGCONT);
  const Result result = running.wait();
  CHECK(result.exit_code == 1);
  CHECK(result.err == "qturn: in/139.png: cannot write out/139.png: File exists\n");
  CHECK(content("out/139.png") == "somebody else's");
}

TEST_CASE_METHOD(Workplace, "A standard error that cannot be written stops no picture") {
  if (!fs::exists("/dev/full")) SKIP("there is no /dev/full");
  add("in/a.png", cli::png(picture));
  add("in/bad.png", "no picture");
  full_stream = 2;
  failed({"flop", "in", "-o", "out", "-v"});
  CHECK(files("out") == Names{"a.png"});
  refused({"flop", "nowhere", "-o", "out"});
}

TEST_CASE_METHOD(
    Workplace,
    "A limit on the size of files fails those that are larger, and leaves nothing of them") {
  add("in/large.png", cli::png(random_picture(200, 200)));
  add("in/small.png", cli::png(random_picture(20, 20)));
  largest_file = 20'000;
  failed({"flop", "in", "-o", "out"}, "large.png: cannot write");
  CHECK(files("out") == Names{"small.png"});
}

}  // namespace damage_test
