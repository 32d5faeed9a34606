// The XMP files beside pictures: reported, or with --sidecars turned along as one outcome.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>

#include "src/metadata/xmp.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using qturn::tests::exif_fixture;
using qturn::tests::face_regions;
using qturn::tests::jpeg_segment;
using qturn::tests::xmp_packet_with;
using std::string_literals::operator""s;
using Names = std::set<std::string>;

namespace {

std::string exif() { return jpeg_segment(0xE1, "Exif\0\0"s + exif_fixture({})); }

std::string jpeg_with(const std::string& segments) {
  return cli::jpeg(cli::smooth_picture(64, 48)).insert(2, segments);
}

const std::string packet = xmp_packet_with("tiff:Orientation='6'");

std::string orientation_in(const Workplace& workplace, const fs::path& name) {
  return qturn::read_xmp(workplace.content(name)).orientation.value_or("none");
}

}  // namespace

TEST_CASE("A sidecar that holds an orientation is reported, and turned with --sidecars") {
  Workplace workplace;
  const std::string sized = xmp_packet_with("tiff:Orientation='6' tiff:ImageWidth='64'");
  workplace.add("in/a.jpg", jpeg_with(exif()));
  workplace.add("in/a.xmp", sized);
  workplace.add("in/a.jpg.xmp", sized);
  workplace.add("in/b.jpg", jpeg_with(exif()));
  workplace.add("in/b.jpg.xmp", xmp_packet_with("tiff:Make='Maker'"));

  const Result without = workplace.qturn({"upright", "in", "-o", "without"});
  CHECK(without.exit_code == 0);
  CHECK_THAT(without.err,
             ContainsSubstring("a.jpg: warning: a.xmp beside it holds an orientation"));
  CHECK_THAT(without.err, ContainsSubstring("a.jpg: warning: a.jpg.xmp beside it"));
  CHECK(without.err.find("b.jpg: warning") == std::string::npos);
  CHECK(workplace.files("without") == std::set<std::string>{"a.jpg", "b.jpg"});

  CHECK(workplace.qturn({"upright", "in", "-o", "with", "--sidecars"}).exit_code == 0);
  CHECK(workplace.files("with") == std::set<std::string>{"a.jpg", "a.jpg.xmp", "a.xmp", "b.jpg"});
  for (const char* name : {"with/a.xmp", "with/a.jpg.xmp"}) {
    const qturn::XmpSays says = qturn::read_xmp(workplace.content(name));
    CHECK(says.orientation == "1");
    CHECK(says.width == "48");
  }
  CHECK(workplace.content("in/a.xmp") == sized);

  const Result augmented = workplace.qturn({"augment", "in", "-o", "augmented"});
  CHECK(augmented.exit_code == 0);
  CHECK(augmented.err.find("beside it") == std::string::npos);

  CHECK(workplace.qturn({"cw", "in/a.jpg", "--in-place", "--tag-only", "--sidecars"}).exit_code ==
        0);
  CHECK(qturn::read_xmp(workplace.content("in/a.xmp")).orientation == "3");
  CHECK(workplace.qturn({"check", "in/a.jpg"}).exit_code == 0);
  workplace.add("in/a.xmp", sized);
  const Result stale = workplace.qturn({"check", "in/a.jpg", "-q"});
  CHECK(stale.out ==
        "in/a.jpg: a.xmp beside it says orientation 6, the picture's is 3; correct the wrong one, "
        "for example with ExifTool\n");
}

