// The XMP files beside pictures: reported, or with --sidecars turned along as one outcome.
#include <sys/stat.h>

#include "src/metadata/xmp.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace sidecars_test {

using namespace cli;
using qturn::tests::exif_segment;
using qturn::tests::face_regions;
using qturn::tests::with_segments;
using qturn::tests::xmp_packet_with;
using std::string_literals::operator""s;

namespace {

std::string jpeg_with(const std::string& segments) {
  return with_segments(cli::jpeg(smooth_picture(64, 48)), segments);
}

const std::string packet = xmp_packet_with("tiff:Orientation='6'");

std::string orientation_in(const Workplace& workplace, const fs::path& name) {
  return qturn::read_xmp(workplace.content(name)).orientation.value_or("none");
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "A sidecar that holds an orientation is reported, and turned with --sidecars") {
  const std::string sized = xmp_packet_with("tiff:Orientation='6' tiff:ImageWidth='64'");
  add("in/a.jpg", jpeg_with(exif_segment({})));
  add("in/a.xmp", sized);
  add("in/a.jpg.xmp", sized);
  add("in/b.jpg", jpeg_with(exif_segment({})));
  add("in/b.jpg.xmp", xmp_packet_with("tiff:Make='Maker'"));
  add("in/c.jpg", jpeg_with(exif_segment({})));

  const Result without = done({"upright", "in", "-o", "without"},
                              {"warning: in/a.jpg: a.xmp beside it holds an orientation",
                               "warning: in/a.jpg: a.jpg.xmp beside it"});
  CHECK(without.err.find("warning: in/b.jpg") == std::string::npos);
  CHECK(files("without") == Names{"a.jpg", "b.jpg", "c.jpg"});

  done({"upright", "in", "-o", "with", "--sidecars"});
  CHECK(files("with") == Names{"a.jpg", "a.jpg.xmp", "a.xmp", "b.jpg", "b.jpg.xmp", "c.jpg"});
  for (const char* name : {"with/a.xmp", "with/a.jpg.xmp"}) {
    const qturn::XmpSays says = qturn::read_xmp(content(name));
    CHECK(says.orientation == "1");
    CHECK(says.width == "48");
  }
  CHECK(content("in/a.xmp") == sized);

  CHECK(done({"augment", "in", "-o", "augmented"}).err.find("beside it") == std::string::npos);

  done({"cw", "in/a.jpg", "--in-place", "--tag-only", "--sidecars"});
  CHECK(qturn::read_xmp(content("in/a.xmp")).orientation == "3");
  done({"check", "in/a.jpg"});
  add("in/a.xmp", sized);
  const Result stale = qturn({"check", "in/a.jpg", "-q"});
  CHECK(stale.out ==
        "in/a.jpg: a.xmp beside it says orientation 6, the picture's is 3; correct the wrong one, "
        "for example with ExifTool\n");
}

TEST_CASE_METHOD(Workplace, "A sidecar that contradicts an upright picture is named") {
  const std::string jpeg = jpeg_with("");
  add("in/a.jpg", jpeg);
  add("in/a.xmp", packet);
  add("in/b.jpg", jpeg);
  add("in/b.xmp", xmp_packet_with("tiff:Orientation='1'"));
  const auto before = tree("in");
  const auto upright = [&](Words words) {
    words.insert(words.begin(), {"upright", "in"});
    Result result = qturn(words);
    CHECK_THAT(result.err,
               ContainsSubstring(
                   "a.xmp beside it says orientation 6, the picture is upright: not changed") &&
                   ContainsSubstring("; --sidecars turns both\n"));
    CHECK(result.err.find("b.xmp") == std::string::npos);
    return result;
  };
  CHECK(upright({"--in-place"}).exit_code == 0);
  CHECK(upright({"--in-place", "--strict"}).exit_code == 1);
  CHECK(tree("in") == before);
  CHECK(upright({"-o", "out"}).exit_code == 0);
  CHECK(files("out") == Names{"a.jpg", "b.jpg"});
  CHECK(content("out/a.jpg") == jpeg);
  done({"check", "out"});
  CHECK(upright({"-o", "strict", "--strict"}).exit_code == 1);
  CHECK_FALSE(exists("strict/a.jpg"));
}

TEST_CASE("With --sidecars, what a sidecar says counts where its picture says nothing") {
  Workplace workplace;
  const std::string jpeg = jpeg_with(""), turned = jpeg_with(exif_segment({}));
  const auto add = [&](const std::string& name, const std::string& picture,
                       const std::string& says) {
    workplace.add("in/" + name + ".jpg", picture);
    workplace.add("in/" + name + ".jpg.xmp", xmp_packet_with("tiff:Orientation='" + says + "'"));
  };
  add("a", jpeg, "6");
  add("b", jpeg, "1");
  add("c", turned, "6");
  workplace.done({"upright", "in/a.jpg", "-o", "x", "--sidecars", "--dry-run"});
  workplace.done({"upright", "in", "-o", "out", "--sidecars", "--strict"});
  workplace.done({"cw", "in/b.jpg", "-o", "cw.jpg"});
  CHECK(workplace.content("out/a.jpg") == workplace.content("cw.jpg"));
  CHECK(workplace.content("out/b.jpg") == jpeg);
  for (const char* name : {"a", "b", "c"})
    CHECK(orientation_in(workplace, "out/"s + name + ".jpg.xmp") == "1");
  workplace.done({"check", "out"});

  // In place, and then there is nothing left to do.
  const std::string in_a = workplace.content("in/a.jpg");
  workplace.done({"ccw", "in/a.jpg", "-o", "ccw.jpg", "--sidecars"});
  CHECK(workplace.content("ccw.jpg") == in_a);  // a quarter turn back and forth
  workplace.done({"upright", "in/a.jpg", "--in-place", "--sidecars"});
  CHECK(workplace.content("in/a.jpg") == workplace.content("cw.jpg"));
  CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "1");
  workplace.done({"upright", "in/a.jpg", "--in-place", "--sidecars"});
  CHECK(workplace.content("in/a.jpg") == workplace.content("cw.jpg"));

