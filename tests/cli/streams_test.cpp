// One picture from standard input, or to standard output.
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace streams_test {

using namespace cli;

namespace {

const std::string jpeg = cli::jpeg(smooth_picture(64, 48));
const std::string png = cli::png(random_picture(31, 17));

/// What the operation makes of a file with this content.
std::string turned_file(const std::string& content, const std::string& suffix) {
  const Workplace workplace;
  workplace.add("a" + suffix, content);
  workplace.done({"cw", "a" + suffix, "-o", "b" + suffix});
  return workplace.content("b" + suffix);
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "A picture goes from standard input to standard output, by its content alone") {
  for (const auto& [content, suffix] : {std::pair(jpeg, ".jpg"), std::pair(png, ".png")}) {
    CAPTURE(suffix);
    standard_input = content;
    const Result result = done({"cw", "-", "-o", "-"});
    CHECK(result.out == turned_file(content, suffix));
    CHECK_THAT(result.err,
               ContainsSubstring("1 of 1 picture written (1 losslessly)") ||
                   ContainsSubstring("1 of 1 picture written (1 re-encoded without loss);"));
  }
  CHECK(files(".").empty());
}

TEST_CASE_METHOD(
    Workplace, "A picture goes from standard input to a file, and from a file to standard output") {
  standard_input = jpeg;
  done({"cw", "-", "-o", "out/b.jpg"});
  CHECK(content("out/b.jpg") == turned_file(jpeg, ".jpg"));
  done({"cw", "-", "-o", "b.png", "-q"});
  CHECK(pixels_of(path() / "b.png").width == 48);

  add("a.jpg", jpeg);
  standard_input = "";
  const Result result = done({"cw", "a.jpg", "-o", "-", "-v"});
  CHECK(result.out == turned_file(jpeg, ".jpg"));
  CHECK_THAT(result.err, ContainsSubstring("a.jpg -> - (rotate90, losslessly, 48 x 64)\n"));
  CHECK_THAT(done({"cw", "a.jpg", "-o", "-", "--format", "png"}).out,
             Catch::Matchers::StartsWith("\x89PNG"));

  add("a.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6'"));
  CHECK_THAT(qturn({"cw", "a.jpg", "-o", "-"}).err,
             ContainsSubstring("a.xmp beside it holds an orientation of its own"));
}

TEST_CASE_METHOD(Workplace, "A file whose name is a hyphen is named by its folder") {
  add("-", jpeg);
  standard_input = png;
  CHECK(qturn({"cw", "-", "-o", "-"}).out == turned_file(png, ".png"));
  CHECK(qturn({"cw", "./-", "-o", "-"}).out == turned_file(jpeg, ".jpg"));
}

TEST_CASE_METHOD(
    Workplace, "Files beside it, of its name in messages, have nothing to do with standard input") {
  add("standard input", "mine");
  add("standard input.xmp", "mine");
  fs::permissions(path() / "standard input", fs::perms::owner_read);
  standard_input = jpeg;
  CHECK(done({"cw", "-", "-o", "b.jpg"}).err.find("warning") == std::string::npos);
  CHECK((fs::status(path() / "b.jpg").permissions() & fs::perms::owner_write) != fs::perms::none);
  CHECK(files(".").size() == 3);
}

TEST_CASE_METHOD(Workplace, "Of a damaged picture nothing goes to standard output") {
  standard_input = jpeg.substr(0, jpeg.size() - 40);
  const Result result = failed({"cw", "-", "-o", "-"});
  CHECK(result.out.empty());
  CHECK_THAT(result.err, ContainsSubstring("qturn: standard input: "));
  const Result salvaged = failed({"cw", "-", "-o", "-", "--salvage"});
  CHECK_FALSE(salvaged.out.empty());
  CHECK_THAT(salvaged.err, ContainsSubstring("only a part is salvaged"));
}

TEST_CASE_METHOD(Workplace, "A standard output that cannot be written fails the picture") {
  if (!fs::exists("/dev/full")) SKIP("there is no /dev/full");
  standard_input = jpeg;
  full_stream = 1;
  failed({"cw", "-", "-o", "-"},
         "qturn: standard input: cannot write to standard output: No space left on device\n");
}

TEST_CASE_METHOD(
    Workplace, "A standard output that is closed fails the picture, and no file takes its place") {
  standard_input = jpeg;
  closed_stream = 1;
  failed({"cw", "-", "-o", "-", "--json=log"},
         "cannot write to standard output: Bad file descriptor");
  CHECK_THAT(content("log"), Catch::Matchers::StartsWith("{"));
}

TEST_CASE_METHOD(Workplace, "What is not one picture on standard input is refused by name") {
  add("a.jpg", jpeg);
  const std::vector<std::string> piped = {"cw", "-", "-o", "-"};
  refused(piped, "standard input is empty");
  standard_input = "text";
  refused(piped, "standard input: not a picture");

  standard_input = jpeg;
  const auto refusal = [&](const std::vector<std::string>& words) { return refused(words).err; };
  CHECK_THAT(refusal({"cw", "-", "a.jpg", "-o", "out"}), ContainsSubstring("is one picture"));
  CHECK_THAT(refusal({"cw", "-", "--files-from", "-", "-o", "-"}),
             ContainsSubstring("one picture"));
  CHECK_THAT(refusal({"cw", "-", "-o", "folder"}), ContainsSubstring("has no name"));
  CHECK_THAT(refusal({"cw", "-", "-o", "a.jpg"}), ContainsSubstring("exists"));
  CHECK_THAT(refusal({"cw", "-", "-o", "b.jpg", "--update"}), ContainsSubstring("--overwrite"));
  CHECK_THAT(refusal({"cw", "-", "--in-place"}), ContainsSubstring("cannot be replaced"));
  CHECK_THAT(refusal({"cw", "-", "-o", "-", "--sidecars"}), ContainsSubstring("--sidecars"));
  CHECK_THAT(refusal({"cw", "-", "-o", "-", "--json"}), ContainsSubstring("--json=FILE"));
  CHECK_THAT(refusal({"cw", "-", "-o", "-", "--overwrite"}),
             ContainsSubstring("never exists already"));
  CHECK_THAT(refusal({"cw", "-", "-o", "-", "--jpeg-edges", "skip"}),
             ContainsSubstring("nothing might be written"));
  CHECK_THAT(refusal({"check", "-"}), ContainsSubstring("check does not read standard input"));
  CHECK_THAT(refusal({"augment", "-", "-o", "out"}),
             ContainsSubstring("standard input is not a tar"));
  add("b.jpg", jpeg);
  CHECK_THAT(refusal({"cw", "-", "-o", "-", "--memory", "100"}), ContainsSubstring("--memory"));
}

TEST_CASE_METHOD(Workplace,
                 "With standard output for the picture, --json=FILE and --dry-run go elsewhere") {
  standard_input = jpeg;
  CHECK(qturn({"cw", "-", "-o", "-", "--json=log"}).out == turned_file(jpeg, ".jpg"));
  CHECK_THAT(content("log"), ContainsSubstring("\"input\":\"standard input\"") &&
                                 ContainsSubstring("\"output\":\"-\""));
  CHECK(done({"cw", "-", "-o", "-", "--dry-run"}).out ==
        "standard input -> - (rotate90, losslessly)\n");
}

TEST_CASE_METHOD(Workplace, "No picture goes to a terminal") {
  add("a.jpg", jpeg);
  const Result shown = on_terminal({"cw", "a.jpg", "-o", "-"}, 80);
  CHECK(shown.exit_code == 2);
  CHECK_THAT(shown.out, ContainsSubstring("a terminal cannot show a picture"));
}

}  // namespace streams_test
