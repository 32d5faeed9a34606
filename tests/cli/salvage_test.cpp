// --salvage: what can be had of damaged pictures is written, and nobody takes it for the whole.
#include <cstdlib>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace salvage_test {

using namespace cli;

namespace {

const Picture smooth = smooth_picture(64, 96);

/// The rows of a picture from `first` on.
std::vector<unsigned char> rows(const Picture& picture, std::int64_t first, std::int64_t count) {
  const std::int64_t row = picture.width * picture.pixel_bytes();
  return {picture.bytes.begin() + first * row, picture.bytes.begin() + (first + count) * row};
}

bool are_close(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b) {
  constexpr int jpeg_error = 6;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(int{a[i]} - int{b[i]}) > jpeg_error) return false;
  }
  return a.size() == b.size();
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "Of a cut JPEG the rows before the cut are written, and the rest is grey") {
  const std::string file = tagged_jpeg(smooth, 2);
  add("in/cut.jpg", file.substr(0, file.size() * 3 / 4));
  add("in/whole.jpg", file);
  const Result result = qturn({"upright", "in", "-o", "out", "--salvage", "--json"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             ContainsSubstring("in/cut.jpg: only a part is salvaged: truncated after "));
  CHECK_THAT(result.err, ContainsSubstring("2 of 2 pictures written (1 losslessly, 1 salvaged"));
  CHECK_THAT(result.out,
             ContainsSubstring("\"status\":\"salvaged\",\"message\":\"truncated after "));
  const Picture whole = pixels_of(path() / "out/whole.jpg");
  const Picture cut = pixels_of(path() / "out/cut.jpg");
  REQUIRE(cut.width == smooth.width);
  REQUIRE(cut.height == smooth.height);
  CHECK(are_close(rows(cut, 0, 32), rows(whole, 0, 32)));
  CHECK(are_close(rows(cut, 90, 6), std::vector<unsigned char>(rows(cut, 90, 6).size(), 128)));
  done({"check", "out"});
}

TEST_CASE_METHOD(
    Workplace, "Of a damaged PNG and a damaged TIFF all that can be decoded is written, exactly") {
  const Picture picture = random_picture(64, 96);
  const std::string png = tagged_png(picture, 2);
  std::string tiff = encoded(picture, qturn::tiff::codec);
  tiff.replace(tiff.size() / 2, 40, 40, '\0');  // in the second of three strips
  add("in/cut.png", png.substr(0, png.size() / 2));
  add("in/zeros.tif", tiff);
  failed({"flop", "in", "-o", "out", "--salvage"},
         {"in/cut.png: only a part is salvaged: truncated",
          "warning: in/cut.png: 47 of 96 rows could be decompressed",
          "in/zeros.tif: only a part is salvaged: damaged in strip 2",
          "warning: in/zeros.tif: 1 of 3 strips or tiles are missing or damaged"});
  const Picture cut = pixels_of(path() / "out/cut.png");
  CHECK(rows(cut, 0, 47) == rows(picture, 0, 47));
  CHECK(rows(cut, 47, 49) == std::vector<unsigned char>(rows(cut, 47, 49).size(), 0));
  const Picture zeros = pixels_of(path() / "out/zeros.tif");
  const Picture flopped = turned(picture, qturn::Orientation::flop);
  CHECK(rows(zeros, 0, 32) == rows(flopped, 0, 32));
  CHECK(rows(zeros, 64, 32) == rows(flopped, 64, 32));
}

TEST_CASE_METHOD(
    Workplace, "Nothing is salvaged in place, strictly, unasked, or of a file with no row in it") {
  const std::string file = jpeg(smooth), png = cli::png(smooth);
  add("in/cut.jpg", file.substr(0, file.size() / 2));
  add("in/header.jpg", file.substr(0, file.find("\xff\xda") + 14));
  add("in/header.png", png.substr(0, 60));
  refused({"flop", "in", "--in-place", "--salvage"}, "--in-place and --salvage exclude each other");
  refused({"flop", "in", "-o", "out", "--strict", "--salvage"});
  refused({"flop", "in", "-o", "out", "--tag-only", "--salvage"});
  failed({"flop", "in", "-o", "unasked"});
  CHECK(files("unasked").empty());
  const Result result = failed({"flop", "in", "-o", "out", "--salvage"});
  CHECK(files("out") == Names{"cut.jpg"});
  CHECK_THAT(
      result.err,
      ContainsSubstring("in/header.jpg: truncated after 0 of 96 rows; nothing can be salvaged\n"));
  CHECK_THAT(result.err, ContainsSubstring("in/header.png: "));
}

}  // namespace salvage_test