TEST_CASE("A sidecar that contradicts an upright picture is named") {
  Workplace workplace;
  const std::string jpeg = jpeg_with("");
  workplace.add("in/a.jpg", jpeg);
  workplace.add("in/a.xmp", packet);
  workplace.add("in/b.jpg", jpeg);
  workplace.add("in/b.xmp", xmp_packet_with("tiff:Orientation='1'"));
  const auto before = workplace.tree("in");
  const auto upright = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"upright", "in"});
    Result result = workplace.qturn(words);
    CHECK_THAT(result.err, ContainsSubstring("a.xmp beside it says orientation 6, the picture is "
                                             "upright: not changed; --sidecars turns both"));
    CHECK(result.err.find("b.xmp") == std::string::npos);
    return result;
  };
  CHECK(upright({"--in-place"}).exit_code == 0);
  CHECK(upright({"--in-place", "--strict"}).exit_code == 1);
  CHECK(workplace.tree("in") == before);
  CHECK(upright({"-o", "out"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"a.jpg", "b.jpg"});
  CHECK(workplace.content("out/a.jpg") == jpeg);
  CHECK(workplace.qturn({"check", "out"}).exit_code == 0);
  CHECK(upright({"-o", "strict", "--strict"}).exit_code == 1);
  CHECK_FALSE(workplace.exists("strict/a.jpg"));
}

TEST_CASE("With --sidecars, what a sidecar says counts where its picture says nothing") {
  Workplace workplace;
  const std::string jpeg = jpeg_with(""), turned = jpeg_with(exif());
  const auto add = [&](const std::string& name, const std::string& picture,
                       const std::string& says) {
    workplace.add("in/" + name + ".jpg", picture);
    workplace.add("in/" + name + ".jpg.xmp", xmp_packet_with("tiff:Orientation='" + says + "'"));
  };
  add("a", jpeg, "6");
  add("b", jpeg, "1");
  add("c", turned, "6");
  add("d", turned, "1");
  const Result planned =
      workplace.qturn({"upright", "in/a.jpg", "-o", "x", "--sidecars", "--dry-run"});
  CHECK(planned.exit_code == 0);
  CHECK(workplace.qturn({"upright", "in", "-o", "out", "--sidecars", "--strict"}).exit_code == 0);
  const Result rotated = workplace.qturn({"cw", "in/b.jpg", "-o", "cw.jpg"});
  CHECK(rotated.exit_code == 0);
  CHECK(workplace.content("out/a.jpg") == workplace.content("cw.jpg"));
  CHECK(workplace.content("out/b.jpg") == jpeg);
  CHECK(workplace.content("out/c.jpg") == workplace.content("out/d.jpg"));
  for (const char* name : {"a", "b", "c", "d"})
    CHECK(orientation_in(workplace, "out/"s + name + ".jpg.xmp") == "1");
  CHECK(workplace.qturn({"check", "out"}).exit_code == 0);

  // In place, and then there is nothing left to do.
  const std::string in_a = workplace.content("in/a.jpg");
  CHECK(workplace.qturn({"ccw", "in/a.jpg", "-o", "ccw.jpg", "--sidecars"}).exit_code == 0);
  CHECK(workplace.content("ccw.jpg") == in_a);  // a quarter turn back and forth
  CHECK(workplace.qturn({"upright", "in/a.jpg", "--in-place", "--sidecars"}).exit_code == 0);
  CHECK(workplace.content("in/a.jpg") == workplace.content("cw.jpg"));
  CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "1");
  CHECK(workplace.qturn({"upright", "in/a.jpg", "--in-place", "--sidecars"}).exit_code == 0);
  CHECK(workplace.content("in/a.jpg") == workplace.content("cw.jpg"));

  // By the tag alone, the tag says what the sidecar said.
  workplace.add("in/a.jpg", jpeg);
  workplace.add("in/a.jpg.xmp", packet);
  CHECK(workplace.qturn({"cw", "in/a.jpg", "--in-place", "--sidecars", "--tag-only"}).exit_code ==
        0);
  CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "3");
  CHECK(workplace.qturn({"check", "in/a.jpg"}).exit_code == 0);

  // Two that disagree decide nothing.
  workplace.add("two/a.jpg", jpeg);
  workplace.add("two/a.jpg.xmp", packet);
  workplace.add("two/a.xmp", xmp_packet_with("tiff:Orientation='3'"));
  const Result two = workplace.qturn({"upright", "two", "-o", "no", "--sidecars"});
  CHECK(two.exit_code == 1);
  CHECK_THAT(two.err, ContainsSubstring("a.xmp and a.jpg.xmp beside it say different orientations, "
                                        "3 and 6"));
}