  // By the tag alone, the tag says what the sidecar said.
  workplace.add("in/a.jpg", jpeg);
  workplace.add("in/a.jpg.xmp", packet);
  workplace.done({"cw", "in/a.jpg", "--in-place", "--sidecars", "--tag-only"});
  CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "3");
  workplace.done({"check", "in/a.jpg"});

  // Two that disagree decide nothing.
  workplace.add("two/a.jpg", jpeg);
  workplace.add("two/a.jpg.xmp", packet);
  workplace.add("two/a.xmp", xmp_packet_with("tiff:Orientation='3'"));
  for (const Words& how : {Words{"-o", "no", "--sidecars"}, Words{"--in-place"}}) {
    workplace.failed(with({"upright", "two"}, how), "say different orientations, 3 and 6");
  }
  workplace.failed({"upright", "two", "-o", "no", "--sidecars"},
                   "a.xmp and a.jpg.xmp beside it say different orientations, 3 and 6");
}

TEST_CASE("In place, a sidecar that agrees with its picture is turned with it") {
  const std::string says_nothing =
      xmp_packet_with("tiff:ImageWidth='64' tiff:ImageLength='48'", face_regions("64", "48"));
  const std::string says_1 = xmp_packet_with("tiff:Orientation='1' tiff:ImageWidth='64'");
  for (const bool with_option : {false, true}) {
    const Words option = with_option ? Words{"--sidecars"} : Words{};
    Workplace workplace;
    workplace.add("in/a.jpg", jpeg_with(exif_segment({})));
    workplace.add("in/a.jpg.xmp", packet);
    workplace.add("in/b.jpg", jpeg_with(exif_segment({})));
    workplace.add("in/b.xmp", says_nothing);
    workplace.add("in/c.jpg", jpeg_with(""));
    workplace.add("in/c.xmp", says_1);
    workplace.add("in/d.jpg", jpeg_with(exif_segment({})));
    workplace.add("in/d.xmp", xmp_packet_with("dc:format='image/jpeg'"));
    const auto before = workplace.tree("in");
    const std::string unchanged = workplace.content("in/d.xmp");
    CHECK(workplace.done(with({"upright", "in", "--in-place", "--dry-run"}, option)).err.empty());
    workplace.done(with({"upright", "in", "--in-place", "--strict", "--backup", "kept"}, option),
                   "2 sidecars");
    CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "1");
    CHECK(qturn::read_xmp(workplace.content("in/b.xmp")).width == "48");
    CHECK(workplace.content("in/b.xmp").find("stDim:w='48'") != std::string::npos);
    CHECK(workplace.content("in/c.xmp") == says_1);  // the picture is not turned
    CHECK(workplace.content("in/d.xmp") == unchanged);
    workplace.done({"check", "in"});

    // Nothing is left to do, whatever is asked for.
    const auto once = workplace.tree("in");
    workplace.done({"upright", "in", "--in-place", "--sidecars"});
    workplace.done({"upright", "in", "--in-place"});
    CHECK(workplace.tree("in") == once);
    workplace.done({"restore", workplace.run_in("kept")});
    CHECK(workplace.tree("in") == before);

    workplace.done(with({"rotate90", "in/c.jpg", "--in-place"}, option));
    CHECK(qturn::read_xmp(workplace.content("in/c.xmp")).width == "48");
  }
}

