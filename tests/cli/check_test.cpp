// qturn check: which pictures are damaged, and which orientation metadata disagrees.
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace check_test {

using namespace cli;
using Catch::Matchers::EndsWith;
using qturn::tests::ByteOrder;
using qturn::tests::exif_fixture;
using qturn::tests::ExifDirectory;
using qturn::tests::ExifFixture;
using qturn::tests::jpeg_segment;
using qturn::tests::jpeg_with_trailing_pictures;
using qturn::tests::xmp_packet_with;
using std::string_literals::operator""s;

namespace {

const std::string was_cut = ": they were cut, or something else is wrong; look at the picture\n";

std::string exif(const ExifFixture& says) {
  return jpeg_segment(0xE1, "Exif\0\0"s + exif_fixture(says));
}

std::string xmp(const std::string& attributes) {
  return jpeg_segment(0xE1, "http://ns.adobe.com/xap/1.0/\0"s + xmp_packet_with(attributes));
}

std::string jpeg_with(const std::string& segments, int width = 64, int height = 48) {
  return cli::jpeg(smooth_picture(width, height)).insert(2, segments);
}

}  // namespace

TEST_CASE_METHOD(Workplace, "Metadata that agrees is not a finding, with and without a tag") {
  add("in/tagged.jpg", jpeg_with(exif({}) + xmp("tiff:Orientation='6'")));
  add("in/plain.jpg", jpeg_with(""));
  add("in/plain.png", png(smooth_picture(5, 3)));
  add("in/notes.txt", "no picture");
  const Result result = done({"check", "in"});
  CHECK(result.out.empty());
  CHECK(result.err == "qturn: 3 pictures checked, 0 of them with findings\n");
}

TEST_CASE_METHOD(Workplace,
                 "The size of the sensor in a picture that was made smaller is not a finding") {
  for (const auto& [width, height] : {std::pair{32, 24}, {21, 16}, {13, 10}, {128, 96}}) {
    add("in/a.jpg", jpeg_with(exif({.orientation = 1}), width, height));
    const Result result = qturn({"check", "in", "-q"});
    CAPTURE(width);
    CHECK(result.exit_code == 0);
    CHECK(result.out.empty());
  }
}

TEST_CASE_METHOD(Workplace, "What disagrees is reported for each file, and the exit status is 1") {
  const auto findings = [&](const std::string& name, const std::string& file) {
    add(name, file);
    const Result result = failed({"check", name, "-q"});
    CHECK(result.err.empty());
    return result.out;
  };
  CHECK(findings("xmp.jpg", jpeg_with(exif({.orientation = 1}) + xmp("tiff:Orientation='6'"))) ==
        "xmp.jpg: XMP says orientation 6, the picture's is 1; correct the wrong one, for example "
        "with ExifTool\n");
  // Turned by a program that forgot the tag and the sizes.
  CHECK(findings("turned.jpg", jpeg_with(exif({}), 48, 64)) ==
        "turned.jpg: Exif says 64 x 48, the pixels are 48 x 64: they may have been turned, and "
        "orientation 6 be left over; if the picture looks wrong, set that to 1 (exiftool -n "
        "-Orientation=1)\n");
  CHECK(findings("right.jpg", jpeg_with(exif({.orientation = 1}), 48, 64)) ==
        "right.jpg: Exif says 64 x 48, the pixels are 48 x 64: they may have been turned; if the "
        "picture looks right, nothing needs to be done\n");
  CHECK(findings("cut.jpg", jpeg_with(exif({.orientation = 1}), 32, 32)) ==
        "cut.jpg: Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK(
      findings("thumbnail.jpg",
               jpeg_with(exif({.thumbnail = cli::jpeg(smooth_picture(24, 32))}))) ==
      "thumbnail.jpg: the thumbnail is 24 x 32, of another shape than the pixels, 64 x 48: it may "
      "be upright already; programs that show it first show another picture, so make it again\n");
  CHECK(findings("two.jpg", jpeg_with(exif({.thumbnail = cli::jpeg(smooth_picture(32, 24)),
                                            .thumbnail_orientation = 3}))) ==
        "two.jpg: the thumbnail says orientation 3, the picture's is 6; correct the wrong one, for "
        "example with ExifTool\n");
  CHECK(findings("header.jpg",
                 jpeg_with(jpeg_segment(0xE1, "Exif\0\0XX"s + exif_fixture({}).substr(2)))) ==
        "header.jpg: the Exif block is damaged\n");
  CHECK(findings("filler.jpg",
                 jpeg_with(jpeg_segment(0xE1, "Exif\0\xFF"s + exif_fixture({})), 32, 32)) ==
        "filler.jpg: Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK_THAT(findings("damaged.jpg", jpeg_with(exif({.thumbnail = "no JPEG"}))),
             EndsWith("the Exif block is damaged\n"));
  CHECK_THAT(findings("text.jpg", jpeg_with(xmp("tiff:Orientation='<'"))),
             ContainsSubstring("orientation '<', which does not exist"));
  CHECK(findings("eight.png", png(smooth_picture(20, 5), png_chunk("eXIf", exif_fixture({})))) ==
        "eight.png: Exif says 64 x 48, the pixels are 20 x 5" + was_cut);
}

TEST_CASE_METHOD(Workplace,
                 "Extended XMP, pictures that follow and later pages of a TIFF are looked at") {
  const auto findings = [&](const std::string& name, const std::string& file) {
    add(name, file);
    const Result result = qturn({"check", name, "-q"});
    CHECK(result.exit_code == (result.out.empty() ? 0 : 1));
    return result.out;
  };
  const auto extended = [](const std::string& packet, std::size_t at) {
    return jpeg_segment(0xE1, "http://ns.adobe.com/xmp/extension/\0"s + std::string(32, 'A') +
                                  qturn::tests::in_big_endian(1000, 4) +
                                  qturn::tests::in_big_endian(unsigned(at), 4) + packet);
  };
  const std::string says = xmp_packet_with("tiff:ImageWidth='48' tiff:ImageLength='64'");
  CHECK(findings("extended.jpg",
                 jpeg_with(extended(says.substr(0, 300), 0) + extended(says.substr(300), 300))) ==
        "extended.jpg: extended XMP says 48 x 64, the pixels are 64 x 48: they may have been "
        "turned; if the picture looks right, nothing needs to be done\n");
  CHECK(findings("parts.jpg", jpeg_with(extended(says, 1))) ==
        "parts.jpg: the extended XMP is damaged\n");

  const auto followed = [](const std::string& trailing) {
    return jpeg_with_trailing_pictures(cli::jpeg(smooth_picture(64, 48)), exif({}), {trailing},
                                       {0x010001});
  };
  CHECK(findings("same.jpg", followed(jpeg_with(exif({})))).empty());
  CHECK(findings("untagged.jpg", followed(jpeg_with("", 32, 24))).empty());
  CHECK(findings("tag.jpg", followed(jpeg_with(exif({.orientation = 1})))) ==
        "tag.jpg: picture 2 of the file says orientation 1, the picture's is 6; correct the wrong "
        "one, for example with ExifTool\n");
  CHECK(findings("size.jpg", followed(jpeg_with(exif({}), 32, 32))) ==
        "size.jpg: picture 2 of the file: Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK(findings("resized.jpg", followed(jpeg_with(exif({}), 32, 24))).empty());
  CHECK(findings("shape.jpg", followed(jpeg_with("", 24, 32))) ==
        "shape.jpg: picture 2 of the file is 24 x 32, of another shape than the pixels, 64 x 48: "
        "it may be upright already; programs that show it first show another picture, so make it "
        "again\n");
  CHECK(findings("none.jpg", followed("no picture")) ==
        "none.jpg: picture 2 of the file cannot be read: is not a JPEG\n");
  const std::string whole = followed(jpeg_with(exif({})));
  CHECK(findings("list.jpg", whole.substr(0, whole.size() - 3) + "\xFF\xD9") ==
        "list.jpg: the index of the pictures after the first (MPF) is damaged\n");
  CHECK(findings("ends.jpg", whole.substr(0, whole.size() - 1)) ==
        "ends.jpg: picture 2 of the file: the marker of its end (EOI) is missing\n");
  add("cut.jpg", whole.substr(0, whole.size() - 4));
  failed({"check", "cut.jpg", "-q"}, {"cut.jpg: truncated: ", "picture 2 of the file"});

  const auto pages = [](const std::string& xmp) {
    const ByteOrder order{true};
    const auto page = [&](int width, int height, bool is_second) {
      ExifDirectory made;
      made.add_short(256, unsigned(width), order);
      made.add_short(257, unsigned(height), order);
      made.add_short(258, 8, order);
      made.add_short(259, 1, order);
      made.add_short(262, 1, order);
      made.add_long(273, 8, order);
      made.add_short(274, 6, order);
      made.add_short(277, 1, order);
      made.add_short(278, unsigned(height), order);
      made.add_long(279, std::uint64_t(width * height), order);
      if (is_second) made.entries.push_back({700, 1, xmp.size(), xmp});
      if (is_second) made.add_long(0x8769, 0, order);
      return made;
    };
    const ExifDirectory first = page(6, 4, false);
    ExifDirectory second = page(5, 3, true), sizes;
    sizes.add_short(0xA002, 3, order);
    sizes.add_short(0xA003, 5, order);
    const std::size_t first_at = 8 + 24, second_at = first_at + first.bytes(),
                      exif_at = second_at + second.bytes();
    second.entries.back().value = order.u32(exif_at);
    return "II" + order.u16(42) + order.u32(first_at) + std::string(24, 'x') +
           first.at(first_at, second_at, order) + second.at(second_at, 0, order) +
           sizes.at(exif_at, 0, order);
  };
  const std::string turned =
      ": they may have been turned, and orientation 6 be left over; if the picture looks wrong, "
      "set that to 1 (exiftool -n -Orientation=1)\n";
  CHECK(findings("two.tif", pages(xmp_packet_with("tiff:Orientation='1'"))) ==
        "two.tif: Exif of page 2 says 3 x 5, the pixels are 5 x 3" + turned +
            "two.tif: XMP of page 2 says orientation 1, the picture's is 6; correct the wrong one, "
            "for example with ExifTool\n");
}

TEST_CASE_METHOD(
    Workplace,
    "A file whose content is not a picture fails, the others are checked, nothing is written") {
  add("in/a.jpg", "no JPEG");
  add("in/b.jpg", jpeg_with(exif({}) + xmp("tiff:Orientation='3'")));
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

TEST_CASE_METHOD(Workplace, "Bytes after a picture are a finding") {
  const Picture picture = smooth_picture(5, 3);
  add("a.png", png(picture) + "more");
  add("b.bmp", encoded(picture, qturn::bmp::codec) + "more");
  add("c.tif", encoded(picture, qturn::tiff::codec) + "more");
  add("d.webp", encoded(picture, qturn::webp::codec) + "more");
  add("e.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\nrgbemore");
  CHECK(failed({"check", ".", "-j1"}).out ==
        "./a.png: 4 bytes after the end of the PNG\n"
        "./b.bmp: the header says 102 bytes, the file has 106\n"
        "./b.bmp: 4 bytes after the picture\n"
        "./c.tif: 4 bytes after the picture\n"
        "./d.webp: 4 bytes after the picture\n"
        "./e.hdr: 4 bytes after the picture\n");
}

TEST_CASE_METHOD(
    Workplace,
    "A TIFF's fields that are not in order, and an orientation that is none, are findings") {
  const ByteOrder order{true};
  ExifDirectory page;
  for (const auto& [tag, value] :
       {std::pair(256, 1), {257, 1}, {258, 8}, {259, 1}, {262, 1}, {278, 1}, {277, 1}, {274, 9}}) {
    page.add_short(static_cast<unsigned>(tag), static_cast<unsigned>(value), order);
  }
  page.add_long(273, 4, order);
  page.add_long(279, 1, order);
  add("a.tif", "II" + order.u16(42) + order.u32(8) + page.at(8, 0, order));
  const Result result = qturn({"check", "a.tif"});
  CAPTURE(result.err);
  CHECK(result.out ==
        "a.tif: orientation 9 is not one of the eight; 1 is assumed\n"
        "a.tif: the fields of page 1 are not in order\n");
}

TEST_CASE_METHOD(Workplace, "What the program writes, it finds nothing in") {
  add("in/a.jpg",
      jpeg_with(exif({.thumbnail = cli::jpeg(smooth_picture(32, 24))}) +
                xmp("tiff:Orientation='6' tiff:ImageWidth='64' tiff:ImageLength='48'")));
  add("in/b.jpg",
      jpeg_with_trailing_pictures(cli::jpeg(smooth_picture(64, 48)), exif({}),
                                  {jpeg_with(exif({})), jpeg_with("", 32, 24)}, {0x010001, 0}));
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
  add("in/a.jpg", jpeg_with(exif({})));
  add("in/b.png", png(smooth_picture(5, 3)).substr(0, 60));
  add("in/c.jpg", jpeg_with(exif({}) + xmp("tiff:Orientation='1'")));
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