TEST_CASE("A sidecar that may belong to another file of that name is left alone") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif()));
  workplace.add("in/a.CR2", "raw");
  workplace.add("in/a.xmp", packet);
  const Result result = workplace.qturn({"upright", "in/a.jpg", "-o", "out", "--sidecars"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring("may belong to another file"));
  CHECK(workplace.files("out") == std::set<std::string>{"a.jpg"});
}

TEST_CASE("A JPEG that is turned by its tag and its sidecar say the same") {
  const std::string cut = cli::tagged_jpeg(cli::smooth_picture(97, 63), 1);
  const std::string cut_on_its_side = cli::tagged_jpeg(cli::smooth_picture(97, 63), 6);
  const auto upright = xmp_packet_with("tiff:Orientation='1' tiff:ImageWidth='97'");
  for (const bool in_place : {true, false}) {
    Workplace workplace;
    workplace.add("in/a.jpg", cut);
    workplace.add("in/a.xmp", upright);
    workplace.add("in/b.jpg", cut_on_its_side);
    workplace.add("in/b.xmp", packet);
    workplace.add("in/c.jpg", cut_on_its_side);
    workplace.add("in/c.xmp", packet);
    const std::string out = in_place ? "in" : "out";
    std::vector<std::string> to = {"--sidecars", "--json", "--in-place"};
    if (!in_place) to = {"--sidecars", "--json", "-o", "out", "--jpeg-edges", "tag"};
    const auto run = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), to.begin(), to.end());
      const Result result = workplace.qturn(arguments);
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
      CHECK_THAT(result.out, ContainsSubstring("\"route\":\"tagged\""));
      CHECK_THAT(result.out, ContainsSubstring("\"applied\":\"identity\",\"width\":97"));
      return result;
    };
    run({"rotate90", "in/a.jpg"});
    run({"rotate90", "in/b.jpg"});
    run({"rotate270", "in/c.jpg"});  // no pixel has to move
    CHECK(orientation_in(workplace, out + "/a.xmp") == "6");
    CHECK(qturn::read_xmp(workplace.content(out + "/a.xmp")).width == "97");
    CHECK(orientation_in(workplace, out + "/b.xmp") == "3");
    CHECK(orientation_in(workplace, out + "/c.xmp") == "1");
    const Result check = workplace.qturn({"check", out});
    CAPTURE(check.out);
    CHECK(check.exit_code == 0);
  }
}

TEST_CASE("Sidecars are found with their suffix in capitals, and keep it") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif()));
  workplace.add("in/a.XMP", packet);
  workplace.add("in/a.jpg.XMP", packet);
  workplace.add("in/B.JPG", jpeg_with(exif()));
  workplace.add("in/B.XMP", packet);
  const Result without = workplace.qturn({"upright", "in", "-o", "without"});
  for (const char* name : {"a.XMP", "a.jpg.XMP", "B.XMP"})
    CHECK_THAT(without.err, ContainsSubstring(name + " beside it holds an orientation"s));
  CHECK(workplace.qturn({"upright", "in", "-o", "out", "--sidecars"}).exit_code == 0);
  CHECK(workplace.files("out") == Names{"B.JPG", "B.XMP", "a.XMP", "a.jpg", "a.jpg.XMP"});
  for (const char* name : {"out/a.XMP", "out/a.jpg.XMP", "out/B.XMP"})
    CHECK(orientation_in(workplace, name) == "1");
  workplace.add("out/B.XMP", packet);
  CHECK(workplace.qturn({"check", "out"}).out ==
        "out/B.JPG: B.XMP beside it says orientation 6, the picture's is 1; correct the wrong one, "
        "for example with ExifTool\n");
}