TEST_CASE("Where a picture and its sidecar state different turns, nothing is guessed") {
  for (const std::string says : {"1", "8"}) {
    CAPTURE(says);
    Workplace workplace;
    const std::string jpeg = jpeg_with(exif_segment({}));  // says 6
    workplace.add("in/a.jpg", jpeg);
    workplace.add("in/a.jpg.xmp", xmp_packet_with("tiff:Orientation='" + says + "'"));
    workplace.add("in/b.jpg", jpeg_with(""));
    const auto before = workplace.tree("in");
    const std::string why = "qturn: in/a.jpg: it says orientation 6, a.jpg.xmp beside it says " +
                            says +
                            ", and nothing tells which is right; --believe exif turns it as it "
                            "says itself, --believe sidecar as the file beside it says\n";
    const Words stay[] = {{"upright", "in", "--in-place"},
                          {"upright", "in", "--in-place", "--sidecars"},
                          {"upright", "in", "--in-place", "--dry-run"},
                          {"upright", "in", "-o", "out", "--sidecars"}};
    for (const Words& words : stay) {
      workplace.failed(words, why);
      CHECK(workplace.tree("in") == before);
    }
    CHECK(workplace.files("out") == Names{"b.jpg"});
    workplace.done({"upright", "in", "-o", "beside"},
                   "a.jpg.xmp beside it says orientation " + says +
                       ", the picture says 6, which counts; --believe exif");

    workplace.done({"upright", "in/a.jpg", "-o", "by_6.jpg", "--believe", "exif"});
    CHECK(workplace.content("by_6.jpg") == workplace.content("beside/a.jpg"));
    const std::string by_sidecar = "by_sidecar.jpg";
    workplace.done({"upright", "in/a.jpg", "-o", by_sidecar, "--believe", "sidecar"});
    const std::string operation = says == "8" ? "ccw" : "upright";
    workplace.add("plain.jpg", jpeg_with(""));
    workplace.done({operation, "plain.jpg", "-o", "expected.jpg"});
    CHECK(pixels_of(workplace.path() / by_sidecar) == pixels_of(workplace.path() / "expected.jpg"));
    for (const std::string believe : {"exif", "sidecar"}) {
      workplace.add("in/a.jpg", jpeg);
      workplace.add("in/a.jpg.xmp", xmp_packet_with("tiff:Orientation='" + says + "'"));
      workplace.done({"upright", "in/a.jpg", "--in-place", "--believe", believe});
      CHECK(workplace.content("in/a.jpg") ==
            workplace.content(believe == "exif" ? "by_6.jpg" : by_sidecar));
      CHECK(orientation_in(workplace, "in/a.jpg.xmp") == "1");
      workplace.done({"check", "in"});
    }
  }
}

TEST_CASE_METHOD(Workplace,
                 "A sidecar that may belong to another file of that name is left alone") {
  add("in/a.jpg", jpeg_with(exif_segment({})));
  add("in/a.CR2", "raw");
  add("in/a.xmp", packet);
  done({"upright", "in/a.jpg", "-o", "out", "--sidecars"}, "may belong to another file");
  CHECK(files("out") == Names{"a.jpg"});
}

TEST_CASE("A JPEG that is turned by its tag and its sidecar say the same") {
  const std::string cut = tagged_jpeg(smooth_picture(97, 63), 1);
  const std::string cut_on_its_side = tagged_jpeg(smooth_picture(97, 63), 6);
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
    const auto run = [&](Words arguments) {
      arguments.insert(arguments.end(), to.begin(), to.end());
      const Result result = workplace.done(arguments);
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
    workplace.done({"check", out});
  }
}

