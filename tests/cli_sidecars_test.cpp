// The XMP files beside pictures: reported, or with --sidecars turned along as one outcome.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/carriers/xmp.hpp"
#include "tests/carrier_fixtures.hpp"
#include "tests/cli_pictures.hpp"
#include "tests/cli_program.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using qturn::tests::exif_fixture;
using qturn::tests::jpeg_segment;
using qturn::tests::xmp_packet_with;
using std::string_literals::operator""s;

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
  CHECK(stale.out == "in/a.jpg: a.xmp beside it says orientation 6, the picture's is 3\n");
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