TEST_CASE(
    "With --sidecars a picture fails whose sidecar cannot be read, otherwise that is a warning") {
  for (const bool is_damaged : {true, false}) {
    Workplace workplace;
    workplace.add("in/a.jpg", jpeg_with(exif()));
    const fs::path sidecar = workplace.add("in/a.xmp", is_damaged ? "<x:xmpmeta" : packet);
    if (!is_damaged) REQUIRE(::chmod(sidecar.c_str(), 0) == 0);
    workplace.without_privileges = true;
    const std::string says = is_damaged
                                 ? "a.xmp beside it cannot be read: it is not well-formed XML"
                                 : "a.xmp beside it cannot be read: Permission denied";
    const auto before = workplace.tree("in");
    const Result with = workplace.qturn({"cw", "in/a.jpg", "--in-place", "--sidecars"});
    CHECK(with.exit_code == 1);
    CHECK_THAT(with.err, ContainsSubstring("qturn: in/a.jpg: " + says +
                                           "; without --sidecars the picture alone is turned\n"));
    CHECK(workplace.tree("in") == before);

    const Result without = workplace.qturn({"cw", "in/a.jpg", "--in-place"});
    CHECK(without.exit_code == 0);
    CHECK_THAT(without.err, ContainsSubstring("qturn: in/a.jpg: warning: " + says + "\n"));
    CHECK(workplace.tree("in") != before);
  }
}

TEST_CASE("Where a sidecar cannot be written, its picture stays as it was") {
  Workplace workplace;
  workplace.without_privileges = true;
  workplace.add("in/a.jpg", jpeg_with(exif()));
  const fs::path folder = workplace.add("closed/a.xmp", packet).parent_path();
  fs::create_symlink("../closed/a.xmp", workplace.path() / "in/a.xmp");
  const auto before = workplace.tree("in");
  ::chmod(folder.c_str(), 0555);
  const Result result = workplace.qturn({"cw", "in/a.jpg", "--in-place", "--sidecars"});
  ::chmod(folder.c_str(), 0755);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("in/a.jpg: cannot write in/a.xmp: Permission denied"));
  CHECK_THAT(result.err, ContainsSubstring("0 of 1 picture written"));
  CHECK(workplace.tree("in") == before);
  CHECK(workplace.files("closed") == Names{"a.xmp"});

  // And the other way round: no picture, no sidecar.
  workplace.add("broken/b.jpg", jpeg_with(exif()).substr(0, 900));
  workplace.add("broken/b.xmp", packet);
  CHECK(workplace.qturn({"cw", "broken/b.jpg", "-o", "out", "--sidecars"}).exit_code == 1);
  CHECK(workplace.files("out").empty());
}

TEST_CASE("A sidecar is written through a link, and stays beside the name it was found by") {
  Workplace workplace;
  workplace.add("store/a.jpg", jpeg_with(exif()));
  workplace.add("notes/a.xmp", packet);
  fs::create_directories(workplace.path() / "in");
  fs::create_symlink("../store/a.jpg", workplace.path() / "in/a.jpg");
  fs::create_symlink("../notes/a.xmp", workplace.path() / "in/a.xmp");
  CHECK(workplace.qturn({"upright", "in/a.jpg", "--in-place", "--sidecars"}).exit_code == 0);
  CHECK(fs::is_symlink(workplace.path() / "in/a.xmp"));
  CHECK(orientation_in(workplace, "notes/a.xmp") == "1");
  CHECK(workplace.files("store") == Names{"a.jpg"});
}

TEST_CASE("A sidecar with hard links is refused in place, unless --break-links") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif()));
  const fs::path path = workplace.add("in/a.xmp", packet);
  fs::create_hard_link(path, workplace.path() / "other.xmp");
  const auto before = workplace.tree("in");
  const Result refused = workplace.qturn({"upright", "in", "--in-place", "--sidecars"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "qturn: in/a.xmp has other names (hard links), which would stay as they are; "
        "--break-links turns the named ones only\n");
  CHECK(workplace.tree("in") == before);
  CHECK(workplace.qturn({"upright", "in", "-o", "out", "--sidecars"}).exit_code == 0);
  CHECK(workplace.qturn({"upright", "in", "--in-place", "--sidecars", "--break-links"}).exit_code ==
        0);
  CHECK(orientation_in(workplace, "in/a.xmp") == "1");
  CHECK(workplace.content("other.xmp") == packet);
}