TEST_CASE_METHOD(Workplace, "Sidecars are found with their suffix in capitals, and keep it") {
  add("in/a.jpg", jpeg_with(exif_segment({})));
  add("in/a.XMP", packet);
  add("in/a.jpg.XMP", packet);
  add("in/B.JPG", jpeg_with(exif_segment({})));
  add("in/B.XMP", packet);
  const Result without = qturn({"upright", "in", "-o", "without"});
  for (const char* name : {"a.XMP", "a.jpg.XMP", "B.XMP"})
    CHECK_THAT(without.err, ContainsSubstring(name + " beside it holds an orientation"s));
  done({"upright", "in", "-o", "out", "--sidecars"});
  CHECK(files("out") == Names{"B.JPG", "B.XMP", "a.XMP", "a.jpg", "a.jpg.XMP"});
  for (const char* name : {"out/a.XMP", "out/a.jpg.XMP", "out/B.XMP"})
    CHECK(orientation_in(*this, name) == "1");
  add("out/B.XMP", packet);
  CHECK(qturn({"check", "out"}).out ==
        "out/B.JPG: B.XMP beside it says orientation 6, the picture's is 1; correct the wrong one, "
        "for example with ExifTool\n");
}

TEST_CASE(
    "With --sidecars a picture fails whose sidecar cannot be read, otherwise that is a warning") {
  for (const bool is_damaged : {true, false}) {
    Workplace workplace;
    workplace.add("in/a.jpg", jpeg_with(exif_segment({})));
    const fs::path sidecar = workplace.add("in/a.xmp", is_damaged ? "<x:xmpmeta" : packet);
    if (!is_damaged) REQUIRE(::chmod(sidecar.c_str(), 0) == 0);
    workplace.without_privileges = true;
    const std::string says = is_damaged
                                 ? "a.xmp beside it cannot be read: it is not well-formed XML"
                                 : "a.xmp beside it cannot be read: Permission denied";
    const auto before = workplace.tree("in");
    workplace.failed(
        {"cw", "in/a.jpg", "--in-place", "--sidecars"},
        "qturn: in/a.jpg: " + says + "; without --sidecars the picture alone is turned\n");
    CHECK(workplace.tree("in") == before);

    workplace.done({"cw", "in/a.jpg", "--in-place"}, "qturn: warning: in/a.jpg: " + says + "\n");
    CHECK(workplace.tree("in") != before);
  }
}

TEST_CASE_METHOD(Workplace, "Where a sidecar cannot be written, its picture stays as it was") {
  without_privileges = true;
  add("in/a.jpg", jpeg_with(exif_segment({})));
  const fs::path folder = add("closed/a.xmp", packet).parent_path();
  fs::create_symlink("../closed/a.xmp", path() / "in/a.xmp");
  const auto before = tree("in");
  ::chmod(folder.c_str(), 0555);
  const Result result = qturn({"cw", "in/a.jpg", "--in-place", "--follow"});
  ::chmod(folder.c_str(), 0755);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("in/a.jpg: cannot write in/a.xmp: Permission denied"));
  CHECK_THAT(result.err, ContainsSubstring("0 of 1 picture written"));
  CHECK(tree("in") == before);
  CHECK(files("closed") == Names{"a.xmp"});

  // And the other way round: no picture, no sidecar.
  add("broken/b.jpg", jpeg_with(exif_segment({})).substr(0, 900));
  add("broken/b.xmp", packet);
  failed({"cw", "broken/b.jpg", "-o", "out", "--sidecars"});
  CHECK(files("out").empty());
}

TEST_CASE_METHOD(Workplace,
                 "A sidecar is written through a link, and stays beside the name it was found by") {
  add("store/a.jpg", jpeg_with(exif_segment({})));
  add("notes/a.xmp", packet);
  fs::create_directories(path() / "in");
  fs::create_symlink("../store/a.jpg", path() / "in/a.jpg");
  fs::create_symlink("../notes/a.xmp", path() / "in/a.xmp");
  CHECK(
      refused({"upright", "in/a.jpg", "--in-place"}).err ==
      "qturn: in/a.xmp would be turned where the link in/a.xmp leads, for whoever else uses that, "
      "too; turn in/a.jpg into a folder with -o, or turn what links lead to with --follow\n");
  done({"upright", "in/a.jpg", "--in-place", "--follow"});
  CHECK(fs::is_symlink(path() / "in/a.xmp"));
  CHECK(orientation_in(*this, "notes/a.xmp") == "1");
  CHECK(files("store") == Names{"a.jpg"});
}

