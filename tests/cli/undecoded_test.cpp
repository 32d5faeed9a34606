// Formats whose pixels are never decoded, through the program: HEIC, AVIF, JPEG XL, camera raw.
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace undecoded_test {

using namespace cli;
using qturn::Orientation;
using qturn::Size;

namespace {

using namespace std::string_literals;

constexpr Size size{40, 24};

// What another program makes of a PNG.
std::string made(const std::string& command) {
  const std::string png = cli::png(smooth_picture(size.width, size.height));
  const auto file = qturn::tests::made_by(
      "mv in in.png && " + command + " >said 2>&1 && mv out.* out", qturn::bytes_of(png));
  return std::string(qturn::text_of(file));
}

std::map<std::string, std::string> containers() {
  return {{"a.heic", made("heif-enc -o out.heic in.png")},
          {"b.avif", made("avifenc in.png out.avif")},
          {"c.jxl", made("cjxl in.png out.jxl -d 1 --container=1")},
          {"d.jxl", made("cjxl in.png out.jxl -d 1")}};
}

qturn::Header header_of(const std::string& file) {
  const auto bytes = qturn::bytes_of(file);
  return qturn::codec_of_content(bytes, "")->read_header(bytes);
}

std::string raw_file() {
  std::string file(
      "II*\0\x08\0\0\0"
      "\3\0"
      "\0\1\4\0\1\0\0\0\x28\0\0\0"
      "\1\1\4\0\1\0\0\0\x18\0\0\0"
      "\x12\1\3\0\1\0\0\0\6\0\0\0"
      "\0\0\0\0",
      8 + 2 + 36 + 4);
  return file + "sensor data";
}

}  // namespace

TEST_CASE("HEIC, AVIF and JPEG XL are turned to a folder and in place, losslessly") {
  const auto files = containers();
  Workplace workplace;
  for (const auto& [name, content] : files) workplace.add("in/" + name, content);
  workplace.done({"cw", "in", "-o", "out", "--strict"}, "4 of 4 pictures written (4 losslessly)");
  for (const auto& [name, content] : files) {
    CAPTURE(name);
    CHECK(header_of(workplace.content("out/" + name)).size() == Size{size.height, size.width});
  }
  // A turn by its tag is the same turn.
  workplace.done({"cw", "in", "-o", "tagged", "--tag-only", "--verify"});
  CHECK(workplace.tree("tagged") == workplace.tree("out"));

  for (const auto& [name, content] : files) workplace.add("by_tag/" + name, content);
  workplace.signal_before(SIGKILL, "b.avif");
  CHECK(workplace.qturn({"cw", "by_tag", "--in-place", "--tag-only", "-j1"}).exit_code == 128 + 9);
  workplace.environment.clear();
  workplace.done({"cw", "by_tag", "--in-place", "--tag-only", "--resume"});
  CHECK(workplace.tree("by_tag") == workplace.tree("out"));

  workplace.done({"cw", "in", "--in-place"});
  CHECK(workplace.tree("in") == workplace.tree("out"));
  workplace.done({"upright", "in", "--in-place"}, "4 already upright");
  CHECK(workplace.tree("in") == workplace.tree("out"));
  workplace.done({"check", "in"});
}

TEST_CASE("Masks of HEIC, AVIF and JPEG XL turn with them, whatever turns those") {
  Workplace workplace;
  const auto mask = random_picture(size.width, size.height, 1);
  for (const auto& [name, content] : containers()) {
    workplace.add("in/images/" + name, content);
    workplace.add("in/masks/" + std::string(1, name.front()) + ".png", cli::png(mask));
  }
  workplace.done({"cw", "in", "-o", "out", "--verify"});
  CHECK(pixels_of(workplace.path() / "out/masks/a.png") ==
        cli::turned(mask, Orientation::rotate90));
  workplace.done({"cw", "in", "-o", "tagged", "--tag-only", "--verify"});
  CHECK(workplace.tree("tagged") == workplace.tree("out"));
  workplace.done({"cw", "in", "--in-place", "--tag-only"});
  CHECK(workplace.tree("in") == workplace.tree("out"));
}

TEST_CASE("HEIC, AVIF and JPEG XL become no other format, and a cut one fails") {
  const auto files = containers();
  Workplace workplace;
  for (const auto& [name, content] : files) {
    workplace.add("in/" + name, content);
    if (name != "d.jxl") workplace.add("cut/" + name, content.substr(0, content.size() / 2));
  }
  const Result converted = workplace.failed({"cw", "in", "-o", "out", "--format", "png"});
  for (const char* name : {"heic", "avif", "jxl"}) {
    CHECK_THAT(converted.err,
               ContainsSubstring("qturn turns "s + name +
                                 " files without decoding them, so they cannot become png"));
  }
  CHECK(workplace.files("out").empty());
  workplace.refused({"cw", "in", "-o", "out", "--format", "heic"});
  workplace.failed({"cw", "cut", "-o", "out"}, "3 failed");
  CHECK(workplace.files("out").empty());
}

TEST_CASE_METHOD(Workplace,
                 "Camera raw files are turned by their tag, with --raw --tag-only alone") {
  const std::string raw = raw_file();
  add("in/a.nef", raw);
  add("in/b.png", cli::png(smooth_picture(4, 3)));
  const auto tag_of = [&](const std::string& name) {
    return qturn::raw::codec.read_header(qturn::bytes_of(content(name))).stored;
  };
  done({"flop", "in", "-o", "out", "--raw", "--tag-only"});
  CHECK(tag_of("out/a.nef") == qturn::compose(Orientation::rotate90, Orientation::flop));
  CHECK(content("out/a.nef").size() == raw.size());
  done({"cw", "in/a.nef", "--in-place", "--raw", "--tag-only"});
  CHECK(tag_of("in/a.nef") == Orientation::rotate180);

  refused({"cw", "in", "-o", "x", "--raw"});
  refused({"cw", "in", "-o", "x", "--raw", "--tag-only", "--format", "png"});
  const Result named = qturn({"cw", "in/a.nef", "-o", "x", "--tag-only"});
  CHECK(named.exit_code != 0);
  CHECK_THAT(named.err, ContainsSubstring("--raw --tag-only changes the orientation tag"));
  CHECK(files("x").empty());
}

TEST_CASE_METHOD(Workplace, "Camera raw of another kind, and DICOM, are named") {
  const std::string fuji = "FUJIFILMCCD-RAW 0201" + std::string(200, '\0');
  add("in/a.raf", fuji);
  add("in/b.png", cli::png(random_picture(5, 4)));
  const std::string refusal = "camera raw of a kind that is not supported\n";
  done({"cw", "in", "-o", "out"}, "left out, because they are not pictures: 1 .raf");
  failed({"cw", "in/a.raf", "in/b.png", "-o", "named"}, "qturn: in/a.raf: " + refusal);
  failed({"cw", "in", "-o", "raw", "--raw", "--tag-only", "--include", "*.raf"},
         "qturn: in/a.raf: " + refusal);
  add("a.jpg", fuji);
  failed({"cw", "a.jpg", "-o", "jpg"}, "a.jpg: " + refusal);

  // A DICOM picture may begin as a TIFF does.
  std::string dicom(128, '\0');
  dicom.replace(0, 8, std::string("II*\0\x10\0\0\0", 8));
  for (const std::string& preamble : {dicom, std::string(128, '\0')}) {
    add("b.tif", preamble + "DICM" + std::string(200, '\2'));
    failed({"cw", "b.tif", "-o", "tif"}, "b.tif: DICOM is not a format that qturn reads\n");
  }
}

TEST_CASE_METHOD(Workplace, "check looks at camera raw files with --raw alone") {
  add("a.nef", raw_file());
  refused({"check", "a.nef"});
  done({"check", "a.nef", "--raw"});
  add("a.nef", raw_file().substr(0, 40));
  failed({"check", "a.nef", "--raw"}, "a.nef: damaged");
}

TEST_CASE_METHOD(Workplace,
                 "A camera raw file with the suffix of a TIFF is not taken without --raw") {
  const std::string canon = std::string("II*\0\x10\0\0\0CR\2\0\0\0\0\0", 16) + raw_file().substr(8);
  add("a.tif", canon);
  failed({"cw", "a.tif", "-o", "out", "--tag-only"},
         "a.tif: a camera raw file, whose pixels are not turned; --raw --tag-only changes the "
         "orientation tag");
  done({"cw", "a.tif", "-o", "out", "--tag-only", "--raw"});
  CHECK(qturn::raw::codec.read_header(qturn::bytes_of(content("out/a.tif"))).stored ==
        Orientation::rotate180);
}

}  // namespace undecoded_test
