// qturn check: which pictures are damaged, and which orientation metadata disagrees.
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace check_test {

using namespace cli;
using Catch::Matchers::EndsWith;
using qturn::tests::exif_fixture;
using qturn::tests::exif_segment;
using qturn::tests::jpeg_segment;
using qturn::tests::jpeg_with_trailing_pictures;
using qturn::tests::with_segments;
using qturn::tests::xmp_packet_with;
using qturn::tests::xmp_segment;
using std::string_literals::operator""s;

namespace {

const std::string was_cut = ": they were cut, or something else is wrong; look at the picture\n";

std::string jpeg_with(const std::string& segments, int width = 64, int height = 48) {
  return with_segments(cli::jpeg(smooth_picture(width, height)), segments);
}

}  // namespace

TEST_CASE_METHOD(Workplace, "Metadata that agrees is not a finding, with and without a tag") {
  add("in/tagged.jpg",
      jpeg_with(exif_segment({}) + xmp_segment(xmp_packet_with("tiff:Orientation='6'"))));
  add("in/plain.jpg", jpeg_with(""));
  add("in/plain.png", png(smooth_picture(5, 3)));
  add("in/notes.txt", "no picture");
  const Result result = done({"check", "in"});
  CHECK(result.out.empty());
  CHECK(result.err == "qturn: 3 pictures checked, 0 of them with findings\n");
}

TEST_CASE_METHOD(Workplace, "What disagrees is reported with the file, and the exit status is 1") {
  add("xmp.jpg", jpeg_with(exif_segment({.orientation = 1}) +
                           xmp_segment(xmp_packet_with("tiff:Orientation='6'"))));
  const Result result = failed({"check", "xmp.jpg", "-q"});
  CHECK(result.err.empty());
  CHECK(result.out ==
        "xmp.jpg: XMP says orientation 6, the picture's is 1; correct the wrong one, for example "
        "with ExifTool\n");
}

TEST_CASE_METHOD(
    Workplace,
    "A file whose content is not a picture fails, the others are checked, nothing is written") {
  add("in/a.jpg", "no JPEG");
  add("in/b.jpg",
      jpeg_with(exif_segment({}) + xmp_segment(xmp_packet_with("tiff:Orientation='3'"))));
  std::string block = exif_fixture({});
  std::swap(block[2], block[3]);
  add("in/c.jpg", jpeg_with(jpeg_segment(0xE1, "Exif\0\0"s + block)));
  const auto before = tree("in");
  const Result result = failed({"check", "in", "--json", "-j1"});
  REQUIRE(result.out_lines().size() == 3);
  CHECK(result.out_lines()[0] ==
        "{\"input\":\"in/a.jpg\",\"status\":\"failed\",\"findings\":[],\"message\":\"not a picture "
        "in a format that qturn reads, whatever its name says\"}");
  CHECK(
      result.out_lines()[1] ==
      "{\"input\":\"in/b.jpg\",\"status\":\"disagrees\",\"findings\":[\"XMP says orientation 3, "
      "the picture's is 6; correct the wrong one, for example with ExifTool\"],\"message\":\"\"}");
  CHECK_THAT(result.out_lines()[2],
             ContainsSubstring("\"status\":\"failed\",\"findings\":[],\"message\":\"the Exif block "
                               "has a header that some programs read"));
  CHECK(tree("in") == before);
  refused({"check", "nowhere"});
  refused({"check"});
}

TEST_CASE_METHOD(Workplace,
                 "Damaged pixels are found, with --quick only damaged headers and metadata") {
  const std::string jpeg = tagged_jpeg(random_picture(64, 48), 6);
  const std::string tiff = encoded(random_picture(64, 48), qturn::tiff::codec);
  const std::string webp = encoded(random_picture(64, 48), qturn::webp::codec);
  const auto with_zeros = [](std::string file, std::size_t at) {
    return file.replace(at, 40, 40, '\0');
  };
  add("in/cut.jpg", jpeg.substr(0, jpeg.size() * 3 / 4));
  add("in/pixels.tif", with_zeros(tiff, 200));
  add("in/pixels.webp", with_zeros(webp, 60));
  add("in/whole.jpg", jpeg);
  add("in/whole.tif", tiff);
  add("in/whole.webp", webp);
  const auto before = tree("");

  const Result result = failed({"check", "in", "--memory", "16MiB"});
  CHECK(result.out.empty());
  CHECK_THAT(result.err, ContainsSubstring("qturn: in/cut.jpg: truncated after "));
  CHECK_THAT(result.err, ContainsSubstring("qturn: in/pixels.tif: "));
  CHECK_THAT(result.err, ContainsSubstring("qturn: in/pixels.webp: damaged: "));
  CHECK_THAT(
      result.err,
      EndsWith("qturn: 3 pictures checked, 0 of them with findings, 3 damaged or not readable\n"));
  CHECK(done({"check", "in", "--quick"}).err ==
        "qturn: 6 pictures checked without pixels, 0 of them with findings\n");
  CHECK(tree("") == before);
}

TEST_CASE_METHOD(Workplace, "What the program writes, it finds nothing in") {
  add("in/a.jpg",
      jpeg_with(exif_segment({.thumbnail = cli::jpeg(smooth_picture(32, 24))}) +
                xmp_segment(xmp_packet_with(
                    "tiff:Orientation='6' tiff:ImageWidth='64' tiff:ImageLength='48'"))));
  add("in/b.jpg", jpeg_with_trailing_pictures(cli::jpeg(smooth_picture(64, 48)), exif_segment({}),
                                              {jpeg_with(exif_segment({})), jpeg_with("", 32, 24)},
                                              {0x010001, 0}));
  done({"check", "in"});
  for (const char* turn : {"upright", "cw", "flop", "transverse"}) {
    done({turn, "in", "-o", turn});
    const Result result = qturn({"check", turn});
    CAPTURE(turn, result.out);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE_METHOD(Workplace,
                 "check --html shows pictures without labels, those with findings first") {
  add("in/a.jpg", jpeg_with(exif_segment({})));
  add("in/b.png", png(smooth_picture(5, 3)).substr(0, 60));
  add("in/c.jpg",
      jpeg_with(exif_segment({}) + xmp_segment(xmp_packet_with("tiff:Orientation='1'"))));
  failed({"check", "in", "--html", "page.html"});
  const std::string page = content("page.html");
  const std::size_t first = page.find("<h2>in/b.png</h2>"), second = page.find("<h2>in/c.jpg</h2>"),
                    last = page.find("<h2>in/a.jpg</h2>");
  CHECK(first < second);
  CHECK(second < last);
  CHECK(last != page.npos);
  CHECK_THAT(page, ContainsSubstring("<li>truncated") &&
                       ContainsSubstring("<li>XMP says orientation 1, the picture") &&
                       ContainsSubstring("<figcaption>64 x 48, tagged with orientation 6 ") &&
                       !ContainsSubstring("label"));
  done({"check", "in/a.jpg", "--quick", "--html", "quick.html"});
  CHECK_THAT(content("quick.html"), ContainsSubstring("1 of 1 pictures"));
}

TEST_CASE_METHOD(Workplace, "A suffix that promises another format than the content is said") {
  add("in/a.png", cli::jpeg(smooth_picture(64, 48)));
  add("in/b.jpg", png(smooth_picture(5, 3)));
  add("in/c.jpe", cli::jpeg(smooth_picture(64, 48)));
  add("in/d.other", cli::jpeg(smooth_picture(64, 48)));
  const std::string a = "in/a.png: its suffix says png, its content jpeg\n",
                    b = "in/b.jpg: its suffix says jpeg, its content png\n";
  for (const Words& quick : {Words{}, Words{"--quick"}}) {
    std::vector<std::string> lines = failed(with({"check", "in"}, quick)).out_lines();
    std::ranges::sort(lines);
    CHECK(lines.size() == 2);
    CHECK(lines.front() + "\n" == a);
    CHECK(lines.back() + "\n" == b);
  }
  CHECK_THAT(done({"cw", "in", "in/d.other", "-o", "out"}).err,
             ContainsSubstring("warning: " + a) && ContainsSubstring("warning: " + b) &&
                 !ContainsSubstring("warning: in/c") && !ContainsSubstring("warning: in/d"));
  failed({"cw", "in/a.png", "-o", "strict", "--strict"},
         "in/a.png: its suffix says png, its content jpeg (--strict)");
}

}  // namespace check_test