TEST_CASE("A sidecar with hard links is refused in place, unless --break-links") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif_segment({})));
  const fs::path path = workplace.add("in/a.xmp", packet);
  fs::create_hard_link(path, workplace.path() / "other.xmp");
  CHECK(workplace.refused({"upright", "in", "--in-place", "--sidecars"}).err ==
        "qturn: in/a.xmp has other names (hard links), which would stay as they are; --break-links "
        "turns the named ones only\n");
  workplace.done({"upright", "in", "-o", "out", "--sidecars"});
  workplace.done({"upright", "in", "--in-place", "--sidecars", "--break-links"});
  CHECK(orientation_in(workplace, "in/a.xmp") == "1");
  CHECK(workplace.content("other.xmp") == packet);
}

TEST_CASE_METHOD(
    Workplace,
    "A sidecar that exists at the output is refused before anything starts, or replaced") {
  add("in/a.jpg", jpeg_with(exif_segment({})));
  add("in/a.xmp", packet);
  add("in/b.jpg", jpeg_with(exif_segment({})));
  add("out/a.xmp", "old");
  add("out/b.xmp", "not in the way: there is no in/b.xmp");
  CHECK(refused({"upright", "in", "-o", "out", "--sidecars"}).err ==
        "qturn: out/a.xmp exists already; use --overwrite, --skip-existing or --update, or another "
        "output\n");

  for (const char* option : {"--overwrite", "--update"}) {
    add("out/a.xmp", "old");
    fs::remove(path() / "out/a.jpg");
    done({"upright", "in", "-o", "out", "--sidecars", option});
    CHECK(orientation_in(*this, "out/a.xmp") == "1");
  }

  // What is left alone is said, and --strict exits with 1; the picture is there all the same.
  for (const bool strict : {false, true}) {
    add("out/a.xmp", "old");
    fs::remove(path() / "out/a.jpg");
    Words words = {"upright", "in", "-o", "out", "--sidecars", "--skip-existing"};
    if (strict) words.push_back("--strict");
    const Result kept = qturn(words);
    CHECK(kept.exit_code == (strict ? 1 : 0));
    CHECK_THAT(kept.err,
               ContainsSubstring("warning: in/a.jpg: out/a.jpg is written, but not all that "
                                 "belongs to it: cannot write out/a.xmp: File exists"));
    CHECK_THAT(
        kept.err,
        ContainsSubstring(
            "1 of 2 pictures written (1 losslessly), 1 left alone because the output exists"));
    CHECK(content("out/a.xmp") == "old");
    CHECK(files("out") == Names{"a.jpg", "a.xmp", "b.jpg", "b.xmp"});
    CHECK(decoded(path() / "out/a.jpg").stored == qturn::Orientation::identity);
  }
}

TEST_CASE("No two sidecars go to one place, and none to the place of an input or of a folder") {
  Workplace workplace;
  workplace.add("x/a.jpg", jpeg_with(exif_segment({})));
  workplace.add("x/a.xmp", packet);
  workplace.add("y/a.png", png(smooth_picture(5, 3)));
  workplace.add("y/a.xmp", packet);
  workplace.add("z/a.xmp/file", "");
  const auto refused = [&](Words words) {
    words.insert(words.begin(), {"cw", "--sidecars"});
    return workplace.refused(words).err;
  };
  CHECK_THAT(refused({"x/a.jpg", "y/a.png", "-o", "out"}),
             ContainsSubstring("a.xmp would both be written to out/a.xmp"));
  CHECK_THAT(refused({"x/a.jpg", "-o", "x/a.png", "--overwrite"}),
             ContainsSubstring("x/a.xmp: is an input as well"));
  CHECK_THAT(refused({"x/a.jpg", "-o", "z", "--overwrite"}),
             ContainsSubstring("z/a.xmp: is not a regular file"));
}

TEST_CASE_METHOD(Workplace,
                 "A sidecar's regions are carried into a picture whose edges were trimmed") {
  add("in/a.jpg", cli::jpeg(smooth_picture(64, 50)));
  add("in/a.xmp", xmp_packet_with("tiff:Orientation='1'", face_regions("64", "50")));
  done({"cw", "in", "-o", "out", "--jpeg-edges", "trim", "--sidecars", "--device", "cpu"});
  const std::string sidecar = content("out/a.xmp");
  CHECK_THAT(sidecar, ContainsSubstring("stDim:w='48' stDim:h='64'"));
  // 0.4 of 50 rows are 20 of the 48 that are left, and now counted from the right.
  CHECK_THAT(sidecar, ContainsSubstring("stArea:x='0.583333' stArea:y='0.25'"));
}

}  // namespace sidecars_test