TEST_CASE("A sidecar that exists at the output is refused before anything starts, or replaced") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif()));
  workplace.add("in/a.xmp", packet);
  workplace.add("in/b.jpg", jpeg_with(exif()));
  workplace.add("in/b.xmp", xmp_packet_with("tiff:Make='Maker'"));
  workplace.add("out/a.xmp", "old");
  workplace.add("out/b.xmp", "not in the way: in/b.xmp holds no orientation");
  const auto before = workplace.tree("out");
  const Result refused = workplace.qturn({"upright", "in", "-o", "out", "--sidecars"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "qturn: out/a.xmp exists already; use --overwrite, --skip-existing or --update, or another "
        "output\n");
  CHECK(workplace.tree("out") == before);

  for (const char* option : {"--overwrite", "--update"}) {
    workplace.add("out/a.xmp", "old");
    fs::remove(workplace.path() / "out/a.jpg");
    CHECK(workplace.qturn({"upright", "in", "-o", "out", "--sidecars", option}).exit_code == 0);
    CHECK(orientation_in(workplace, "out/a.xmp") == "1");
  }

  // What is left alone is said, and --strict exits with 1; the picture is there all the same.
  for (const bool strict : {false, true}) {
    workplace.add("out/a.xmp", "old");
    fs::remove(workplace.path() / "out/a.jpg");
    std::vector<std::string> words = {"upright", "in",         "-o",
                                      "out",     "--sidecars", "--skip-existing"};
    if (strict) words.push_back("--strict");
    const Result kept = workplace.qturn(words);
    CHECK(kept.exit_code == (strict ? 1 : 0));
    CHECK_THAT(kept.err,
               ContainsSubstring("in/a.jpg: warning: out/a.jpg is written, but not all that "
                                 "belongs to it: cannot write out/a.xmp: File exists"));
    CHECK_THAT(kept.err, ContainsSubstring("1 of 1 picture written"));
    CHECK(workplace.content("out/a.xmp") == "old");
    CHECK(workplace.files("out") == Names{"a.jpg", "a.xmp", "b.jpg", "b.xmp"});
    CHECK(cli::decoded(workplace.path() / "out/a.jpg").stored == qturn::Orientation::identity);
  }
}

TEST_CASE("No two sidecars go to one place, and none to that of an input's or of a folder") {
  Workplace workplace;
  workplace.add("x/a.jpg", jpeg_with(exif()));
  workplace.add("x/a.xmp", packet);
  workplace.add("y/a.png", cli::png(cli::smooth_picture(5, 3)));
  workplace.add("y/a.xmp", packet);
  workplace.add("z/a.xmp/file", "");
  const auto before = workplace.tree(".");
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"cw", "--sidecars"});
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == 2);
    CHECK(workplace.tree(".") == before);
    return result.err;
  };
  CHECK_THAT(refused({"x/a.jpg", "y/a.png", "-o", "out"}),
             ContainsSubstring("a.xmp would both be written to out/a.xmp"));
  CHECK_THAT(refused({"x/a.jpg", "-o", "x/a.png", "--overwrite"}),
             ContainsSubstring("x/a.xmp: is an input as well"));
  CHECK_THAT(refused({"x/a.jpg", "-o", "z", "--overwrite"}),
             ContainsSubstring("z/a.xmp: is not a regular file"));
}

TEST_CASE("A sidecar's regions are carried into a picture whose edges were trimmed") {
  Workplace workplace;
  workplace.add("in/a.jpg", cli::jpeg(cli::smooth_picture(64, 50)));
  workplace.add("in/a.xmp", xmp_packet_with("tiff:Orientation='1'", face_regions("64", "50")));
  CHECK(
      workplace
          .qturn({"cw", "in", "-o", "out", "--jpeg-edges", "trim", "--sidecars", "--device", "cpu"})
          .exit_code == 0);
  const std::string sidecar = workplace.content("out/a.xmp");
  CHECK_THAT(sidecar, ContainsSubstring("stDim:w='48' stDim:h='64'"));
  // 0.4 of 50 rows are 20 of the 48 that are left, and now counted from the right.
  CHECK_THAT(sidecar, ContainsSubstring("stArea:x='0.583333' stArea:y='0.25'"));
}
